"""Dry runs: nothing of them stays, one worker runs each, and only whoever may asks for them."""

from mutation.guard import Guard

ENGINE = "contract/engine/test_dry_runs.py"
ADMIN = "admin/test_dry_runs.py"

GUARDS = (
    Guard(
        name="dry-rolled-back",
        promise="Nothing that a handler writes in a dry run stays.",
        file="engine/dry_call.py",
        text="            transaction.set_rollback(True, using=self._using)\n",
        without="",
        test=f"{ENGINE}::test_the_outcome_is_shown_and_nothing_stays",
    ),
    Guard(
        name="dry-unsent",
        promise="Nothing that a handler publishes in a dry run is sent.",
        file="publishing.py",
        text="    if keep_back(record):\n",
        without="    if not keep_back(record) and False:\n",
        test=f"{ENGINE}::test_what_it_would_publish_is_kept_and_not_sent",
    ),
    Guard(
        name="dry-elsewhere",
        promise="A dry run writes to no database that isn't rolled back.",
        file="engine/dry_call.py",
        text=", refused_elsewhere(self._using, HINT):",
        without=":",
        test=f"{ENGINE}::test_a_write_to_another_database_is_refused",
    ),
    Guard(
        name="dry-commit-checked",
        promise="What only a commit would look at fails a dry run.",
        file="engine/dry_call.py",
        text="                connections[self._using].check_constraints()\n",
        without="                pass\n",
        test=f"{ENGINE}::test_a_constraint_that_only_a_commit_looks_at_fails_the_run",
        needs="postgres",
    ),
    Guard(
        name="dry-claimed",
        promise="A result is kept by the worker only whose claim still holds.",
        file="store/dry_runs.py",
        text="self._open.filter(pk=ordered.id, claim=ordered.claim)",
        without="self._open.filter(pk=ordered.id)",
        test=f"{ADMIN}::test_a_worker_whose_claim_is_another_ones_keeps_no_result",
    ),
    Guard(
        name="dry-allowed",
        promise="A dry run is ordered where DRY_RUN allows it only.",
        file="services/dry_runs.py",
        text="    if not mount.dry_run:\n",
        without="    if False:\n",
        test=f"{ADMIN}::test_where_it_is_not_allowed_there_is_no_button_and_a_selection_is_told_why",
    ),
    Guard(
        name="dry-abandoned",
        promise="A record that ends every worker that tries it doesn't go round for ever.",
        file="store/dry_runs.py",
        text="            free.filter(claims__gte=MOST_CLAIMS)",
        without="            free.none()",
        test=f"{ENGINE}::test_a_record_that_ends_every_worker_does_not_go_round_for_ever",
    ),
)
