"""A handler whose module can't be imported while a release is half done."""

import os

from tests.celery.handlers import count as count

if os.environ.get("STREAMAPP_TEST_RELEASE") == "half done":
    raise RuntimeError("a setting is missing")
