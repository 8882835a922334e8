"""The side of ours on Kafka."""

import sys

from benchmarks import engine

if __name__ == "__main__":
    engine.prepare("benchmarks.kafka.settings")
    sys.exit(engine.run())
