"""Settings of the test suite: PostgreSQL when DATABASE_URL names one, a SQLite file otherwise."""

import os
import tempfile
from pathlib import Path

import environ

env = environ.Env()
SCRATCH = Path(tempfile.gettempdir()) / f"streamapp-tests-{os.getpid()}"
SQLITE = os.environ.get("STREAMAPP_TEST_DATABASE") == "sqlite" or "DATABASE_URL" not in os.environ

DATABASES = {"default": env.db(default=f"sqlite:///{SCRATCH}.sqlite3")}
if SQLITE:
    DATABASES["default"] = {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": f"{SCRATCH}.sqlite3",
        "TEST": {"NAME": f"{SCRATCH}-test.sqlite3"},
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        },
    }
else:
    DATABASES["default"]["TEST"] = {"NAME": f"test_streamapp_{os.getpid()}"}
# A database that no checkpoint lives in, for what a handler does outside of its transaction.
DATABASES["elsewhere"] = {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "streamapp",
    "streamapp.contrib.celery",
    "projects.shipping",
    "projects.ledger",
    "projects.trickle",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
ROOT_URLCONF = "tests.urls"
SECRET_KEY = "only for tests"  # noqa: S105
STATIC_URL = "/static/"
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STREAMAPP = {
    "BROKERS": {"local": {"BACKEND": "streamapp.brokers.local.LocalBroker"}},
    "SUBSCRIPTIONS": {},
}
