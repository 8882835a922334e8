"""The app of the tests with beat's schedule, in which what is rare comes each second."""

import os

from streamapp.contrib.celery import beat_schedule
from tests.celery.project import app as app

OFTEN = {"streamapp.sample_lags": 1.0, "streamapp.prune": 1.0}
app.conf.beat_schedule = {
    name: {**entry, "schedule": OFTEN.get(name, entry["schedule"])} for name, entry in beat_schedule().items()
}
app.conf.beat_schedule_filename = os.environ.get("STREAMAPP_TEST_BEAT", os.devnull)
