"""The measured handlers: both write one row a record, in one transaction a batch."""

from django.contrib.auth.models import Group
from django.db import transaction

from benchmarks import tally
from benchmarks.tally import Entry, handle
from streamapp import KafkaTopic, subscriber

SOURCE = KafkaTopic(tally.run.stream)


def write(entries: list[Entry]) -> None:
    """Add a row for each record."""
    Group.objects.bulk_create(Group(name=f"{tally.run.name} {entry.id}") for entry in entries)


def count(entries: list[Entry]) -> None:
    """Count what was handled."""
    for entry in entries:
        handle(entry)


@subscriber(SOURCE)
def write_within(entries: list[Entry]) -> None:
    """Write in the transaction that also moves the checkpoint."""
    write(entries)
    count(entries)


@subscriber(SOURCE)
def write_alone(entries: list[Entry]) -> None:
    """Commit a transaction of its own; the checkpoint follows some time."""
    with transaction.atomic():
        write(entries)
    count(entries)
