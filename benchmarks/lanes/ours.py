"""One run, in a process of its own."""

import sys
import time

from benchmarks import engine

if __name__ == "__main__":
    engine.prepare("benchmarks.lanes.settings")
    from benchmarks import tally

    tally.clock_of_processor = time.process_time
    sys.exit(engine.run())
