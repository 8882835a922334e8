"""TRANSACTION = "checkpoint": effects in the database happen exactly once, whatever is killed."""

import uuid

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import Group
from django.db import OperationalError, connection

from streamapp import Outcome
from streamapp.positions import Earliest
from tests.contract.moving.places import places

KINDS = ["record", "batch", "async_batch"]
concurrent = pytest.mark.live("postgres")  # SQLite lets nobody write while a handler's transaction is open


class Effects:
    """What handlers have written, as often as they have."""

    def __init__(self, stage):
        self.stage = stage

    def write(self, ctx, value="") -> None:
        value = value or ctx.record.value.decode()
        Group.objects.create(name=f"{self.stage.name} {value} {uuid.uuid4()}")

    def all(self) -> list[str]:
        names = Group.objects.filter(name__startswith=f"{self.stage.name} ").values_list("name", flat=True)
        return sorted((name.split()[1] for name in names), key=lambda value: int(value.split("@")[1]))

    def of(self, partition) -> list[str]:
        return [value for value in self.all() if value.startswith(f"{partition}@")]


@pytest.fixture
def effects(stage):
    return Effects(stage)


def exact(stage, effects, *, kind="record", writing=range(20), **options):
    """Start a worker whose handler writes a row for every record of the first partition, every time."""
    worker = stage.start(kind=kind, transaction="checkpoint", start_at="earliest", **options)
    write = sync_to_async(effects.write) if kind.startswith("async") else effects.write
    for place in writing:
        value = f"0@{place}"
        worker.when(value, *[lambda ctx, value=value: write(ctx, value)] * 5)
    return worker


def first_row(stage):
    """The row of the first partition."""
    return stage.rows().filter(shard=stage.log.shard_id(0))


@pytest.mark.parametrize("kind", KINDS)
def test_the_checkpoint_has_moved_with_the_effects_and_a_crash_repeats_nothing(stage, effects, kind):
    worker = exact(stage, effects, kind=kind)
    stage.run()
    assert stage.stored() == {"0": 10, "1": 10}
    worker = stage.restart(worker, transaction="checkpoint", kind=kind)
    stage.run()
    assert worker.handled == []
    assert effects.all() == places(0, range(10))


def test_behind_a_held_record_only_what_is_unsettled_comes_again(stage, effects):
    worker = exact(stage, effects)
    worker.calls.reactions["0@3"] = [lambda ctx: Outcome.hold("not yet")] * 2
    stage.run()
    assert stage.stored()["0"] == 3
    worker = stage.restart(worker, transaction="checkpoint")
    worker.when("0@3", effects.write)
    stage.run()
    assert worker.of(0) == ["0@3"]
    assert effects.all() == places(0, range(10))
    assert stage.stored()["0"] == 10


@pytest.mark.parametrize("outcome", [Outcome.hold("no"), Outcome.retry("no")])
def test_what_is_not_settled_leaves_no_writes(stage, effects, outcome):
    worker = exact(stage, effects, writing=[])

    def write(ctx):
        effects.write(ctx)
        return outcome

    worker.when("0@2", write)
    stage.run()
    stage.save()
    assert effects.all() == []
    assert stage.held() == [("0", 2)]


def test_a_batch_with_a_held_record_settles_the_others_once(stage, effects):
    worker = exact(stage, effects, kind="batch", writing=[])

    def mixed(values, ctx):
        worker.calls.values.extend(values)
        for value in values:
            if value.startswith("0@") and value != "0@4":
                effects.write(ctx, value)
        return [Outcome.hold() if value == "0@4" else Outcome.ack() for value in values]

    worker.consumer.lanes.handling._call = mixed
    stage.run()
    assert stage.stored() == {"0": 4, "1": 10}
    worker = stage.restart(worker, transaction="checkpoint", kind="batch")
    stage.run()
    assert worker.handled == ["0@4"]
    assert effects.all() == places(0, [0, 1, 2, 3, 5, 6, 7, 8, 9])


@concurrent
@pytest.mark.parametrize("kind", ["record", "batch"])
def test_a_worker_that_was_fenced_while_its_handler_ran_leaves_no_effects(stage, effects, kind):
    worker = exact(stage, effects, kind=kind)
    raised = []

    def take_over(ctx):
        effects.write(ctx, "0@5")
        if not raised:
            raised.append(True)
            _elsewhere(stage, "UPDATE streamapp_checkpoint SET epoch = epoch + 1 WHERE subscription_id = {}")

    worker.calls.reactions["0@5"] = [take_over]
    stage.run(until=lambda: raised)
    before = effects.all()
    assert "0@5" not in before
    assert stage.stored()["0"] == len(before)


@pytest.mark.parametrize("kind", ["record", "batch"])
def test_a_commit_whose_reply_was_lost_is_not_repeated(stage, effects, kind, monkeypatch):
    worker = exact(stage, effects, kind=kind)
    commit, lost = connection.commit, []

    def losing(*arguments):
        commit(*arguments)
        if not lost and "0@4" in worker.handled:
            lost.append(True)
            connection.close()
            raise OperationalError("the reply was lost")

    monkeypatch.setattr(connection, "commit", losing)
    stage.run()
    assert lost
    assert effects.all() == places(0, range(10))
    assert stage.stored()["0"] == 10


@concurrent
def test_a_rewind_while_the_handler_runs_undoes_its_writes_and_delivers_again(stage, effects):
    worker = exact(stage, effects)
    stage.run()
    worker.forget()
    stage.log.fill(stage.topic, 1)
    worker.calls.reactions["0@10"] = [
        lambda ctx: (effects.write(ctx), _elsewhere_rewind(stage, "0@8"))[:0] or None,
        effects.write,
    ]
    stage.run()
    assert worker.of(0) == ["0@10", "0@8", "0@9", "0@10"]
    assert effects.all().count("0@10") == 1
    assert stage.stored()["0"] == 11


def test_a_rewind_forgets_what_was_settled_behind_it(stage, effects):
    worker = exact(stage, effects, writing=[])
    worker.when("0@3", lambda ctx: Outcome.hold())
    stage.run()
    assert first_row(stage).get().settled != ""
    worker.forget()
    stage.rewind("0@5")
    assert first_row(stage).get().settled == ""
    stage.save()
    stage.run()
    assert worker.of(0) == places(0, range(5, 10))


def test_a_rewind_of_the_handlers_own_is_committed_with_its_writes(stage, effects):
    worker = exact(stage, effects, writing=[])

    def start_over(ctx):
        effects.write(ctx)
        ctx.rewind(Earliest())

    worker.when("0@9", start_over)
    stage.run(until=lambda: worker.of(0) == [*places(0, range(10)), *places(0, range(10))])
    assert effects.all() == ["0@9"]


def test_a_seek_is_stored_with_the_handlers_writes(stage, effects):
    worker = exact(stage, effects, writing=[])

    def back(ctx):
        effects.write(ctx)
        ctx.seek(stage.position("0@6"))

    worker.when("0@9", back)
    worker.when("0@6", lambda ctx: None, lambda ctx: Outcome.hold())
    stage.run()
    assert worker.of(0) == [*places(0, range(10)), *places(0, range(6, 10))]
    assert stage.stored()["0"] == 6
    assert effects.all() == ["0@9"]


def test_settled_text_that_cannot_be_read_counts_as_none_and_says_so(stage, effects, caplog):
    worker = exact(stage, effects, writing=[])
    worker.when("0@3", lambda ctx: Outcome.hold())
    stage.run()
    stage.crash(worker)
    first_row(stage).update(settled="rubbish")
    worker = stage.start(transaction="checkpoint")
    stage.run()
    assert worker.of(0) == places(0, range(3, 10))
    assert "Can't read what is settled" in caplog.text


def test_redeliver_unsettled_works_without_exactly_once(stage):
    worker = stage.start(start_at="earliest", redeliver="unsettled")
    worker.when("0@3", lambda ctx: Outcome.hold())
    worker.when("0@6", lambda ctx: Outcome.hold())
    stage.run()
    stage.save()
    worker = stage.restart(worker, redeliver="unsettled")
    worker.when("0@6", lambda ctx: Outcome.hold())
    stage.run()
    assert worker.of(0) == ["0@3", "0@6"]
    stage.save()
    assert stage.stored()["0"] == 6
    worker = stage.restart(worker, redeliver="unsettled")
    stage.run()
    assert worker.of(0) == ["0@6"]


def _elsewhere(stage, sql):
    """Do as another session does, which doesn't belong to the handler's transaction."""
    from threading import Thread

    def run():
        with connection.cursor() as cursor:
            cursor.execute(sql.format(stage.rows().first().subscription_id))
        connection.close()

    thread = Thread(target=run)
    thread.start()
    thread.join()


def _elsewhere_rewind(stage, position):
    from threading import Thread

    def run():
        stage.rewind(position)
        connection.close()

    thread = Thread(target=run)
    thread.start()
    thread.join()
