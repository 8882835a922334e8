"""The review of payouts."""

import pytest

from projects.ledger.messages import Payout
from projects.ledger.models import ReviewedPayout
from projects.ledger.streams import SUSPICIOUS_CENTS, review_payout
from streamapp import Outcome

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("cents", "suspicious"), [(SUSPICIOUS_CENTS - 1, False), (SUSPICIOUS_CENTS, True)])
def test_a_large_payout_is_suspicious(cents: int, suspicious: bool) -> None:
    assert review_payout(Payout(1, "anna", cents)) == Outcome.ack()
    assert ReviewedPayout.objects.get().suspicious is suspicious


def test_a_payout_that_comes_again_is_reviewed_again() -> None:
    for cents in (SUSPICIOUS_CENTS, 1):
        review_payout(Payout(1, "anna", cents))

    payout = ReviewedPayout.objects.get()
    assert (payout.reviews, payout.cents, payout.suspicious) == (2, 1, False)
