"""The measured handler."""

from benchmarks import tally
from benchmarks.tally import handle
from streamapp import KinesisStream, subscriber

handle_record = subscriber(KinesisStream(tally.run.stream))(handle)
