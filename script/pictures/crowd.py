"""Ten thousand shards, as the workers of a large deployment leave them."""


def seed_crowd() -> str:
    """Fill the database that DATABASE_URL names and return the session key of a logged-in operator."""
    import django

    django.setup()
    from django.core.management import call_command

    from pictures.past import seed_past_of
    from pictures.scene import log_in
    from streamapp import registry
    from streamapp.store import Store
    from streamapp.store.lags import Sample

    call_command("migrate", verbosity=0)
    store = Store("default")
    for name in ("ledger.spend", "ledger.balances", "payouts.review"):
        mount = registry.mount(name)
        subscription = store.subscriptions.ensure(mount)
        [stream] = mount.source.streams()
        count = 9_000 if name == "ledger.spend" else 500
        _make_log(stream, count)
        shards = registry.broker("local").shards(mount.source)
        store.checkpoints.create(subscription, {shard: 5_000 + int(shard.id) for shard in shards})
        store.subscriptions.start(subscription)
        ids = sorted(store.checkpoints.known(subscription).values())
        for number in range(10):
            mine = ids[number::10]
            store.leases.take(store.workers.register([name], 3600.0), mine)
            lag = 7 if name == "ledger.spend" else 0
            store.lags.write([Sample(pk, 5_000, lag * (pk % 97), lag * 10 * (pk % 97)) for pk in mine])
        seed_past_of(name)
    return log_in()


def _make_log(stream: str, count: int) -> None:
    """Make the partitions, so that a review can tell where each begins and ends; they have no records."""
    from streamapp.models import LocalPartition, LocalStream

    made = LocalStream.objects.create(broker="local", name=stream)
    LocalPartition.objects.bulk_create(
        LocalPartition(stream=made, number=number, first=0, end=9_000 + number) for number in range(count)
    )
