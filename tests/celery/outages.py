"""What a record must outlive when the Celery broker doesn't take its task."""

from collections.abc import Callable

from streamapp.models import Checkpoint
from streamapp.testing import Service


def position() -> int:
    """Return where the checkpoint of the only shard stands."""
    return Checkpoint.objects.get().position


def check_outage(begin: Callable[[], None], end: Callable[[], None]) -> None:
    """Check that a record is neither settled nor held as long as the outage takes, and is taken after it."""
    with Service("orders") as service:
        service.publish("orders", {"id": 1})
        service.run()
        service.publish("orders", {"id": 2})
        begin()
        service.run()
        assert (position(), service.held) == (1, [])
        end()
        service.run(advance=True)
    assert position() == 2
