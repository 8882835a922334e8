"""What the processes of a soak run with: its own servers, four subscriptions, a table of effects."""

import json
import os

from tests.settings import *  # noqa: F403
from tests.settings import DATABASES, INSTALLED_APPS

SOAK = json.loads(os.environ["STREAMAPP_SOAK"])
DATABASES["default"] |= SOAK["database"]
INSTALLED_APPS = [*INSTALLED_APPS, "tests.chaos.soak"]
STREAMAPP = SOAK["streamapp"]
LOGGING = {
    "version": 1,
    "formatters": {"plain": {"format": "%(asctime)s %(threadName)s %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["console"], "level": "INFO"},
}
