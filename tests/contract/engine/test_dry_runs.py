"""A dry run: the handler is called for a record set aside or held, and nothing of it stays."""

import pytest
from django.contrib.auth.models import Group, User
from django.db import OperationalError, connection, transaction

from streamapp import BatchContext, Context, Outcome, publish
from streamapp.engine.dry_runs import MOST_LOOKS
from streamapp.ladder import Backoff, Ladder
from streamapp.models import (
    AuditEntry,
    Checkpoint,
    DeadLetter,
    DelayedRecord,
    DryRun,
    HeldRecord,
    Quarantined,
)
from streamapp.positions import Earliest
from streamapp.services.actions import Asker, DryRunHeld, Pause
from streamapp.services.actions.scope import Scope
from streamapp.services.dry_runs import rows, stands
from streamapp.services.set_aside import DryRunSetAside
from streamapp.store.controls import Orders, Told
from streamapp.testing import Service
from tests.contract.engine.project import Project, Running

LADDER = Ladder(1, backoff=Backoff(0.0, 0.0))
ASKER = Asker("test", reason="is it mended?")
TRANSACTIONS = pytest.mark.parametrize("kept_by", ["handler", "checkpoint"])
STANDS = (AuditEntry, Checkpoint, DeadLetter, DelayedRecord, HeldRecord, Quarantined, Group)


@pytest.fixture(autouse=True)
def mounted_too(monkeypatch) -> None:
    """The services ask the settings what is mounted; here mounts are made by hand."""
    monkeypatch.setattr("streamapp.services.dry_runs.allowing", lambda name: None)


class Deploy:
    """A handler that fails for every order until it is mended, and then does what the order says."""

    def __init__(self) -> None:
        self.mended = False
        self.attempts: list[int] = []
        self.committed: list[str] = []

    def handle(self, order: str, ctx: Context) -> Outcome | None:
        Group.objects.create(name=f"booked {order}")
        transaction.on_commit(lambda: self.committed.append(order))
        self.attempts.append(ctx.attempt)
        if not self.mended:
            raise ValueError(f"no carrier for {order}")
        return self._do(order, ctx)

    def batch(self, orders: list[str], ctx: BatchContext) -> Outcome | None:
        for order in orders:
            Group.objects.create(name=f"booked {order}")
        if not self.mended:
            raise ValueError(f"no carrier for {orders[0]}")
        return self._do(orders[0], ctx)

    def _do(self, order: str, ctx: BatchContext) -> Outcome | None:
        if order == "rewind":
            ctx.rewind(Earliest())
            ctx.seek(Earliest())
        if order == "later":
            return Outcome.retry_after(30)
        return Outcome.hold("still no carrier") if order == "hold" else None


def failed(project: Project, way: str = "handle", order: str = "one", **options) -> tuple[Deploy, Running]:
    """A mended handler whose only record is a dead letter."""
    deploy = Deploy()
    options = {"ladder": LADDER, "dry_run": True, **options}
    running = project.start(project.mount(getattr(deploy, way), **options)).run(order)
    deploy.mended = True
    deploy.attempts.clear()
    deploy.committed.clear()
    return deploy, running


def edit(value: bytes) -> None:
    """Put an edited value beside the one of the only letter."""
    letter = DeadLetter.objects.get()
    DeadLetter.objects.update(edited_value=value, edited_by="ann", edited_at=letter.created_at)


def ask(model) -> DryRun:
    (pk,) = model.objects.values_list("pk", flat=True)
    action = DryRunSetAside(model)
    assert len(action.do([pk], ASKER).rows) == 1
    return DryRun.objects.get(pk=action.ordered[0])


def result(running: Running, order: DryRun) -> DryRun:
    # Claimed and run in the first round, its result kept in the second.
    running.run()
    running.run()
    order.refresh_from_db()
    assert order.ended_at is not None
    return order


def everything() -> dict[str, list]:
    return {model.__name__: sorted(map(repr, model.objects.values_list())) for model in STANDS}


@TRANSACTIONS
@pytest.mark.parametrize("way", ["handle", "batch"])
def test_the_outcome_is_shown_and_nothing_stays(project: Project, way, kept_by):
    deploy, running = failed(project, way, transaction=kept_by)
    order = ask(DeadLetter)
    before = everything()
    told = result(running, order)
    assert (told.outcome, told.said, told.exception) == ("ack", "", "")
    assert told.milliseconds is not None
    assert everything() == before
    assert not Group.objects.exists()
    assert deploy.committed == []
    assert DeadLetter.objects.count() == 1


def test_what_the_handler_raises_is_shown_with_its_trace(project: Project):
    deploy, running = failed(project)
    deploy.mended = False
    told = result(running, ask(DeadLetter))
    assert (told.outcome, told.exception, told.message) == (
        "failed",
        "builtins.ValueError",
        "no carrier for one",
    )
    assert "in handle" in told.trace
    assert not Group.objects.exists()
    assert DeadLetter.objects.get().attempts == 1


def test_it_is_run_as_if_it_were_redelivered(project: Project):
    """With the edited value, and its attempts counted from 1."""
    deploy, running = failed(project)
    DeadLetter.objects.update(
        edited_value=b"hold", edited_by="ann", edited_at=DeadLetter.objects.get().created_at
    )
    told = result(running, ask(DeadLetter))
    assert (told.outcome, told.said, deploy.attempts) == ("hold", "still no carrier", [1])


def test_moves_are_shown_and_not_made(project: Project):
    deploy, running = failed(project, order="rewind")
    epochs = list(Checkpoint.objects.values_list("epoch", "position"))
    told = result(running, ask(DeadLetter))
    assert (told.outcome, told.moves) == ("ack", ["rewind earliest", "seek earliest"])
    assert list(Checkpoint.objects.values_list("epoch", "position")) == epochs
    assert len(deploy.attempts) == 1


def test_what_it_would_publish_is_kept_and_not_sent(project: Project, monkeypatch):
    def hand_on(order: str) -> None:
        if order == "bad":
            raise ValueError("bad")
        publish(beyond, {"order": order}, key="k", broker=project.alias)

    beyond = project.bench.stream(1)
    running = project.start(project.mount(hand_on, ladder=LADDER, dry_run=True)).run("bad")
    edit(b"good")
    monkeypatch.setattr(type(project.bench.broker), "publish", lambda *sent, **_: pytest.fail("sent"))
    told = result(running, ask(DeadLetter))
    assert told.outcome == "ack"
    (kept,) = told.unsent
    assert (kept["destination"], kept["bytes"]) == (beyond, len(b'{"order":"good"}'))


def test_a_constraint_that_only_a_commit_looks_at_fails_the_run(project: Project):
    if connection.vendor == "sqlite":
        pytest.skip("SQLite looks at the whole database, which tests share.")

    def refer_to_nobody(order: str) -> None:
        if order == "bad":
            raise ValueError("bad")
        User.groups.through.objects.create(user_id=4711, group_id=4711)

    running = project.start(project.mount(refer_to_nobody, ladder=LADDER, dry_run=True)).run("bad")
    edit(b"good")
    told = result(running, ask(DeadLetter))
    assert (told.outcome, told.exception) == ("failed", "django.db.utils.IntegrityError")


@pytest.mark.django_db(databases=["default", "elsewhere"])
def test_a_write_to_another_database_is_refused(project: Project):
    def write_elsewhere(order: str) -> None:
        if order == "bad":
            raise ValueError("bad")
        Group.objects.using("elsewhere").create(name="stays")

    running = project.start(project.mount(write_elsewhere, ladder=LADDER, dry_run=True)).run("bad")
    edit(b"good")
    told = result(running, ask(DeadLetter))
    assert told.exception.endswith("WroteElsewhere")
    assert "can be tried in a dry run" in told.message


def test_a_quarantined_record_that_still_cannot_be_decoded(project: Project):
    def read(order: dict) -> None:
        raise AssertionError("never called")

    running = project.start(project.mount(read, dry_run=True)).run("{cut")
    told = result(running, ask(Quarantined))
    assert told.outcome == "undecodable"
    assert Quarantined.objects.count() == 1


def test_a_held_record_is_read_from_its_shard_and_stays_held(project: Project):
    deploy, running = failed(project, ladder=None)
    row = HeldRecord.objects.select_related("checkpoint__subscription").get()
    action = DryRunHeld(row.checkpoint, row.position)
    action.do(ASKER)
    told = result(running, DryRun.objects.get(pk=action.ordered))
    assert (told.outcome, told.where) == ("ack", "shard")
    assert running.held == [(b"one", "hold")]
    assert HeldRecord.objects.count() == 1
    assert running.checkpoint() == 0
    assert deploy.attempts == [1]


def test_a_letter_that_was_redelivered_meanwhile_is_not_run(project: Project):
    deploy, running = failed(project)
    order = ask(DeadLetter)
    DeadLetter.objects.all().delete()
    told = result(running, order)
    assert (told.outcome, stands(told)) == ("gone", "not run")
    assert "redelivered, purged or handled" in told.said
    assert deploy.attempts == []


def test_what_fails_because_the_database_is_down_is_run_again(project: Project, monkeypatch):
    deploy, running = failed(project)
    deploy.mended = False
    order = ask(DeadLetter)
    store = running.service._worker.consumers[0].dry_runs._store

    def down() -> None:
        raise OperationalError("the connection was refused")

    monkeypatch.setattr(store, "probe", down)
    running.run()
    running.run()
    order.refresh_from_db()
    assert (order.outcome, deploy.attempts) == ("", [1])
    monkeypatch.undo()
    deploy.mended = True
    monkeypatch.setattr("streamapp.services.dry_runs.allowing", lambda name: None)
    DryRun.objects.update(claimed_until=order.asked_at)
    assert result(running, order).outcome == "ack"


def test_one_worker_runs_it(project: Project):
    deploy, running = failed(project)
    order = ask(DeadLetter)
    with Service(mounts=[running.mount], live=project.alias != "local", beside=running.service) as other:
        running.run()
        other.run()
        result(running, order)
    assert deploy.attempts == [1]


def test_a_record_that_ends_every_worker_does_not_go_round_for_ever(project: Project):
    deploy, running = failed(project)
    order = ask(DeadLetter)
    DryRun.objects.update(claims=3)
    assert result(running, order).outcome == "abandoned"
    assert deploy.attempts == []


def test_a_paused_subscription_runs_it_and_nothing_else(project: Project):
    deploy, running = failed(project)
    Pause(Scope.of(running.mount.name)).do(ASKER)
    order = ask(DeadLetter)
    for _ in range(3):  # a paused shard is never read to its end
        running.service._stage.run_once(0.0, save=True)
    order.refresh_from_db()
    assert (order.outcome, deploy.attempts) == ("ack", [1])


def test_without_dry_run_no_worker_looks(project: Project, django_assert_num_queries):
    _, running = failed(project, dry_run=False)
    order = ask(DeadLetter)
    consumer = running.service._worker.consumers[0]
    with django_assert_num_queries(0):
        consumer.dry_runs.look_once()
    (row,) = rows([order.pk])
    assert stands(row) == "requested"


def test_a_worker_whose_lane_is_busy_leaves_it_to_another(project: Project):
    """In a call that takes long, the lane comes to nothing else."""
    deploy, running = failed(project)
    order = ask(DeadLetter)
    busy = running.service._worker.consumers[0].dry_runs
    for _ in range(MOST_LOOKS + 1):
        busy.look_once()
    with Service(mounts=[running.mount], live=project.alias != "local", beside=running.service) as other:
        (worker,) = other._worker.consumers
        worker.dry_runs.look_once()
        worker.dry_runs.run_one()
        worker.dry_runs.look_once()
    busy.run_one()
    order.refresh_from_db()
    assert (order.outcome, order.claims, deploy.attempts) == ("ack", 1, [1])


def test_a_worker_that_is_drained_gives_it_back(project: Project):
    _, running = failed(project)
    order = ask(DeadLetter)
    (worker,) = running.service._worker.consumers
    worker.dry_runs.look_once()
    worker.holdings.obey(Orders(drained=Told("ann", "a new kernel")))
    worker.dry_runs.look_once()
    order.refresh_from_db()
    assert (order.claim, order.claims) == (None, 0)
