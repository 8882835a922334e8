"""One look at each of many shards, several at a time."""

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial

from streamapp.brokers.looking import FIRST_SIZE, Glance, Limits, Peeked
from streamapp.exceptions import BrokerUnavailable, InvalidPosition
from streamapp.records import Shard

AT_ONCE = 16
SHORTEST = 0.05

Peek = Callable[[Shard, int, Limits], Peeked]
Looked = Mapping[Shard, Future[Glance | None]]


def look_at_each(peek: Peek, places: Mapping[Shard, int], seconds: float) -> dict[Shard, Glance]:
    """Look for one record of each shard; what isn't there in time is left out.

    Blocks for as long as asked, and then for what the calls under way still take. Raises BrokerUnavailable
    if that is all that was answered.
    """
    look = partial(_look, peek, time.monotonic() + seconds)
    with ThreadPoolExecutor(AT_ONCE, "streamapp-look") as pool:
        looked = {shard: pool.submit(look, shard, at) for shard, at in places.items()}
        wait(looked.values())
    found = dict(_answered(looked))
    errors = [error for each in looked.values() if (error := each.exception()) is not None]
    if errors and not found:
        raise errors[0]
    return found


def _look(peek: Peek, until: float, shard: Shard, position: int) -> Glance | None:
    left = until - time.monotonic()
    if left < SHORTEST:
        return None
    try:
        return peek(shard, position, Limits(1, FIRST_SIZE, left))
    except InvalidPosition as error:
        return error


def _answered(looked: Looked) -> Iterator[tuple[Shard, Glance]]:
    for shard, each in looked.items():
        if not isinstance(each.exception(), BrokerUnavailable) and (glance := each.result()) is not None:
            yield shard, glance
