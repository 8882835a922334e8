"""Workers live by the database's clock; only leases of the dead and departed are taken: faults 10, 13, 14."""

import pytest

from streamapp.models import Worker
from tests.contract.store.conftest import TTL

pytestmark = pytest.mark.django_db


def test_a_living_worker_renews(rows):
    worker = rows.worker()
    assert rows.store.workers.renew(worker, TTL)


def test_a_renewal_whose_reply_was_lost_can_be_sent_again(rows):
    worker = rows.worker()
    rows.store.workers.renew(worker, TTL)
    assert rows.store.workers.renew(worker, TTL)


def test_a_worker_that_was_declared_dead_never_renews_again(rows):
    worker = rows.worker()
    rows.silence(worker)
    assert rows.store.workers.bury() == 1
    Worker.objects.filter(id=worker).update(heartbeat_at="2999-01-01T00:00:00Z")
    assert not rows.store.workers.renew(worker, TTL)


def test_a_worker_silent_for_longer_than_its_ttl_does_not_renew_even_if_nobody_noticed(rows):
    worker = rows.worker()
    rows.silence(worker)
    assert not rows.store.workers.renew(worker, TTL)


def test_only_workers_past_their_own_ttl_are_buried(rows):
    rows.worker()
    assert rows.store.workers.bury() == 0


def test_two_workers_of_one_host_and_process_id_are_two(rows):
    """Containers share both (fault 13): exactly one holds the lease, the other's writes fail."""
    one, other = rows.worker(), rows.worker()
    assert one != other
    assert len(rows.store.leases.take_free(one, rows.ids, 2)) == 2
    assert rows.store.leases.take_free(other, rows.ids, 2) == []
    assert rows.owner() == one


def test_a_free_shard_is_taken_from_nobody_the_dead_and_the_departed_only(rows):
    living, dead, departed, taker = (rows.worker() for _ in range(4))
    rows.store.leases.take(living, rows.ids[:1])
    assert rows.store.leases.take_free(taker, rows.ids[:1], 1) == []

    rows.store.leases.take(dead, rows.ids[:1])
    rows.silence(dead)
    assert rows.store.leases.take_free(taker, rows.ids[:1], 1) == [], "silent, but not yet marked dead"
    rows.store.workers.bury()
    assert len(rows.store.leases.take_free(taker, rows.ids[:1], 1)) == 1

    rows.store.leases.take(departed, rows.ids[1:])
    rows.store.workers.depart(departed)
    assert len(rows.store.leases.take_free(taker, rows.ids[1:], 1)) == 1


def test_releasing_leaves_what_somebody_else_has_taken(rows):
    old, new = rows.worker(), rows.worker()
    rows.store.leases.take(old, rows.ids)
    rows.store.leases.take(new, rows.ids[:1])
    rows.store.leases.release(old, rows.ids)
    assert (rows.owner(0), rows.owner(1)) == (new, None)


def test_only_living_workers_that_run_the_subscription_count_for_the_shares(rows):
    running, departed, dead = rows.worker(), rows.worker(), rows.worker()
    rows.store.workers.register(["something else"], TTL)
    rows.store.workers.depart(departed)
    rows.silence(dead)
    rows.store.workers.bury()
    assert rows.store.workers.running("orders") == [running]
