"""What a handler may move from within a task."""

from streamapp import registry
from streamapp.exceptions import NotAssigned
from streamapp.mount import Mount
from streamapp.positions import Position
from streamapp.services.from_handler import rewind_from_handler


class TaskMoves:
    """A task reads no shard, so it can rewind its subscription but not seek."""

    def __init__(self, mount: Mount) -> None:
        self._mount = mount

    def seek(self, position: Position) -> None:
        """Raise NotAssigned."""
        raise NotAssigned(
            f"Can't seek to {position}: a Celery task reads no shard. Use ctx.rewind, which moves the "
            "subscription on all workers."
        )

    def rewind(self, position: Position) -> None:
        """Move the checkpoints of the whole subscription, in the handler's transaction."""
        rewind_from_handler(self._mount, registry.broker(self._mount.broker), position)
