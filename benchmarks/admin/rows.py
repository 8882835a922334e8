"""The rows of a large deployment, as its workers leave them; the server itself writes them."""

from django.db import connection

from streamapp import registry
from streamapp.models import LocalStream
from streamapp.models.fields import encode_position
from streamapp.store import Store

WORKERS = 10
FIRST, STANDS, END = 1_000, 5_000, 6_000
MINUTES = 24 * 60


def seed(shards: int, notes: int) -> None:
    """Fill the tables: one subscription with so many shards, and so many rows of history."""
    store = Store("default")
    mount = registry.mount("many.shards")
    subscription = store.subscriptions.ensure(mount)
    store.subscriptions.start(subscription)
    stream = LocalStream.objects.create(broker="local", name="many")
    workers = [store.workers.register([mount.name], 3_600.0) for _ in range(WORKERS)]
    position = encode_position(STANDS)
    with connection.cursor() as cursor:
        cursor.execute(_PARTITIONS, [stream.pk, FIRST, END, shards])
        cursor.execute(_CHECKPOINTS, [subscription, str(stream.incarnation), position, shards])
        cursor.execute(_LEASES, [[str(worker) for worker in workers], WORKERS])
        cursor.execute(_LAGS, [position])
        cursor.execute(_HELD, [position])
        cursor.execute(_HISTORY, [position, -(-notes // shards)])
        cursor.execute(_TRENDS, [subscription, MINUTES])
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


_PARTITIONS = """
    INSERT INTO streamapp_localpartition (stream_id, number, first, "end")
    SELECT %s, number, %s, %s FROM generate_series(0, %s - 1) AS number"""
_CHECKPOINTS = """
    INSERT INTO streamapp_checkpoint
      (subscription_id, stream, incarnation, shard, position, settled, epoch, revision, saved_at, parents)
    SELECT %s, 'many', %s, number::text, %s, '', 1, 0, now(), '[]'
    FROM generate_series(0, %s - 1) AS number"""
_LEASES = """
    INSERT INTO streamapp_lease (checkpoint_id, worker_id, taken_at)
    SELECT id, (%s::uuid[])[1 + id %% %s], now() FROM streamapp_checkpoint"""
_LAGS = """
    INSERT INTO streamapp_lag (checkpoint_id, read_to, records, milliseconds, sampled_at)
    SELECT id, %s, 1000 + id, 10 * id, now() FROM streamapp_checkpoint"""
_HELD = """
    INSERT INTO streamapp_heldrecord (checkpoint_id, position, reason, held_at)
    SELECT id, %s, 'unknown carrier', now() FROM streamapp_checkpoint WHERE id %% 100 = 0"""
_HISTORY = """
    INSERT INTO streamapp_history (checkpoint_id, position, records, milliseconds, sampled_at)
    SELECT id, %s, minute, 100 * minute, now() - minute * interval '1 minute'
    FROM generate_series(0, %s - 1) AS minute, streamapp_checkpoint"""
_TRENDS = """
    INSERT INTO streamapp_trend (subscription_id, minute, handled, records, milliseconds)
    SELECT %s, date_trunc('minute', now()) - minute * interval '1 minute', 600, 10 * minute, 100 * minute
    FROM generate_series(0, %s - 1) AS minute"""
