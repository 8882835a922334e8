"""A Celery app on RabbitMQ, with a queue of its own in each run."""

import os

from celery import Celery

from tests.celery import project

QUEUE = f"{project.QUEUE}-{project.NUMBER}"
URL = os.environ.get("RABBITMQ_URL", "amqp://guest:guest@127.0.0.1:1//")


def made(url: str = URL) -> Celery:
    """Make an app that tries once, and waits for RabbitMQ's answer."""
    made = Celery("rabbit", broker=url, set_as_current=False)
    made.conf.update(
        task_default_queue=QUEUE,
        task_annotations={"streamapp.handle": {"max_retries": 2, "default_retry_delay": 0.2}},
        task_publish_retry_policy={"max_retries": 0},
        broker_transport_options={"confirm_publish": True},
        broker_connection_retry_on_startup=True,
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
    )
    made.autodiscover_tasks()
    return made


app = made()
