"""What a consumer process of the tests runs with: the database, broker and subscription of one test."""

import json
import os

from tests.settings import *  # noqa: F403
from tests.settings import DATABASES

STAGE = json.loads(os.environ["STREAMAPP_STAGE"])
DATABASES["default"] |= STAGE["database"]
STREAMAPP = STAGE["streamapp"]
LOGGING = {
    "version": 1,
    "handlers": {"console": {"class": "logging.StreamHandler"}},
    "root": {"handlers": ["console"], "level": "INFO"},
}
