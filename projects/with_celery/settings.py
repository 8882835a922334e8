"""The example's settings, with the shipments as tasks of Celery on Redis."""

from projects.settings import *  # noqa: F403
from projects.settings import INSTALLED_APPS, STREAMAPP, env
from streamapp.contrib.celery import beat_schedule

INSTALLED_APPS = [*INSTALLED_APPS, "streamapp.contrib.celery"]

CELERY_BROKER_URL = env("REDIS_URL", default="redis://127.0.0.1:6379/0")
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_DEFAULT_QUEUE = env("CELERY_QUEUE", default="projects")
CELERY_BEAT_SCHEDULE = beat_schedule()

SUBSCRIPTIONS = STREAMAPP["SUBSCRIPTIONS"]
# Celery's workers run the handler, so no worker of ours can try it.
SHIP = {**SUBSCRIPTIONS["shipping.ship"], "EXECUTE": "celery", "DRY_RUN": False}
STREAMAPP = {
    **STREAMAPP,
    "CELERY_APP": "projects.with_celery.app.app",
    "SUBSCRIPTIONS": {**SUBSCRIPTIONS, "shipping.ship": SHIP},
}
