"""The guarded reader: a call that failed is made up for, whether it was carried out or not."""

from types import SimpleNamespace

import pytest

from streamapp.engine.reading import Reading
from streamapp.exceptions import BrokerUnavailable
from streamapp.records import Shard

SHARD = Shard("orders", "0")


class Reader:
    """Knows what is paused, and fails once where it is told to."""

    def __init__(self) -> None:
        self.paused: set[Shard] = set()
        self.failing = ""

    def pause(self, shards):
        self._do("pause", lambda: self.paused.update(shards))

    def resume(self, shards):
        self._do("resume", lambda: self.paused.difference_update(shards))

    def _do(self, name, action):
        failing = self.failing
        if failing.startswith(name):
            self.failing = ""
        if failing != f"{name} before":
            action()
        if failing.startswith(name):
            raise BrokerUnavailable(failing)


@pytest.fixture
def reader() -> Reader:
    return Reader()


@pytest.fixture
def reading(reader) -> Reading:
    return Reading(SimpleNamespace(reader=lambda subscribing: reader), None, lambda: 0.0)


@pytest.mark.parametrize("failing", ["pause before", "pause after", "resume before", "resume after"])
@pytest.mark.parametrize("wanted", [set(), {SHARD}], ids=["reading", "paused"])
def test_what_is_wanted_next_is_so_in_the_end(reader, reading, failing, wanted):
    if failing.startswith("resume"):
        reading.pause_only({SHARD})
    reader.failing = failing
    with pytest.raises(BrokerUnavailable):
        reading.pause_only({SHARD} - reader.paused)
    reading.pause_only(wanted)
    assert reader.paused == wanted


def test_what_is_so_already_is_not_asked_for_again(reader, reading):
    reading.pause_only({SHARD})
    reader.failing = "pause before"
    reading.pause_only({SHARD})
    assert reader.paused == {SHARD}
