"""What a handler may say of a record."""

import pytest

from streamapp import Outcome
from streamapp.outcomes import Kind


@pytest.mark.parametrize(
    ("outcome", "kind", "reason", "settles"),
    [
        (Outcome.ack(), Kind.ACK, "", True),
        (Outcome.drop("no address"), Kind.DROP, "no address", True),
        (Outcome.hold("unknown carrier"), Kind.HOLD, "unknown carrier", False),
        (Outcome.retry("busy"), Kind.RETRY, "busy", False),
    ],
)
def test_the_checkpoint_passes_what_was_acked_or_dropped_and_nothing_else(
    outcome: Outcome, kind: Kind, reason: str, settles: bool
) -> None:
    assert (outcome.kind, outcome.reason, outcome.settles) == (kind, reason, settles)


def test_every_kind_of_outcome_is_decided_on() -> None:
    assert {kind for kind in Kind if Outcome(kind).settles} == {Kind.ACK, Kind.DROP}


@pytest.mark.parametrize("delay", [-1, float("nan"), float("inf"), 1e12, 1e300])
def test_a_delay_ends_at_a_moment_that_can_be_stored(delay: float) -> None:
    with pytest.raises(ValueError, match="can't be delayed"):
        Outcome.retry_after(delay)
