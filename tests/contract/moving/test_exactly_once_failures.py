"""TRANSACTION = "checkpoint": what a transaction can't hold, and commits that the database refuses."""

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import Group, Permission
from django.db import connections

from streamapp import Outcome
from tests.contract.moving.places import places
from tests.contract.moving.stage import AT_ONCE
from tests.contract.moving.test_exactly_once import KINDS, Effects, exact

ELSEWHERE = "elsewhere"
WRITES = [
    "INSERT INTO auth_group (name) VALUES ('x')",
    "/* by raw SQL */ INSERT INTO auth_group (name) VALUES ('x')",
    "-- by raw SQL\nDELETE FROM auth_group",
    "WITH old AS (SELECT id FROM auth_group) DELETE FROM auth_group WHERE id IN (SELECT id FROM old)",
    "CREATE TABLE another (id integer)",
]
READS = [
    "SELECT count(*) FROM auth_group",
    "WITH old AS (SELECT id FROM auth_group) SELECT count(*) FROM old",
    "/* UPDATE nothing */ SELECT count(*) FROM auth_group",
]


@pytest.fixture
def effects(stage):
    return Effects(stage)


@pytest.fixture(autouse=True)
def tables_elsewhere():
    """The handlers run in the thread of the test, which therefore sees the same memory.

    The table is there already in a run with tests that ask for the whole database.
    """
    made = Group._meta.db_table not in connections[ELSEWHERE].introspection.table_names()
    if made:
        with connections[ELSEWHERE].schema_editor() as editor:
            editor.create_model(Group)
    yield
    if not made:
        Group.objects.using(ELSEWHERE).all().delete()
        return
    with connections[ELSEWHERE].schema_editor() as editor:
        editor.delete_model(Group)


def reacting(kind, react):
    """Return the reaction as this kind of handler calls it."""
    return sync_to_async(react) if kind.startswith("async") else react


def execute(sql):
    with connections[ELSEWHERE].cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall() if cursor.description else []


@pytest.mark.parametrize("kind", KINDS)
def test_a_write_to_another_database_is_refused_and_says_what_to_do(stage, effects, kind, caplog):
    worker = exact(stage, effects, kind=kind, writing=[])

    def write(ctx):
        effects.write(ctx, "0@2")
        Group.objects.using(ELSEWHERE).create(name=stage.name)

    worker.when("0@2", reacting(kind, write))
    stage.run()
    stage.save()
    assert effects.all() == []
    assert not Group.objects.using(ELSEWHERE).filter(name=stage.name).exists()
    assert stage.stored()["0"] == (2 if kind == "record" else 0)
    assert "WroteElsewhere" in caplog.text
    assert "wrote to the database 'elsewhere', and its transaction is on 'default'" in caplog.text


@pytest.mark.parametrize("sql", WRITES)
def test_a_write_by_raw_sql_is_refused_too(stage, effects, sql):
    worker = exact(stage, effects, writing=[])
    worker.when("0@2", lambda ctx: execute(sql))
    stage.run()
    stage.save()
    assert stage.held() == [("0", 2)]


@pytest.mark.parametrize("sql", READS)
def test_another_database_may_be_read(stage, effects, sql):
    worker = exact(stage, effects)
    worker.calls.reactions["0@2"] = [lambda ctx: effects.write(ctx) if execute(sql) else Outcome.hold()]
    stage.run()
    assert stage.stored()["0"] == 10
    assert effects.all() == places(0, range(10))


def test_outside_of_a_call_other_databases_may_be_written(stage, effects):
    """The refusal ends with the call: the thread may do other work."""
    exact(stage, effects)
    stage.run()
    Group.objects.using(ELSEWHERE).create(name=stage.name)
    assert Group.objects.using(ELSEWHERE).filter(name=stage.name).exists()


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_database_refuses_at_the_commit_is_the_handlers_failure(stage, effects, kind, caplog):
    """A foreign key that leads nowhere is noticed at the commit only. It is tried as often as any failure."""
    worker = exact(stage, effects, kind=kind, writing=[], retry=AT_ONCE)

    def break_off(ctx):
        effects.write(ctx, "0@4")
        Permission.objects.create(content_type_id=10**6, codename=stage.name, name="leads nowhere")

    for _ in range(AT_ONCE.attempts + 1):
        worker.when("0@4", reacting(kind, break_off))
    stage.run()
    stage.save()
    assert worker.handled.count("0@4") == AT_ONCE.attempts
    assert effects.all() == []
    assert stage.stored()["0"] == (4 if kind == "record" else 0)
    assert ("0", 4) in stage.held()
    assert "IntegrityError" in caplog.text


def test_a_record_whose_commit_was_refused_is_handled_once_the_cause_is_gone(stage, effects):
    worker = exact(stage, effects, retry=AT_ONCE)

    def break_off(ctx):
        effects.write(ctx)
        Permission.objects.create(content_type_id=10**6, codename=stage.name, name="leads nowhere")

    worker.calls.reactions["0@4"] = [break_off, effects.write]
    stage.run()
    assert worker.handled.count("0@4") == 2
    assert effects.all() == places(0, range(10))
    assert stage.stored()["0"] == 10
