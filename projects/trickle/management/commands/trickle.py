"""`manage.py trickle`: publish sample records, a few a second."""

import time
from argparse import ArgumentParser
from itertools import islice
from random import randrange
from typing import Any

from django.core.management.base import BaseCommand

from projects.trickle.records import outgoing
from streamapp import publish


class Command(BaseCommand):
    help = "Publishes sample shipments, entries and payouts, until Ctrl-C or for so many records."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--records", type=int, metavar="N", help="Stop after so many. Default: never.")
        parser.add_argument("--rate", type=float, metavar="N", help="Records a second. Default: all at once.")
        parser.add_argument("--seed", type=int, metavar="N", help="The same seed publishes the same records.")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        seed = randrange(1_000_000) if options["seed"] is None else options["seed"]
        self.stdout.write(f"Publishing with --seed {seed}")
        published = 0
        try:
            for record in islice(outgoing(seed), options["records"]):
                publish(record.destination, record.value, key=record.key, broker=record.broker)
                published += 1
                if options["rate"]:
                    time.sleep(1 / options["rate"])
        except KeyboardInterrupt:
            self.stdout.write("")
        self.stdout.write(f"Published {published} records.")
