"""A worker's life and its ends: fault 14, and what follows a goodbye."""

import pytest

from streamapp.engine.gate import Gate, Life
from streamapp.engine.heartbeat import Heartbeat
from streamapp.models import Worker
from streamapp.store import Store
from streamapp.store.clock import ago

pytestmark = pytest.mark.django_db
TTL = 12.0


class Clock:
    """Seconds that pass when the test says so."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def heartbeat(clock) -> Heartbeat:
    heartbeat = Heartbeat(["orders"], TTL, Store("default"), clock)
    heartbeat.beat()
    return heartbeat


def test_a_renewal_counts_from_the_moment_it_was_sent(heartbeat, clock):
    clock.now += 5
    heartbeat.beat()
    assert heartbeat.life.until == 1005 + TTL


def test_a_worker_past_its_ttl_starts_no_call_and_comes_back_under_a_new_identity(heartbeat, clock):
    gate, old = Gate(heartbeat.life, clock), heartbeat.identity
    assert gate.enter()
    clock.now += TTL
    assert not gate.enter()
    heartbeat.beat()
    assert heartbeat.identity != old
    assert gate.enter()
    assert Worker.objects.get(id=old).state == "departed"


def test_a_worker_that_others_declared_dead_comes_back_under_a_new_identity(heartbeat):
    old = heartbeat.identity
    Worker.objects.filter(id=old).update(state="dead")
    heartbeat.beat()
    assert heartbeat.identity != old
    assert Worker.objects.get(id=old).state == "dead"


def test_a_life_that_was_found_to_be_over_is_not_prolonged_by_a_late_reply():
    life = Life()
    life.begin(10.0)
    assert life.is_over(10.0)
    assert not life.prolong(99.0)
    assert life.is_over(0.0)


def test_whoever_comes_marks_the_killed_ones_dead_so_that_they_are_forgotten_one_day(heartbeat):
    """In a consumer group nobody needs a dead worker's leases, so nobody else would mark it."""
    killed = heartbeat.identity
    Worker.objects.filter(id=killed).update(heartbeat_at=ago(2 * TTL))
    Heartbeat(["orders"], TTL, Store("default"), lambda: 0.0).beat()
    assert Worker.objects.get(id=killed).state == "dead"


def test_no_beat_follows_the_goodbye(heartbeat):
    heartbeat.depart()
    heartbeat.beat()
    assert [worker.state for worker in Worker.objects.all()] == ["departed"]


def test_while_the_database_is_down_life_runs_on_towards_its_end(heartbeat, clock, monkeypatch):
    from django.db import OperationalError

    def fail(*_: object) -> bool:
        raise OperationalError("server closed the connection")

    monkeypatch.setattr(heartbeat._store.workers, "renew", fail)
    until = heartbeat.life.until
    clock.now += 3
    assert not heartbeat.beat()
    assert heartbeat.life.until == until
