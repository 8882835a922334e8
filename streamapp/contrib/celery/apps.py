"""The app as Django sees it: it has no models, Celery finds its tasks by it."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class StreamappCeleryConfig(AppConfig):
    """Lets `autodiscover_tasks()` find `streamapp.contrib.celery.tasks`."""

    name = "streamapp.contrib.celery"
    label = "streamapp_celery"
    verbose_name = _("Streams by Celery")
