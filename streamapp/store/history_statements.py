"""The statements that write the past: one for all shards of a worker, one for all its subscriptions."""

from typing import Final

REMEMBER: Final = {
    "postgresql": """
        INSERT INTO streamapp_history (checkpoint_id, position, records, milliseconds, sampled_at)
        SELECT stored.id, stored.position, lag.records, lag.milliseconds, clock_timestamp()
        FROM streamapp_lease AS lease
        JOIN streamapp_checkpoint AS stored ON stored.id = lease.checkpoint_id
        LEFT JOIN streamapp_lag AS lag ON lag.checkpoint_id = stored.id
        LEFT JOIN LATERAL (
          SELECT past.* FROM streamapp_history AS past WHERE past.checkpoint_id = stored.id
          ORDER BY past.sampled_at DESC LIMIT 1
        ) AS last ON TRUE
        WHERE lease.worker_id = %s::uuid AND (last.id IS NULL
          OR last.sampled_at <= statement_timestamp() - interval '1 hour'
          OR (last.sampled_at <= statement_timestamp() - interval '30 seconds'
            AND (last.position <> stored.position
              OR last.records IS DISTINCT FROM lag.records
              OR last.milliseconds IS DISTINCT FROM lag.milliseconds)))""",
    "sqlite": """
        INSERT INTO streamapp_history (checkpoint_id, position, records, milliseconds, sampled_at)
        SELECT stored.id, stored.position, lag.records, lag.milliseconds,
          strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now')
        FROM streamapp_lease AS lease
        JOIN streamapp_checkpoint AS stored ON stored.id = lease.checkpoint_id
        LEFT JOIN streamapp_lag AS lag ON lag.checkpoint_id = stored.id
        LEFT JOIN streamapp_history AS last ON last.id = (
          SELECT past.id FROM streamapp_history AS past WHERE past.checkpoint_id = stored.id
          ORDER BY past.sampled_at DESC LIMIT 1
        )
        WHERE lease.worker_id = %s AND (last.id IS NULL
          OR last.sampled_at <= strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now', '-1 hour')
          OR (last.sampled_at <= strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now', '-30 seconds')
            AND (last.position <> stored.position
              OR last.records IS NOT lag.records
              OR last.milliseconds IS NOT lag.milliseconds)))""",
}
"""Add a row for each shard of a worker that has changed; one an hour where nothing has."""

ADD_UP: Final = {
    "postgresql": """
        INSERT INTO streamapp_trend (subscription_id, minute, handled, records, milliseconds)
        SELECT subscription.id, date_trunc('minute', clock_timestamp()), given.handled,
          CASE WHEN count(lag.checkpoint_id) = count(lag.records)
            AND count(lag.checkpoint_id) >= count(lease.worker_id) THEN sum(lag.records) END,
          max(lag.milliseconds)
        FROM unnest(%s::text[], %s::bigint[]) AS given (name, handled)
        JOIN streamapp_subscription AS subscription ON subscription.name = given.name
        LEFT JOIN streamapp_checkpoint AS stored
          ON stored.subscription_id = subscription.id AND stored.retired_at IS NULL AND stored.position <> %s
        LEFT JOIN streamapp_lag AS lag ON lag.checkpoint_id = stored.id
        LEFT JOIN streamapp_lease AS lease ON lease.checkpoint_id = stored.id
        GROUP BY subscription.id, given.handled ORDER BY subscription.id
        ON CONFLICT (subscription_id, minute) DO UPDATE SET
          handled = streamapp_trend.handled + excluded.handled,
          records = excluded.records, milliseconds = excluded.milliseconds""",
    "sqlite": """
        INSERT INTO streamapp_trend (subscription_id, minute, handled, records, milliseconds)
        SELECT subscription.id, strftime('%%Y-%%m-%%d %%H:%%M:00', 'now'), given.value->>1,
          CASE WHEN count(lag.checkpoint_id) = count(lag.records)
            AND count(lag.checkpoint_id) >= count(lease.worker_id) THEN sum(lag.records) END,
          max(lag.milliseconds)
        FROM json_each(%s) AS given
        JOIN streamapp_subscription AS subscription ON subscription.name = given.value->>0
        LEFT JOIN streamapp_checkpoint AS stored
          ON stored.subscription_id = subscription.id AND stored.retired_at IS NULL AND stored.position <> %s
        LEFT JOIN streamapp_lag AS lag ON lag.checkpoint_id = stored.id
        LEFT JOIN streamapp_lease AS lease ON lease.checkpoint_id = stored.id
        WHERE TRUE
        GROUP BY subscription.id, given.value->>1 ORDER BY subscription.id
        ON CONFLICT (subscription_id, minute) DO UPDATE SET
          handled = streamapp_trend.handled + excluded.handled,
          records = excluded.records, milliseconds = excluded.milliseconds""",
}
"""Add what was handled to this minute's row of each subscription, and put its present lag there."""

ALONE: Final = "SELECT pg_try_advisory_xact_lock(%s)"
"""Take a lock until the end of the transaction, or learn that another session has it."""
