"""The Celery app of the tests: each run has a queue of its own on the one Redis."""

import os

from celery import Celery

QUEUE = os.environ.setdefault("STREAMAPP_TEST_QUEUE", f"streamapp-tests-{os.getpid()}")
NUMBER = 1 + int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % 15
"""A database of Redis for each process of the tests: the tasks in hand have one list in each."""
URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:1/0").rpartition("/")[0] + f"/{NUMBER}"

app = Celery("tests", broker=URL, set_as_current=False)
app.conf.update(
    task_default_queue=QUEUE,
    task_annotations={"streamapp.handle": {"max_retries": 2, "default_retry_delay": 0.2}},
    broker_connection_retry_on_startup=True,
    task_publish_retry_policy={"max_retries": 0},
    broker_transport_options={
        "visibility_timeout": float(os.environ.get("STREAMAPP_TEST_VISIBILITY", "3600"))
    },
    worker_prefetch_multiplier=1,
    # The tests look at what the consumers log.
    worker_hijack_root_logger=False,
    broker_write_url=os.environ.get("STREAMAPP_TEST_WRITE_URL"),
)
app.autodiscover_tasks()
