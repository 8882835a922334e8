"""What must be true of every history, record by record, known without looking into the engine."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from streamapp.models import Lease, RewoundShard
from streamapp.store.checkpoints import Save

Life = tuple[int, int]
"""A shard, by its checkpoint, under one epoch: exactly one worker reads it."""


class Wrong(BaseException):
    """A promise was broken. No Exception, because the engine would take it for a handler's failure."""


def claim(true: bool, what: str) -> None:
    if not true:
        raise Wrong(what)


@dataclass
class Model:
    """Is told of every delivery, outcome, move and save, and raises Wrong at a wrong one.

    - Within a life records come without a gap, and the first one stands where the life began.
    - A save never passes a record of its life that is delivered and unsettled, nor one that no
      handler has ever finished, nor does it succeed while another worker has the lease.
    """

    numbered: dict[int, int] = field(default_factory=dict)
    """The partition of each checkpoint."""
    undecodable: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    finished: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    """What handlers have finished, and what somebody decided to skip, by partition."""
    opened: dict[Life, int] = field(default_factory=dict)
    next: dict[Life, int] = field(default_factory=dict)
    unsettled: dict[Life, set[int]] = field(default_factory=lambda: defaultdict(set))
    deliveries: int = 0

    def delivered(self, life: Life, offset: int) -> None:
        self.deliveries += 1
        if life not in self.next:
            self.next[life] = self._began(life, offset)
        due = self._decodable(life, self.next[life])
        claim(offset <= due, f"{life}: {offset} was delivered, {due} was skipped")
        self.next[life] = max(self.next[life], offset + 1)
        self.unsettled[life].add(offset)

    def finish(self, life: Life, offset: int) -> None:
        """Note an ack or a drop; `sought` has forgotten what was delivered before it."""
        self.finished[self.numbered[life[0]]].add(offset)
        self.unsettled[life].discard(offset)

    def sought(self, life: Life, position: int) -> None:
        self.next[life] = position
        self.unsettled[life].clear()
        self.skipped(life[0], position)

    def skipped(self, checkpoint: int, position: int) -> None:
        """Somebody wants nothing from before this position."""
        self.finished[self.numbered[checkpoint]].update(range(position))

    def saved(self, worker: Any, saves: list[Save], moved: set[int]) -> None:
        for save in saves:
            if save.checkpoint in moved:
                self._check(worker, save)

    def _check(self, worker: Any, save: Save) -> None:
        partition = self.numbered[save.checkpoint]
        waiting = self.unsettled[save.checkpoint, save.epoch]
        known = self.finished[partition] | self.undecodable[partition]
        waiting = waiting | (set(range(save.place.position)) - known)
        claim(
            save.place.position <= min(waiting, default=save.place.position),
            f"{save} passed {sorted(waiting)}",
        )
        owner = Lease.objects.get(checkpoint=save.checkpoint).worker_id
        claim(owner in (None, worker), f"{save} of {worker} came through, but {owner} has the lease")

    def _began(self, life: Life, offset: int) -> int:
        """Return where a life began; by REPLAY_FROM it may be anywhere, so there it is not recorded."""
        rewound = RewoundShard.objects.filter(checkpoint=life[0], epoch=life[1]).first()
        began = rewound.new_position if rewound else self.opened.get(life, offset)
        claim(offset >= began, f"{life}: {offset} was delivered, it began at {began}")
        return began

    def _decodable(self, life: Life, position: int) -> int:
        while position in self.undecodable[self.numbered[life[0]]]:
            position += 1
        return position
