"""The ledger's three subscriptions."""

import logging

from django.db.models import F

from projects.ledger.messages import Entry, Payout
from projects.ledger.models import ReviewedPayout, Spend, SpendRevision
from streamapp import BatchContext, Context, KafkaPosition, KafkaTopic, Outcome, subscriber

logger = logging.getLogger(__name__)
SUSPICIOUS_CENTS = 100_000


@subscriber(KafkaTopic("ledger", group="balances"))
def project_balance(entry: Entry, ctx: Context) -> Outcome:
    """Keep the balances in memory. Each process has its own, so a correction moves this worker only."""
    if not ctx.state.apply(entry):
        logger.info("Newer revision, rebuilding the balances. revision=%s", entry.revision)
        ctx.seek(KafkaPosition.earliest())
    return Outcome.ack()


@subscriber(KafkaTopic("card-entries", group="card-spend"))
def project_spend(entries: list[Entry], ctx: BatchContext) -> Outcome:
    """Keep the spend as rows. They are everybody's, so a correction moves every partition on every worker.

    The deletion and the rewind are one transaction. Another worker may write for a second longer what
    it had read before; that is why an entry is written by its id, and never over a newer revision.
    """
    newest = max(entry.revision for entry in entries)
    if SpendRevision.advance(newest):
        logger.info("Newer revision, rebuilding the card spend. revision=%s", newest)
        Spend.objects.all().delete()
        ctx.rewind(KafkaPosition.earliest())
    else:
        Spend.objects.record(entries)
    return Outcome.ack()


@subscriber(KafkaTopic("payouts", group="payout-review"))
def review_payout(payout: Payout) -> Outcome:
    """Judge a payout by today's rules, again at every start."""
    judged = {
        "account": payout.account,
        "cents": payout.cents,
        "suspicious": payout.cents >= SUSPICIOUS_CENTS,
    }
    ReviewedPayout.objects.update_or_create(
        payout_id=payout.id, defaults={**judged, "reviews": F("reviews") + 1}, create_defaults=judged
    )
    return Outcome.ack()
