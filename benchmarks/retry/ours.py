"""One run, in a process of its own."""

import sys

from benchmarks import engine

if __name__ == "__main__":
    engine.prepare("benchmarks.retry.settings")
    sys.exit(engine.run())
