"""A project with nothing but streamapp and what it needs; each broker adds the measured subscription."""

import environ

SECRET_KEY = "only for measurements"  # noqa: S105
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
INSTALLED_APPS = ["django.contrib.auth", "django.contrib.contenttypes", "streamapp"]
DATABASES = {"default": environ.Env().db()}
