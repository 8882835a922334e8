"""The read model in memory."""

from projects.ledger.messages import Entry
from projects.ledger.state import Balances


def test_a_balance_is_the_sum_of_the_accounts_entries() -> None:
    balances = Balances()
    for entry in (Entry(1, "anna", 500), Entry(2, "anna", -120), Entry(3, "boris", 70)):
        assert balances.apply(entry)

    assert (balances.of("anna"), balances.of("boris"), balances.of("nobody")) == (380, 70, 0)


def test_an_entry_counts_once_however_often_it_comes() -> None:
    balances = Balances()
    for _ in range(2):
        balances.apply(Entry(1, "anna", 500))

    assert balances.of("anna") == 500


def test_a_newer_revision_empties_the_model_and_asks_for_everything_again() -> None:
    balances = Balances()
    balances.apply(Entry(1, "anna", 500))

    assert not balances.apply(Entry(1, "anna", 450, revision=2))
    assert balances.of("anna") == 0


def test_after_reading_again_the_correction_counts_and_not_what_it_corrects() -> None:
    balances = Balances()
    ledger = [Entry(1, "anna", 500), Entry(2, "anna", 10), Entry(1, "anna", 450, revision=2)]
    for entry in [*ledger, *ledger]:
        balances.apply(entry)

    assert balances.of("anna") == 460


def test_an_older_revision_that_comes_late_changes_nothing() -> None:
    balances = Balances()
    correction = Entry(1, "anna", 450, revision=2)
    for entry in (correction, correction, Entry(1, "anna", 500)):
        balances.apply(entry)

    assert balances.of("anna") == 450
