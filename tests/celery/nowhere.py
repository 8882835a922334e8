"""A Celery app whose broker isn't there."""

from celery import Celery

app = Celery("nowhere", broker="redis://127.0.0.1:1/0", set_as_current=False)
app.conf.task_publish_retry_policy = {"max_retries": 0}
