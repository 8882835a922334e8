"""What befalls a soak: a deck of blows, shuffled by the seed and dealt again when it is empty."""

import time
from collections import Counter
from collections.abc import Callable
from random import Random

Blow = Callable[[], object]


class Blows:
    """Deals one blow after the other, and what must follow each of them later."""

    def __init__(self, deck: dict[Blow, int], random: Random, pause: tuple[float, float]) -> None:
        self._deck = [blow for blow, count in deck.items() for _ in range(count)]
        self._random = random
        self._pause = pause
        self._left: list[Blow] = []
        self._next = 0.0
        self._later: list[tuple[float, Blow]] = []
        self.counted: Counter[str] = Counter()

    def later(self, seconds: float, action: Blow) -> None:
        """Do something in so many seconds."""
        self._later.append((time.monotonic() + seconds, action))

    def run_once(self) -> None:
        """Do what is due."""
        now = time.monotonic()
        self._follow_up(lambda due: due <= now)
        if now >= self._next:
            self._deal()
            self._next = time.monotonic() + self._random.uniform(*self._pause)

    def end(self) -> None:
        """Do at once what was to be done later."""
        self._follow_up(lambda due: True)

    def _follow_up(self, is_due: Callable[[float], bool]) -> None:
        due = [entry for entry in self._later if is_due(entry[0])]
        self._later = [entry for entry in self._later if entry not in due]
        for _, action in due:
            action()

    def _deal(self) -> None:
        if not self._left:
            self._left = self._random.sample(self._deck, len(self._deck))
        blow = self._left.pop()
        self.counted[getattr(blow, "__name__", "")] += 1
        blow()
