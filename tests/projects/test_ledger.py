"""The ledger's read models through the engine, on the local broker."""

import pytest

from projects.ledger.messages import Entry, Payout
from projects.ledger.models import ReviewedPayout, Spend
from projects.ledger.state import Balances
from streamapp import publish
from streamapp.models import Rewind
from tests.projects.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)


def _publish(topic: str, *values: Entry | Payout) -> None:
    for value in values:
        publish(topic, value, key=value.account, broker="local")


@pytest.fixture
def models(site) -> list[Balances]:
    """Collect the read models that are made, one a start."""
    made: list[Balances] = []

    def make() -> Balances:
        made.append(Balances())
        return made[-1]

    subscriptions = dict(site.STREAMAPP["SUBSCRIPTIONS"])
    subscriptions["ledger.balances"] = {**subscriptions["ledger.balances"], "STATE": make}
    site.STREAMAPP = {**site.STREAMAPP, "SUBSCRIPTIONS": subscriptions}
    return made


def test_the_balances_are_read_from_the_start_of_the_ledger_at_every_start(models, running):
    _publish("ledger", Entry(1, "anna", 500), Entry(2, "boris", 70))
    for _ in range(2):
        with running("ledger.balances"):
            until(lambda: (models[-1].of("anna"), models[-1].of("boris")) == (500, 70))
    assert len(models) == 2


def test_a_correction_rebuilds_the_balances_of_all_partitions(models, running):
    accounts = [f"account-{number}" for number in range(8)]
    _publish("ledger", *(Entry(number, account, 100) for number, account in enumerate(accounts)))
    with running("ledger.balances"):
        until(lambda: all(models[-1].of(account) == 100 for account in accounts))
        _publish("ledger", Entry(3, "account-3", 40, revision=2))
        until(
            lambda: (
                models[-1].revision == 2
                and [models[-1].of(account) for account in accounts]
                == [100, 100, 100, 40, 100, 100, 100, 100]
            )
        )


def test_a_correction_rebuilds_the_card_spend_by_one_rewind(site, running):
    cards = [f"card-{number}" for number in range(8)]
    _publish("card-entries", *(Entry(number, card, 100) for number, card in enumerate(cards)))
    with running("ledger.spend"):
        until(lambda: Spend.objects.count() == 8)
        # What no record says must be gone afterwards: the rows are deleted and built anew.
        Spend.objects.create(entry_id=99, card="nobody's", cents=1, revision=1)
        _publish("card-entries", Entry(3, "card-3", 40, revision=2))
        until(
            lambda: (
                dict(Spend.objects.values_list("entry_id", "cents"))
                == {number: 40 if number == 3 else 100 for number in range(8)}
            )
        )
    rewind = Rewind.objects.get()
    assert (rewind.target, rewind.origin, rewind.shards.count()) == ("earliest", "handler", 4)


def test_payouts_of_the_last_seven_days_are_reviewed_at_every_start(site, running):
    _publish("payouts", Payout(1, "anna", 500), Payout(2, "boris", 250_000))
    for start in (1, 2, 3):
        with running("payouts.review"):
            until(
                lambda start=start: (
                    set(ReviewedPayout.objects.values_list("payout_id", "reviews"))
                    == {(1, start), (2, start)}
                )
            )
