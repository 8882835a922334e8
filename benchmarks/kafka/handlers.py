"""The measured handlers."""

from benchmarks import tally
from benchmarks.kafka.client import SHORT_QUEUE
from benchmarks.tally import Entry, handle
from streamapp import BatchContext, Context, KafkaPosition, KafkaTopic, subscriber

SOURCE = KafkaTopic(tally.run.stream)
SAVING_MEMORY = KafkaTopic(tally.run.stream, client=SHORT_QUEUE)

handle_record = subscriber(SOURCE)(handle)


@subscriber(SOURCE)
def handle_batch(entries: list[Entry]) -> None:
    """Handle a batch as the baseline handles what one `consume` has brought."""
    for entry in entries:
        handle(entry)


@subscriber(SAVING_MEMORY)
def handle_record_again(entry: Entry, ctx: Context) -> None:
    """Handle a record, and read everything once more after the last one."""
    handle(entry)
    if tally.seen % tally.run.records == 0:
        ctx.seek(KafkaPosition.earliest())


@subscriber(SAVING_MEMORY)
def handle_batch_again(entries: list[Entry], ctx: BatchContext) -> None:
    """Handle a batch, and read everything once more after the last one."""
    handle_batch(entries)
    if tally.seen % tally.run.records == 0:
        ctx.seek(KafkaPosition.earliest())
