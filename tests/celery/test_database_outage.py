"""A database that goes away while a task runs: nothing is lost, nothing counts, and effects happen once."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import Group
from django.db import connection

from streamapp.models import DeadLetter, DelayedRecord
from tests.processes.conftest import await_true
from tests.processes.proxy import Proxy

pytestmark = [pytest.mark.live("redis", "postgres"), pytest.mark.alone, pytest.mark.timeout(240)]
LINGER = {"HANDLER": "tests.celery.handlers.linger"}
OUTAGE = "Outage, the record is delivered again."


@pytest.fixture
def way() -> Iterator[Proxy]:
    """Return the way of the Celery workers to PostgreSQL."""
    there = connection.settings_dict
    proxy = Proxy(there["HOST"], int(there["PORT"]))
    yield proxy
    proxy.close()


def working(stage, way, *records, **entry):
    """Have a worker in the middle of the first call of its handler."""
    made = stage(**LINGER, **entry)
    made.consume(*records)
    made.database = {"HOST": "127.0.0.1", "PORT": way.port}
    made.work()
    await_true(made.calls, "the first call")
    return made


def names() -> list[str]:
    return sorted(Group.objects.values_list("name", flat=True))


def test_writes_of_a_call_whose_database_goes_away_happen_once(stage, way):
    stage = working(stage, way, {"id": 1, "seconds": 1.0}, {"id": 2, "seconds": 0})
    way.cut()
    await_true(lambda: stage.said(OUTAGE), "the outage")
    assert names() == []
    way.mend()
    stage.await_handled(1, 2)
    await_true(lambda: names() == ["order 1", "order 2"], "the rows")
    assert {call["attempt"] for call in stage.calls()} == {1}
    assert not DeadLetter.objects.exists()


def test_while_the_database_is_down_nothing_is_settled_and_no_attempt_is_counted(stage, way):
    stage = working(stage, way, {"id": 1, "seconds": 1.0})
    way.cut()
    await_true(lambda: stage.said(OUTAGE) > 2, "three outages", 60)
    assert (names(), len(stage.calls())) == ([], 1)
    way.mend()
    await_true(lambda: names() == ["order 1"], "the row", 40)
    assert [call["attempt"] for call in stage.calls()] == [1, 1]


def test_a_hold_that_can_not_be_written_is_written_when_the_database_is_back(stage, way):
    entry = {"TRANSACTION": "none"}
    stage = working(stage, way, {"id": 1, "seconds": 1.0, "hold": True}, **entry)
    way.cut()
    await_true(lambda: stage.said(OUTAGE), "the outage")
    assert not DelayedRecord.objects.exists()
    way.mend()
    row = await_true(DelayedRecord.objects.first, "the held record", 40)
    assert (row.due_at, row.held_reason, row.attempt) == (None, "asked to", 1)


def test_connections_that_the_database_ends_cost_no_attempt(stage, way):
    stage = working(stage, way, {"id": 1, "seconds": 1.0})
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    await_true(lambda: names() == ["order 1"], "the row", 40)
    assert [call["attempt"] for call in stage.calls()] == [1, 1]
