"""Celery: records as tasks, and tasks for beat. Put it into INSTALLED_APPS; docs/celery.md says the rest.

Importable in a settings file, and without Celery.
"""

from streamapp.contrib.celery.schedule import beat_schedule

__all__ = ["beat_schedule"]
