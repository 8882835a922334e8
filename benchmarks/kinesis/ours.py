"""The side of ours on Kinesis. Its clock starts with the first question for records, as the baseline's."""

import itertools
import sys
import time
from typing import Any

from benchmarks import engine, tally


def start_clock_at_first_read(client: Any) -> None:
    """Let the tally begin when the first iterator is asked for."""

    first = itertools.count()

    def begin(**_: Any) -> None:
        if next(first) == 0:
            tally.begin()

    client.meta.events.register("before-call.kinesis.GetShardIterator", begin)


def main() -> int:
    """Read the stream once and return the exit code."""
    from streamapp import registry

    tally.clock_of_processor = time.process_time
    broker: Any = registry.broker("kinesis")
    start_clock_at_first_read(broker.clients.reading())
    return engine.run()


if __name__ == "__main__":
    engine.prepare("benchmarks.kinesis.settings")
    sys.exit(main())
