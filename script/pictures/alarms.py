"""What live workers warn of, and what retention has taken."""

STACK = """  File "ledger/streams.py", line 24, in project_balance
    if not ctx.state.apply(entry):
  File "ledger/state.py", line 19, in apply
    with self.lock:
"""


def raise_alarms() -> None:
    """Let a handler be stuck, let retention come near, and let it have taken a few records."""
    from streamapp.models import AlertKind, Checkpoint, Worker
    from streamapp.store import Store
    from streamapp.store.alerts import Warned
    from streamapp.store.skips import Skipped

    store, worker = Store("default"), Worker.objects.get(host="consumer-1")
    stuck = Checkpoint.objects.filter(subscription__name="ledger.balances", lease__worker=worker).first()
    late = Checkpoint.objects.filter(subscription__name="payouts.review", lease__worker=worker).first()
    assert stuck is not None and late is not None, "the worker reads a shard of each"
    warned = [
        Warned(stuck.pk, AlertKind.STUCK, stuck.position, 754.0, STACK),
        Warned(late.pk, AlertKind.EXPIRING, late.position, 63.0),
    ]
    store.alerts.replace(worker.pk, warned)
    store.skips.add(Skipped(late.pk, late.epoch, late.position - 400, late.position - 60, 340, "earliest"))
