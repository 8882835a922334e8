"""A project's own tests: what a service under test does and shows."""

from dataclasses import dataclass

import pytest
from django.db import transaction
from django.test import TestCase, override_settings

from streamapp import BatchContext, Context, KafkaTopic, LocalStream, Outcome, publish, registry, subscriber
from streamapp.brokers.local import LocalBroker
from streamapp.brokers.local.reader import LocalReader
from streamapp.exceptions import BrokerUnavailable
from streamapp.models import Subscription, Worker
from streamapp.models.worker import WorkerState
from streamapp.testing import Service, Unfinished

CALLS: list[object] = []
FAILURES: list[Exception] = []


@dataclass
class Parcel:
    id: int
    to: str = "home"


@subscriber(KafkaTopic("parcels"), retry={"attempts": 3, "backoff": "1m..1h"})
def sort(parcel: Parcel, ctx: Context) -> Outcome | None:
    CALLS.append(parcel.id)
    if FAILURES:
        raise FAILURES.pop()
    if parcel.to == "nowhere":
        return Outcome.drop("no address")
    if parcel.to == "later" and ctx.attempt < 3:
        return Outcome.retry_after(3600)
    if parcel.to == "moon":
        return Outcome.hold("no carrier")
    publish("sorted", {"parcel": parcel.id, "attempt": ctx.attempt}, key="k", headers={"by": "sort"})
    return None


@subscriber(LocalStream("sorted", partitions=2), batch=10)
def count(parcels: list[dict[str, int]], ctx: BatchContext) -> None:
    CALLS.append([parcel["parcel"] for parcel in parcels])


@subscriber(LocalStream("broken"))
def down(parcel: Parcel) -> Outcome:
    raise BrokerUnavailable("for ever")


SETTINGS = {
    "BROKERS": {"kafka": {"BACKEND": "streamapp.brokers.local.LocalBroker"}},
    "SUBSCRIPTIONS": {
        "post.sort": {"HANDLER": f"{__name__}.sort"},
        "post.count": {"HANDLER": f"{__name__}.count"},
        "post.strict": {
            "HANDLER": f"{__name__}.sort",
            "SOURCE": KafkaTopic("strict"),
            "ON_OUT_OF_RANGE": "stop",
        },
        "post.down": {"HANDLER": f"{__name__}.down"},
    },
}


@pytest.fixture(autouse=True)
def mounted():
    CALLS.clear()
    FAILURES.clear()
    with override_settings(STREAMAPP=SETTINGS):
        yield


def unanswered(*_: object) -> None:
    raise BrokerUnavailable("nobody answers")


def outcomes(deliveries) -> list[tuple[int, str, str]]:
    return [(d.record.position, d.outcome.kind.value, d.outcome.reason) for d in deliveries]


@pytest.mark.django_db
class TestOneRun:
    def test_says_how_each_record_was_settled(self):
        with Service("post.sort") as service:
            service.publish("parcels", {"id": 1})
            service.publish("parcels", {"id": 2, "to": "nowhere"})
            service.publish("parcels", {"id": 3, "to": "moon"})
            service.publish("parcels", b"no parcel")
            service.publish("parcels", {"id": 4})
            service.run()
            settled = outcomes(service.settled)
            assert [settled[0], settled[1], settled[3]] == [
                (0, "ack", ""),
                (1, "drop", "no address"),
                (4, "ack", ""),
            ]
            assert settled[2][:2] == (3, "drop")
            assert settled[2][2].startswith("undecodable: DecodeError")
            assert outcomes(service.held) == [(2, "hold", "no carrier")]
            assert [d.record.position for d in service.deliveries] == [0, 1, 2, 3, 4]
            assert service.deliveries[0].record.json() == {"id": 1}
            assert service.checkpoint("post.sort") == 2

    def test_shows_what_was_published(self):
        with Service("post.sort") as service:
            service.publish("parcels", {"id": 1}, key="a", headers={"source": b"shop"})
            service.run()
            (record,) = service.published("sorted")
            assert record.json() == {"parcel": 1, "attempt": 1}
            assert (record.key, record.headers) == (b"k", {"by": b"sort"})
            assert service.published("parcels")[0].headers == {"source": b"shop"}
            assert service.published("never heard of") == []

    def test_makes_streams_as_their_source_says_before_the_first_record(self):
        with Service("post.count") as service:
            places = [service.publish("sorted", {"parcel": number}) for number in range(4)]
            assert {place.shard.id for place in places} == {"0", "1"}

    def test_shows_the_quarantine(self):
        with Service("post.sort") as service:
            place = service.publish("parcels", b"\xff")
            service.run()
            (row,) = service.quarantined
            assert (bytes(row.value), row.position) == (b"\xff", place.position)

    def test_goes_on_until_what_handlers_publish_is_handled_too(self):
        with Service() as service:
            service.publish("parcels", {"id": 7})
            service.run()
            assert CALLS == [7, [7]]
            assert [d.subscription for d in service.settled] == ["post.sort", "post.count"]

    def test_skips_nothing_that_was_published_before_the_first_run(self):
        with Service("post.sort") as service:
            service.publish("parcels", {"id": 1})
            service.run()
        assert CALLS == [1]

    def test_says_which_shard_does_not_come_to_its_end(self):
        with Service("post.strict") as service:
            place = service.publish("strict", {"id": 1, "to": "moon"})
            service.run()
            registry.broker().trim(place.shard, 1)
            service.restart()
            with pytest.raises(Unfinished, match=r"post\.strict: strict/0 was read to 0, its end is 1"):
                service.run(timeout=0.1)

    def test_ends_when_an_outage_never_does(self):
        with Service("post.down") as service:
            service.publish("broken", {"id": 1})
            service.run()
            assert service.waiting[0].attempt == 1
            with pytest.raises(Unfinished, match="broken/0 tries 0 again and again"):
                service.run(advance=True, timeout=0.1)


@pytest.mark.django_db
class TestRetries:
    def test_a_record_waits_until_the_time_is_moved(self):
        FAILURES.append(ValueError("once"))
        with Service("post.sort") as service:
            service.publish("parcels", {"id": 1})
            service.publish("parcels", {"id": 2})
            service.run()
            service.run()
            (waiting,) = service.waiting
            assert (waiting.position, waiting.attempt, waiting.seconds) == (0, 2, 60.0)
            assert (CALLS, service.settled) == ([1], [])

            service.run(advance=True)
            assert CALLS == [1, 1, 2]
            assert [d.attempt for d in service.settled] == [2, 1]
            assert service.waiting == []

    def test_the_time_can_be_moved_to_the_next_attempt_only(self):
        FAILURES.extend([ValueError("again"), ValueError("once")])
        with Service("post.sort") as service:
            service.publish("parcels", {"id": 1})
            service.run()
            service.advance()
            service.run()
            assert [(wait.attempt, wait.seconds) for wait in service.waiting] == [(3, 120.0)]

    def test_the_last_attempt_holds(self):
        FAILURES.extend(ValueError(str(attempt)) for attempt in range(3))
        with Service("post.sort") as service:
            service.publish("parcels", {"id": 1})
            service.run(advance=True)
            assert [(d.attempt, d.outcome.reason) for d in service.held] == [(3, "ValueError('0')")]


@pytest.mark.django_db
class TestLives:
    def test_a_restart_brings_the_held_record_first(self):
        with Service("post.sort") as service:
            for parcel in ({"id": 1}, {"id": 2, "to": "moon"}, {"id": 3}):
                service.publish("parcels", parcel)
            service.run()
            service.restart()
            service.run()
            assert CALLS == [1, 2, 3, 2, 3]
            assert outcomes(service.held) == [(1, "hold", "no carrier")]

    def test_a_crash_brings_again_what_was_not_saved(self):
        with Service("post.sort") as service:
            service.publish("parcels", {"id": 1})
            service.run()
            service.publish("parcels", {"id": 2})
            service.run(save=False)
            assert service.checkpoint("post.sort") == 1
            service.crash()
            service.run()
            assert CALLS == [1, 2, 2]
            assert service.checkpoint("post.sort") == 2

    def test_a_start_handles_nothing_yet(self):
        with Service("post.sort") as service:
            service.publish("parcels", {"id": 1})
            service.crash()
            assert CALLS == []
            service.run()
            assert CALLS == [1]

    def test_a_clean_stop_saves(self):
        with Service("post.sort") as service:
            service.publish("parcels", {"id": 1})
            service.run(save=False)
            service.restart()
            service.run()
        assert CALLS == [1]

    def test_a_service_that_does_not_run_says_so(self):
        with Service("post.sort") as service:
            service.stop()
            with pytest.raises(RuntimeError, match="start"):
                service.run()

    def test_a_start_that_fails_restores_the_settings(self, settings):
        with pytest.raises(LookupError), Service("post.nobody"):
            pass
        assert settings.STREAMAPP is SETTINGS

    def test_a_start_that_fails_closes_what_it_has_opened(self, monkeypatch):
        closed = []
        monkeypatch.setattr(LocalBroker, "inherited", unanswered)
        monkeypatch.setattr(LocalReader, "close", lambda reader: closed.append(reader))
        with pytest.raises(BrokerUnavailable), Service("post.sort"):
            pass
        assert len(closed) == 1
        assert Worker.objects.get().state == WorkerState.DEPARTED


@pytest.mark.django_db
class TestSeveralWorkers:
    def test_share_the_shards(self):
        with Service("post.sort", partitions=2) as one, Service(beside=one) as other:
            for number in range(20):
                one.publish("parcels", {"id": number})
            one.run()
            shares = [{d.record.shard.id for d in service.settled} for service in (one, other)]
            assert sorted(shares, key=sorted) == [{"0"}, {"1"}]
            assert sorted(CALLS) == list(range(20))

    def test_one_takes_over_when_the_other_dies(self):
        with Service("post.sort", partitions=2) as one, Service(beside=one) as other:
            one.run()
            for number in range(20):
                one.publish("parcels", {"id": number})
            one.run(save=False)
            lost = len(one.settled)
            one.die()
            other.run()
            assert lost > 0
            assert len(other.settled) == 20
            assert len(CALLS) == 20 + lost


class TestInDjangosTestCase(TestCase):
    def test_runs_inside_its_transaction(self):
        with Service("post.sort") as service:
            service.publish("parcels", {"id": 1})
            service.run()
            service.crash()
            service.run()
            assert transaction.get_connection().in_atomic_block
            assert service.checkpoint("post.sort") == 1

    def test_leaves_nothing_behind(self):
        assert not Subscription.objects.exists()


@pytest.mark.django_db
def test_a_delayed_record_is_handled_once_the_time_is_moved_on():
    with Service("post.sort") as service:
        service.publish("parcels", {"id": 1, "to": "later"})
        service.run()
        assert CALLS == [1]
        assert [d.outcome.kind for d in service.settled] == ["retry_after"]
        service.run(advance=True)
        assert CALLS == [1, 1, 1]
