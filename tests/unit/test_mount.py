"""What a mounted subscription asks of its broker."""

import pytest

from streamapp import KafkaTopic
from streamapp.codecs import decoder_for
from streamapp.mount import Mount
from streamapp.registry.handlers import shape_of


def handle(orders: list[str]) -> None: ...


def mounted(batch: int, max_ahead: int = 10_000) -> Mount:
    return Mount(
        name="orders",
        handler=handle,
        shape=shape_of(handle),
        decode=decoder_for(list[str]),
        broker="kafka",
        source=KafkaTopic("orders"),
        group="orders",
        batch=batch,
        max_ahead=max_ahead,
    )


@pytest.mark.parametrize(("batch", "poll"), [(1, 1000), (300, 900), (500, 1000), (4000, 4000)])
def test_a_poll_brings_whole_batches_and_many_small_ones_at_once(batch, poll):
    assert mounted(batch).subscribing().limit == poll


def test_a_poll_is_never_more_than_may_lie_behind_an_unsettled_record():
    assert mounted(500, max_ahead=600).subscribing().limit == 300
