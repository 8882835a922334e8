"""One worker, in a process of its own: what `runconsumers` runs. The polling side hears no notices."""

import sys

from benchmarks import engine
from benchmarks.run import Run


def deafen() -> None:
    """Leave polling alone, as on a database without notices."""
    from streamapp.store.notices import NoticeStore

    NoticeStore.can_hear = property(lambda self: False)  # type: ignore[assignment,method-assign]  # noqa: ARG005


if __name__ == "__main__":
    engine.prepare("benchmarks.rewind.settings")
    if Run.current().side == "poll":
        deafen()
    sys.exit(engine.consume())
