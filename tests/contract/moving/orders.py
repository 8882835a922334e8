"""What an operator orders, on a stage."""

from streamapp import Outcome
from streamapp.models import HeldRecord, SkippedRecord
from streamapp.services.actions import Action, Asker, Skip
from streamapp.services.actions.scope import Scope

OPERATOR = Asker("test", reason="the carrier is down")


def scope(stage, partition=None):
    shards = None if partition is None else [stage.log.shard_id(partition)]
    return Scope.of(stage.name, shards)


def order(stage, action: type[Action], partition=None):
    """Do what an operator does; workers see it at their next save."""
    action(scope(stage, partition)).do(OPERATOR)


def ready(stage, **options):
    """A worker that has handled and saved everything."""
    worker = stage.start(start_at="earliest", **options)
    stage.run()
    stage.save()
    worker.forget()
    return worker


def rounds(stage, number=8):
    """Let all workers run, save and look around, whatever they have to do."""
    for _ in range(number):
        for worker in stage.workers:
            worker.run_once()
            worker.save()


def holding(worker, *values, times=9):
    """Let a handler hold these records whenever they are delivered."""
    for value in values:
        worker.when(value, *[lambda ctx: Outcome.hold("no carrier")] * times)


def held(stage, partition=0):
    """The rows of the held records of one partition, in order."""
    rows = HeldRecord.objects.filter(checkpoint__subscription__name=stage.name).order_by("position")
    shard = stage.log.shard_id(partition)
    return list(rows.filter(checkpoint__shard=shard).select_related("checkpoint__subscription"))


def skip(stage, place, partition=0):
    """Order the held record at a place to be skipped."""
    [row] = [
        row for row in held(stage, partition) if stage.log.place(row.checkpoint.key, row.position) == place
    ]
    Skip(row.checkpoint, row.position).do(OPERATOR)
    return SkippedRecord.objects.get(checkpoint=row.checkpoint, position=row.position, ended_at=None)
