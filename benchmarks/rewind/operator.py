"""Applies a rewind whenever a line comes, and says when: the moment before the transaction begins."""

import sys
import time

from benchmarks import engine

RECORDS = -100


def main() -> None:
    """Plan, apply and answer until the input ends."""
    from streamapp import registry
    from streamapp.services import rewind
    from streamapp.services.targets import Shift

    [name] = registry.mounts()
    for _ in sys.stdin:
        plan = rewind.plan_mounted(name, Shift(RECORDS))
        applied = time.time()
        rewind.apply(plan, origin="benchmark")
        print(applied, flush=True)


if __name__ == "__main__":
    engine.prepare("benchmarks.rewind.settings")
    main()
