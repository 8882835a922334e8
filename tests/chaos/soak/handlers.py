"""The handlers of a soak: each writes down what it was given, in its own transaction, and is odd at times."""

import json
import os
from random import Random

from django.conf import settings

from streamapp import BatchContext, Context, KafkaTopic, KinesisStream, Outcome, subscriber
from streamapp.models import Checkpoint
from streamapp.positions import At
from streamapp.records import Record
from tests.chaos.soak.models import Effect
from tests.chaos.soak.moods import Mood, fails, mood_of

SEED, CALM = settings.SOAK["seed"], settings.SOAK["calm"]
SOURCE = {"kafka": KafkaTopic("given-by-the-soak"), "kinesis": KinesisStream("given-by-the-soak")}
FURTHEST_BACK = 40
IS_STUBBORN = os.getpid() % 2 == 0
"""Only every other process holds records: else, with workers this young, a closed shard might never end."""
seen: set[tuple[str, int]] = set()
random = Random(os.getpid())
source = SOURCE[settings.SOAK["broker"]]


class Asked(Exception):
    """A failure that the record's mood asks for."""


@subscriber(source)
def exact(record: Record, ctx: Context) -> Outcome | None:
    """Write one effect; with TRANSACTION = "checkpoint" it must be there exactly once."""
    return write_one("exact", record, ctx)


@subscriber(source, batch=20)
def batches(records: list[Record], ctx: BatchContext) -> list[Outcome]:
    """Write an effect for each record that isn't held."""
    moods = [mood("batches", number_of(record)) for record in records]
    if Mood.FAIL in moods:
        raise Asked
    kept = [record for record, each in zip(records, moods, strict=True) if each is not Mood.HOLD]
    Effect.objects.bulk_create(effect("batches", record, ctx) for record in kept)
    return [Outcome.hold("asked to") if each is Mood.HOLD else Outcome.ack() for each in moods]


@subscriber(source)
def moving(record: Record, ctx: Context) -> Outcome | None:
    """Write one effect and sometimes seek back; it is rewound from outside too."""
    return write_one("moving", record, ctx)


@subscriber(source)
def ladder(record: Record, ctx: Context) -> None:
    """Write one effect, and fail only then: what a failed attempt has written must be gone."""
    written = effect("ladder", record, ctx)
    written.save()
    if fails(SEED, written.number, ctx.attempt):
        raise Asked


def write_one(subscription: str, record: Record, ctx: Context) -> Outcome | None:
    written = effect(subscription, record, ctx)
    match mood(subscription, written.number):
        case Mood.HOLD:
            return Outcome.hold("asked to")
        case Mood.FAIL:
            raise Asked
        case Mood.SEEK if subscription == "moving":
            seek_back(record, ctx)
    written.save()
    return None


def seek_back(record: Record, ctx: Context) -> None:
    if (position := back_from(record)) is not None:
        ctx.seek(At(record.shard.id, position, record.shard.stream))


def mood(subscription: str, number: int) -> Mood:
    """Return what is odd about a record the first time that this process has it."""
    if CALM or (subscription, number) in seen:
        return Mood.NONE
    seen.add((subscription, number))
    drawn = mood_of(SEED, subscription, number)
    return Mood.NONE if drawn is Mood.HOLD and not IS_STUBBORN else drawn


def effect(subscription: str, record: Record, ctx: BatchContext) -> Effect:
    """Return the row, with the life of its shard in this worker: an onlooker can't know it otherwise."""
    state = ctx._mover._holdings.states.get(record.shard)
    return Effect(
        subscription=subscription,
        shard=record.shard.id,
        position=record.position,
        number=number_of(record),
        key=(record.key or b"").decode(),
        epoch=state.epoch if state else 0,
        generation=state.generation if state else 0,
        attempt=ctx.attempt,
        process_id=os.getpid(),
    )


def back_from(record: Record) -> int | None:
    """Return where an earlier record stands, if there is one in front of the stored checkpoint.

    A seek to behind it could pass a held record, which would be given up by that.
    """
    row = Checkpoint.objects.get(subscription__name="moving", shard=record.shard.id)
    earlier = Effect.objects.filter(
        subscription="moving",
        shard=record.shard.id,
        position__lt=record.position,
        position__lte=row.position,
    )
    places = list(earlier.order_by("-position").values_list("position", flat=True)[:FURTHEST_BACK])
    return random.choice(places) if places else None


def number_of(record: Record) -> int:
    return int(json.loads(record.value or b"0"))
