"""The catalogue of metrics: what `runconsumers --metrics-port` tells, one entry each.

`docs/metrics.md` explains them to operators. A name never changes its meaning.
"""

from dataclasses import dataclass
from enum import StrEnum

SUBSCRIPTION = ("subscription",)
SHARD = ("subscription", "stream", "shard")
BOUNDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""The upper bounds of the histogram's buckets, in seconds."""


class Kind(StrEnum):
    """How a metric behaves: a counter only grows, until the process ends."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric: its name with its unit, and the labels that every sample has."""

    name: str
    kind: Kind
    labels: tuple[str, ...]
    meaning: str


RECORDS_HANDLED = Metric(
    "streamapp_records_handled_total",
    Kind.COUNTER,
    SUBSCRIPTION,
    "Records that came to an outcome: acked, dropped, set aside or held.",
)
RECORDS_FAILED = Metric(
    "streamapp_records_failed_total",
    Kind.COUNTER,
    SUBSCRIPTION,
    "Calls of the handler that raised; outages of database and broker don't count.",
)
RECORDS_HELD = Metric(
    "streamapp_records_held_total",
    Kind.COUNTER,
    SUBSCRIPTION,
    "Records that were held and whose rows were written.",
)
HANDLER_SECONDS = Metric(
    "streamapp_handler_seconds",
    Kind.HISTOGRAM,
    SUBSCRIPTION,
    "Seconds a call took with decoding and saving; of single records the mean of those taken up together.",
)
LAG_RECORDS = Metric(
    "streamapp_lag_records",
    Kind.GAUGE,
    SHARD,
    "Records from the checkpoint to the end of the log; missing where nobody can count them.",
)
LAG_SECONDS = Metric(
    "streamapp_lag_seconds",
    Kind.GAUGE,
    SHARD,
    "Seconds that reading is behind the end of the log; missing where nobody knows.",
)
CHECKPOINT_AGE = Metric(
    "streamapp_checkpoint_age_seconds",
    Kind.GAUGE,
    SHARD,
    "Seconds that the checkpoint has stood still; near 0 while everything delivered is settled and saved.",
)
SHARDS_HELD = Metric(
    "streamapp_shards_held",
    Kind.GAUGE,
    SUBSCRIPTION,
    "Shards that this process reads.",
)
LEASES_TAKEN = Metric(
    "streamapp_leases_taken_total",
    Kind.COUNTER,
    SUBSCRIPTION,
    "Shards that this process began to read.",
)
LEASES_LOST = Metric(
    "streamapp_leases_lost_total",
    Kind.COUNTER,
    SUBSCRIPTION,
    "Shards that this process stopped reading: given back, revoked or taken away.",
)
REWINDS = Metric(
    "streamapp_rewinds_total",
    Kind.COUNTER,
    SUBSCRIPTION,
    "Shards that were moved by a rewind while this process read them.",
)
OUT_OF_RANGE = Metric(
    "streamapp_out_of_range_total",
    Kind.COUNTER,
    SUBSCRIPTION,
    "Shards whose place the log didn't keep any more.",
)
RECORDS_SKIPPED = Metric(
    "streamapp_records_skipped_total",
    Kind.COUNTER,
    SUBSCRIPTION,
    "Records that were skipped because the log didn't keep the place, at most; not counted on Kinesis.",
)
ALERTS = Metric(
    "streamapp_alerts",
    Kind.GAUGE,
    (*SUBSCRIPTION, "kind"),
    "What is wrong now: stuck (handler), expiring (checkpoint), stopped (shard).",
)
HEARTBEAT_AGE = Metric(
    "streamapp_heartbeat_age_seconds",
    Kind.GAUGE,
    (),
    "Seconds since the last heartbeat that the database has confirmed.",
)

CATALOGUE = (
    RECORDS_HANDLED,
    RECORDS_FAILED,
    RECORDS_HELD,
    HANDLER_SECONDS,
    LAG_RECORDS,
    LAG_SECONDS,
    CHECKPOINT_AGE,
    SHARDS_HELD,
    LEASES_TAKEN,
    LEASES_LOST,
    REWINDS,
    OUT_OF_RANGE,
    RECORDS_SKIPPED,
    ALERTS,
    HEARTBEAT_AGE,
)
