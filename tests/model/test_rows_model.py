"""Workers, leases and checkpoints against a reference that a page describes: who may write what."""

from dataclasses import dataclass, replace
from itertools import count

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from streamapp.models import Checkpoint, Lease, Subscription, Worker
from streamapp.records import Shard
from streamapp.store import Store
from streamapp.store.checkpoints import Exchange, Place, Save
from streamapp.store.clock import ClockNow
from streamapp.store.rewinds import Move, RewindStore

TTL = 12.0
NUMBERS = count()
PLAYERS = st.integers(0, 2)


@dataclass(frozen=True)
class Belief:
    """What a worker thinks it holds."""

    epoch: int
    place: Place


class Rows(RuleBasedStateMachine):
    """Three workers and one shard. `true_*` is the reference; the rows must say the same after every step."""

    def __init__(self):
        super().__init__()
        self.store = Store("default")
        name = f"model {next(NUMBERS)}"
        self.subscription = Subscription.objects.create(name=name, started_at=ClockNow()).pk
        shard = Shard(name, "0")
        self.store.checkpoints.create(self.subscription, {shard: 100})
        self.row = self.store.checkpoints.known(self.subscription)[shard]
        self.true_epoch, self.true_place, self.true_owner = 0, Place(100), None
        self.true_revision = 0
        self.players = [self.born() for _ in range(3)]
        self.alive = dict.fromkeys(self.players, True)
        self.beliefs: dict[int, Belief] = {}

    def born(self):
        return self.store.workers.register(["model"], TTL)

    # Leases.

    @rule(player=PLAYERS, learns=st.booleans())
    def take_free(self, player, learns):
        """A worker takes the lease if nobody that lives has it; the reply may be lost."""
        worker = self.players[player]
        may = self.true_owner in (None, worker) or not self.alive[self.true_owner]
        taken = self.store.leases.take_free(worker, [self.row], 1)
        assert bool(taken) == may
        self.took(player, taken, learns)

    @rule(player=PLAYERS, learns=st.booleans())
    def take_by_assignment(self, player, learns):
        self.took(player, self.store.leases.take(self.players[player], [self.row]), learns)

    def took(self, player, taken, learns):
        for lease in taken:
            self.true_epoch += 1
            self.true_owner = self.players[player]
            assert (lease.epoch, lease.place) == (self.true_epoch, self.true_place)
            if learns:
                self.beliefs[player] = Belief(lease.epoch, lease.place)

    @rule(player=PLAYERS)
    def release(self, player):
        self.store.leases.release(self.players[player], [self.row])
        if self.true_owner == self.players[player]:
            self.true_owner = None

    # Workers.

    @rule(player=PLAYERS)
    def fall_silent_and_be_buried(self, player):
        Worker.objects.filter(id=self.players[player]).update(heartbeat_at="2000-01-01T00:00:00Z")
        self.store.workers.bury()
        self.alive[self.players[player]] = False

    @rule(player=PLAYERS)
    def renew(self, player):
        """A renewal that comes too late revives nobody."""
        worker = self.players[player]
        assert self.store.workers.renew(worker, TTL) == self.alive[worker]

    @rule(player=PLAYERS)
    def come_back(self, player):
        """Under a new identity; what it believed it may still try to write."""
        self.players[player] = self.born()
        self.alive[self.players[player]] = True

    # Writes.

    @rule(player=PLAYERS, by=st.integers(-20, 20), first=st.booleans(), learns=st.booleans())
    def save(self, player, by, first, learns):
        if not (belief := self.beliefs.get(player)):
            return
        place = Place(max(0, belief.place.position + by))
        moved = self.store.checkpoints.save([Save(self.row, belief.epoch, place, first)])
        forwards = place.position > self.true_place.position
        says_more = place.position == self.true_place.position and place.settled != self.true_place.settled
        may = belief.epoch == self.true_epoch and (first or forwards or says_more)
        self.wrote(player, place, bool(moved), may, learns)

    @rule(player=PLAYERS, by=st.integers(0, 20), settled=st.sampled_from(["", "2+1"]), learns=st.booleans())
    def exchange(self, player, by, settled, learns):
        if not (belief := self.beliefs.get(player)):
            return
        place = Place(belief.place.position + by, settled)
        moved = self.store.checkpoints.exchange([Exchange(self.row, belief.epoch, belief.place, place)])
        may = belief.epoch == self.true_epoch and belief.place == self.true_place
        self.wrote(player, place, bool(moved), may, learns)

    def wrote(self, player, place, moved, may, learns):
        assert moved == may
        if moved:
            self.true_place = place
            if learns:
                self.beliefs[player] = replace(self.beliefs[player], place=place)

    @rule(player=PLAYERS)
    def read_back(self, player):
        """What the engine does after a write that was refused or whose reply was lost."""
        if player not in self.beliefs:
            return
        [found] = self.store.checkpoints.read([self.row])
        if found.worker == self.players[player] and found.epoch >= self.beliefs[player].epoch:
            self.beliefs[player] = Belief(found.epoch, found.place)
        else:
            del self.beliefs[player]

    # Operators.

    @rule(position=st.integers(0, 200))
    def rewind(self, position):
        move = Move(self.row, "model/0", self.true_revision, position)
        RewindStore("default", str).apply(
            self.subscription, [move], timezone.now(), target="x", origin="test"
        )
        self.true_epoch, self.true_revision = self.true_epoch + 1, self.true_revision + 1
        self.true_place = Place(position)

    # What must hold.

    @invariant()
    def the_rows_say_what_the_reference_says(self):
        row = Checkpoint.objects.get(id=self.row)
        owner = Lease.objects.get(checkpoint=self.row).worker_id
        found = (row.epoch, Place(row.position, row.settled), row.revision, owner)
        assert found == (self.true_epoch, self.true_place, self.true_revision, self.true_owner)

    @invariant()
    def differences_tell_a_worker_what_it_lost(self):
        for player, belief in self.beliefs.items():
            worker = self.players[player]
            told = self.store.checkpoints.differences(worker, {self.row: belief.epoch})
            assert bool(told) == (belief.epoch != self.true_epoch or worker != self.true_owner)


TestRows = pytest.mark.timeout(300)(pytest.mark.django_db(Rows.TestCase))
TestRows.settings = settings(
    max_examples=60, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
)
