"""The catalogue of metrics, and what is counted into it."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from streamapp.engine.calls import Calls
from streamapp.engine.shard import Placed, ShardState
from streamapp.engine.work import Work
from streamapp.observability import metrics
from streamapp.observability.metrics import BOUNDS, CATALOGUE, Kind
from streamapp.observability.prometheus import CatalogueCollector
from streamapp.observability.tally import Tally
from streamapp.records import Shard
from streamapp.store.checkpoints import Place
from streamapp.store.leases import Taken

DOCS = Path(__file__).parents[2] / "docs" / "metrics.md"


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


class Chunk:
    """Ten records from 0 on."""

    end = 10

    def __len__(self):
        return 10

    def position(self, index):
        return index


@pytest.fixture
def part():
    state = ShardState(Shard("orders", "0"), Placed(Taken(1, 1, Place(0)), 0))
    state.restart()
    return state.register(Chunk())


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def tally():
    return Tally()


def calls(tally, clock, *, is_batch=False):
    return Calls(SimpleNamespace(shape=SimpleNamespace(is_batch=is_batch)), tally, clock)


def counted(tally):
    return tally.counts()[metrics.RECORDS_HANDLED], sum(tally.seconds()[0]), tally.seconds()[1]


def settling(part, clock, seconds, left=None):
    def handle(work):
        clock.now += seconds
        part.span.settle_all(part.indexes)
        return left

    return handle


def test_single_records_count_each_with_their_mean(tally, clock, part):
    calls(tally, clock).handle(Work((part,)), settling(part, clock, 2.0))
    assert counted(tally) == (10, 10, 2.0)
    assert tally.seconds()[0][BOUNDS.index(0.25)] == 10


def test_a_batch_is_one_call(tally, clock, part):
    calls(tally, clock, is_batch=True).handle(Work((part,)), settling(part, clock, 2.0))
    assert counted(tally) == (10, 1, 2.0)


def test_what_is_retried_was_called_and_is_not_handled(tally, clock, part):
    left = Work((part.rest([9]),), 2, clock() + 5)
    calls(tally, clock).handle(Work((part,)), settling(part, clock, 1.0, left))
    assert counted(tally) == (9, 10, 1.0)


@pytest.mark.parametrize("is_batch", [False, True])
def test_what_the_gate_has_stopped_was_not_called(tally, clock, part, is_batch):
    work = Work((part,))
    calls(tally, clock, is_batch=is_batch).handle(work, lambda work: work)
    assert counted(tally)[:2] == (0, 0)


def test_outcomes_that_a_move_has_voided_are_none(tally, clock, part):
    def handle(work):
        part.span.settle_all([0, 1, 2])
        part.state.void()

    calls(tally, clock).handle(Work((part,)), handle)
    assert counted(tally)[0] == 3


def test_a_call_that_raises_leaves_nothing_behind(tally, clock, part):
    lanes = calls(tally, clock)
    with pytest.raises(ZeroDivisionError):
        lanes.handle(Work((part,)), lambda work: 1 / 0)
    assert lanes.running() == []


def test_a_record_is_at_hand_from_when_the_one_before_it_was_passed(tally, clock, part):
    lanes = calls(tally, clock)
    running = lanes._begin(Work((part,)), None)
    clock.now += 5
    assert running.look(clock())[1] == 0 and running.since == 100
    part.span.settle_all([0, 1])
    part.span.hold(2)
    clock.now += 5
    assert running.look(clock())[1] == 3 and running.since == 110
    clock.now += 5
    assert running.look(clock())[1] == 3 and running.since == 110


def exported(samples=(), tallies=()):
    registry = CollectorRegistry()
    registry.register(CatalogueCollector(lambda: samples, lambda: tallies))
    return generate_latest(registry).decode()


def test_every_metric_of_the_catalogue_is_told_with_its_meaning_even_without_samples():
    text = exported()
    for metric in CATALOGUE:
        assert f"# HELP {metric.name} {metric.meaning}" in text
        assert f"# TYPE {metric.name} {metric.kind}" in text


def test_counters_begin_at_nothing_and_histograms_add_up(tally):
    tally.handled(3, 2, 0.04)
    text = exported(tallies=[("orders", tally)])
    assert 'streamapp_rewinds_total{subscription="orders"} 0.0' in text
    assert 'streamapp_records_handled_total{subscription="orders"} 3.0' in text
    assert 'streamapp_handler_seconds_bucket{le="0.025",subscription="orders"} 2.0' in text
    assert 'streamapp_handler_seconds_bucket{le="0.01",subscription="orders"} 0.0' in text
    assert 'streamapp_handler_seconds_sum{subscription="orders"} 0.04' in text


def test_names_follow_the_conventions_of_prometheus():
    for metric in CATALOGUE:
        assert metric.name.startswith("streamapp_")
        assert metric.name.endswith("_total") == (metric.kind is Kind.COUNTER)


def test_the_docs_explain_every_metric():
    page = DOCS.read_text()
    assert [metric.name for metric in CATALOGUE if f"| `{metric.name}` |" not in page] == []


def test_without_the_library_all_but_the_export_works_and_the_option_says_what_to_install():
    code = """
import sys
sys.modules["prometheus_client"] = None
import django
django.setup()
from streamapp.exceptions import ConfigurationError
from streamapp.management.running.ports import Ports, listening
with listening(None, Ports("127.0.0.1", 0, None), 12.0):
    pass
try:
    with listening(None, Ports("127.0.0.1", None, 0), 12.0):
        pass
except ConfigurationError as error:
    assert "pip install 'django-streamapp[prometheus]'" in str(error), error
else:
    raise AssertionError("not refused")
"""
    environment = {"DJANGO_SETTINGS_MODULE": "tests.settings"}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, timeout=60)
