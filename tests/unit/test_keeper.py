"""What the keeper does for busy lanes."""

from types import SimpleNamespace
from uuid import UUID

from streamapp.engine.gate import Life
from streamapp.engine.holdings import Holdings
from streamapp.engine.keeper import Keeper
from streamapp.engine.shard import Placed
from streamapp.records import Shard
from streamapp.store.checkpoints import Place
from streamapp.store.leases import Taken

OLD, NEW = UUID(int=1), UUID(int=2)


def held(worker: UUID) -> Holdings:
    shard = Shard("orders", "0")
    holdings = Holdings(worker)
    holdings.add({shard: Placed(Taken(1, 1, Place(0)), 0)})
    return holdings


def keeper(holdings: Holdings, life: object) -> Keeper:
    reading = SimpleNamespace(keep_alive=lambda silence: False)
    return Keeper([SimpleNamespace(holdings=holdings, reading=reading)], life, lambda: 50.0)


def generation(holdings: Holdings) -> int:
    [state] = holdings.states.values()
    return state.generation


def test_what_runs_is_void_once_the_life_is_over():
    holdings, life = held(OLD), Life()
    life.begin(10.0)
    keeper(holdings, life).run_once()
    assert generation(holdings) == 1


def test_a_lane_that_comes_back_to_life_at_this_very_moment_is_left_alone():
    """Records of its new shards would be void and never delivered again, because nothing moves."""
    holdings = held(OLD)

    class Reborn(Life):
        def is_over(self, now: float) -> bool:
            over = super().is_over(now)
            holdings.worker = NEW
            return over

    keeper(holdings, Reborn()).run_once()
    assert generation(holdings) == 0
