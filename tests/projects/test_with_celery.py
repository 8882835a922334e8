"""The example with Celery: started as docs/celery.md says, in a database and a queue of its own."""

import os
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest

from tests.projects.waiting import until

pytestmark = [pytest.mark.live("redis"), pytest.mark.timeout(180)]
CHECKOUT = Path(__file__).resolve().parents[2]
PUBLISH = """
from projects.shipping.models import Carrier
from projects.shipping.streams import Shipment
from streamapp import publish
Carrier.objects.get_or_create(code="heron")
for number, carrier in ((1, "heron"), (2, "osprey")):
    publish("shipments", Shipment(number, "a", carrier), broker="local")
"""
LOOK = """
from projects.shipping.models import Booking
from streamapp.models import DelayedRecord
print([booking.shipment_id for booking in Booking.objects.all()],
      [record.held_reason for record in DelayedRecord.objects.all()])
"""


class Site:
    """The example in one directory."""

    def __init__(self, directory: Path) -> None:
        own = {
            "DJANGO_SETTINGS_MODULE": "projects.with_celery.settings",
            "DATABASE_URL": f"sqlite:///{directory / 'site.sqlite3'}",
            "CELERY_QUEUE": f"projects-{uuid4().hex[:8]}",
            "PYTHONPATH": str(CHECKOUT),
        }
        self._environment = {**os.environ, **own}
        self._directory = directory

    def run(self, *arguments: str) -> str:
        command = [sys.executable, str(CHECKOUT / "manage.py"), *arguments]
        return subprocess.run(
            command, cwd=self._directory, env=self._environment, check=True, capture_output=True, text=True
        ).stdout

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, *arguments]
        return subprocess.Popen(command, cwd=self._directory, env=self._environment)


def test_shipments_are_booked_by_a_celery_worker_and_an_unknown_carrier_is_held(tmp_path):
    site = Site(tmp_path)
    site.run("check")
    site.run("migrate")
    site.run("shell", "-c", PUBLISH)
    worker = ("-m", "celery", "-A", "projects.with_celery.app", "worker", "--beat", "-P", "solo")
    started = [
        site.start(str(CHECKOUT / "manage.py"), "runconsumers", "shipping.ship"),
        site.start(*worker),
    ]
    try:
        until(lambda: "[1] ['unknown carrier osprey']" in site.run("shell", "-c", LOOK), 90)
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait(30)
