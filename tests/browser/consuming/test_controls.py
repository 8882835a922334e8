"""In a real browser, consumers running on real servers: pause, skip and redeliver do what they say."""

import pytest

from streamapp.models import HeldRecord, Lease, Pause
from tests.browser.consuming.handlers import HOLD, HOLD_ONCE
from tests.browser.consuming.stage import SHARDS, until

pytestmark = [
    pytest.mark.live("postgres", "chromium"),
    pytest.mark.alone,
    pytest.mark.timeout(180),
]
EVIL = "<img src=x onerror=alert(1)><script>alert(2)</script>"


def restart(stage) -> None:
    """Let another process take everything over."""
    stage.worker.stop()
    stage.worker.start()
    mine = Lease.objects.filter(worker__process_id=stage.worker.number)
    until(lambda: mine.count() == 2 * len(SHARDS), lambda: f"four leases, not {mine.count()}")


def publish(stage, stream) -> dict[str, list[str]]:
    return {stage.log.shard_id(shard): stage.write(stream, shard, 3) for shard in SHARDS}


def await_orders_but_no_parcels(stage) -> None:
    """While nothing of the parcels is handled, the same worker handles the orders of today."""
    stage.worker.forget()
    stage.await_given(stage.orders, publish(stage, stage.orders))
    stage.await_stored(stage.orders, stage.ends(stage.orders))
    stage.await_given(stage.parcels, {})


def test_a_pause_survives_a_restart_of_the_worker_and_ends_with_the_resume(stage, desk):
    operator = desk("pause_checkpoint")
    operator.open_subscription(stage.parcels)
    operator.act("Pause")
    stage.worker.await_line("Subscription paused by an operator.")
    parcels = publish(stage, stage.parcels)
    await_orders_but_no_parcels(stage)
    restart(stage)
    await_orders_but_no_parcels(stage)
    operator.open_subscription(stage.parcels)
    assert "paused by" in operator.text()

    operator.act("Resume")

    stage.await_given(stage.parcels, parcels)
    stage.await_stored(stage.parcels, stage.ends(stage.parcels))
    assert not Pause.objects.exists()


def test_a_skip_retires_exactly_one_of_two_held_records_even_over_a_restart(stage, desk):
    first, between, second, last = f"{HOLD}{EVIL}", "handled", f"{HOLD}me too", "handled too"
    start = stage.ends(stage.parcels)[0]
    values = stage.write(stage.parcels, 0, [first, between, second, last])
    stage.await_given(stage.parcels, {stage.log.shard_id(0): values})
    stage.await_held(stage.parcels, 2)
    operator = desk("skip_checkpoint")
    one, other = HeldRecord.objects.filter(checkpoint__stream=stage.parcels).order_by("position")
    operator.open_row("heldrecord", one.pk)
    assert EVIL in operator.text()

    assert stage.told(one.position) in operator.act("Skip a held record")

    stage.await_stored(stage.parcels, {**stage.ends(stage.parcels), 0: start + 2})
    assert list(HeldRecord.objects.filter(checkpoint__stream=stage.parcels)) == [other]
    stage.worker.forget()
    restart(stage)
    stage.await_given(stage.parcels, {stage.log.shard_id(0): [second, last]})
    stage.await_held(stage.parcels, 1)
    [other] = HeldRecord.objects.filter(checkpoint__stream=stage.parcels)
    operator.open_row("heldrecord", other.pk)
    operator.act("Skip a held record")
    stage.await_stored(stage.parcels, stage.ends(stage.parcels))


def test_a_redelivery_brings_the_held_record_first_and_all_behind_it_again(stage, desk):
    start = stage.ends(stage.parcels)
    values = stage.write(stage.parcels, 0, [f"{HOLD_ONCE}{start}", "behind it", "last"])
    stage.await_given(stage.parcels, {stage.log.shard_id(0): values})
    stage.await_held(stage.parcels, 1)
    assert stage.stored(stage.parcels) == start
    stage.worker.forget()
    operator = desk("redeliver_checkpoint")
    operator.open_subscription(stage.parcels)

    operator.act("Redeliver held records")

    stage.await_given(stage.parcels, {stage.log.shard_id(0): values})
    stage.await_stored(stage.parcels, stage.ends(stage.parcels))
    stage.await_held(stage.parcels, 0)
