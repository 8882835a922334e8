"""Publishes records from a process of its own: `python -m tests.unit.local_writer DATABASE STREAM COUNT`."""

import sys

import django
from django.conf import settings


def main(database: str, stream: str, count: str) -> None:
    settings.DATABASES["default"]["NAME"] = database
    django.setup()
    from streamapp.brokers.local import LocalBroker

    broker = LocalBroker("local", {})
    for number in range(int(count)):
        broker.publish(stream, str(number).encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
