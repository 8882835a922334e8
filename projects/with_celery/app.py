"""The Celery app of the example. It is what the Celery workers and beat are started with."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "projects.with_celery.settings")

app = Celery("projects")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
