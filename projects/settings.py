"""Settings of the example site. Without any variable of the environment: SQLite and the local broker."""

from pathlib import Path
from typing import Any

import environ

CHECKOUT = Path(__file__).resolve().parent.parent
env = environ.Env()

SECRET_KEY = env("SECRET_KEY", default="for the example on loopback only")
DEBUG = env.bool("DEBUG", default=False)
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]"]
ROOT_URLCONF = "projects.urls"
STATIC_URL = "/static/"
USE_TZ = True
TIME_ZONE = "UTC"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "streamapp",
    "projects.shipping",
    "projects.ledger",
    "projects.trickle",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
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

DATABASES = {"default": env.db("DATABASE_URL", default=f"sqlite:///{CHECKOUT / 'projects.sqlite3'}")}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # Several processes write to the one file: they must wait for each other instead of failing.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
    SILENCED_SYSTEM_CHECKS = ["streamapp.W001"]

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "loggers": {name: {"handlers": ["stderr"], "level": "INFO"} for name in ("streamapp", "projects")},
}

# Every name at the broker begins with the prefix, so that environments can share a cluster.
STREAMS_PREFIX = env("STREAMS_PREFIX", default="")
SHIPMENTS_BROKER = env("SHIPMENTS_BROKER", default="local")
LEDGER_BROKER = env("LEDGER_BROKER", default="local")
SHIPMENTS_STREAM = f"{STREAMS_PREFIX}shipments"
LEDGER_TOPIC = f"{STREAMS_PREFIX}ledger"
CARD_ENTRIES_TOPIC = f"{STREAMS_PREFIX}card-entries"
PAYOUTS_TOPIC = f"{STREAMS_PREFIX}payouts"

BROKERS: dict[str, Any] = {
    "local": {"BACKEND": "streamapp.brokers.local.LocalBroker", "OPTIONS": {"partitions": 4}},
}
if servers := env("KAFKA_BOOTSTRAP_SERVERS", default=""):
    BROKERS["kafka"] = {
        "BACKEND": "streamapp.brokers.kafka.KafkaBroker",
        "OPTIONS": {"bootstrap.servers": servers},
    }
if endpoint := env("KINESIS_ENDPOINT_URL", default=""):
    # An emulator takes any credentials. On AWS leave them and the endpoint out.
    BROKERS["kinesis"] = {
        "BACKEND": "streamapp.brokers.kinesis.KinesisBroker",
        "OPTIONS": {
            "endpoint_url": endpoint,
            "region_name": "us-east-1",
            "aws_access_key_id": "any",
            "aws_secret_access_key": "any",
        },
    }

STREAMAPP: dict[str, Any] = {
    "BROKERS": BROKERS,
    "SUBSCRIPTIONS": {
        "shipping.ship": {
            "HANDLER": "projects.shipping.streams.ship",
            "BROKER": SHIPMENTS_BROKER,
            "SOURCE": {"stream": SHIPMENTS_STREAM},
            "GROUP": f"{STREAMS_PREFIX}shipping",
            "START_AT": "earliest",
            "DRY_RUN": True,
        },
        "ledger.balances": {
            "HANDLER": "projects.ledger.streams.project_balance",
            "BROKER": LEDGER_BROKER,
            "SOURCE": {"topic": LEDGER_TOPIC},
            "GROUP": f"{STREAMS_PREFIX}balances",
            "STATE": "projects.ledger.state.Balances",
            # The balances live in memory: whatever partition comes, at a start or later, is read whole.
            "REPLAY_FROM": "earliest",
            "REPLAY_SCOPE": "assignment",
            "TRANSACTION": "none",
        },
        "ledger.spend": {
            "HANDLER": "projects.ledger.streams.project_spend",
            "BROKER": LEDGER_BROKER,
            "SOURCE": {"topic": CARD_ENTRIES_TOPIC},
            "GROUP": f"{STREAMS_PREFIX}card-spend",
            "BATCH": 500,
            "START_AT": "earliest",
        },
        "payouts.review": {
            "HANDLER": "projects.ledger.streams.review_payout",
            "BROKER": LEDGER_BROKER,
            "SOURCE": {"topic": PAYOUTS_TOPIC},
            "GROUP": f"{STREAMS_PREFIX}payout-review",
            "REPLAY_FROM": "-7d",
        },
    },
}
