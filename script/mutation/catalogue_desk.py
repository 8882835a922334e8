"""What the operator's desk reads: the past, and who may see it."""

from mutation.guard import Guard

HISTORY = "contract/store/test_history.py"
ADDED = "          handled = streamapp_trend.handled + excluded.handled,\n"
CONFLICT = (
    "given.value->>1 ORDER BY subscription.id\n        ON CONFLICT (subscription_id, minute) DO UPDATE SET\n"
)

GUARDS = (
    Guard(
        name="history-of-own-shards",
        promise="A worker notes the checkpoints of the shards that it holds, and no others.",
        file="store/history_statements.py",
        text="WHERE lease.worker_id = %s AND (",
        without="WHERE %s IS NOT NULL AND (",
        test=f"{HISTORY}::test_a_worker_that_has_lost_its_shards_notes_nothing",
    ),
    Guard(
        name="history-once-a-minute",
        promise="A take-over doesn't double the notes of a minute.",
        file="store/history_statements.py",
        text="'now', '-30 seconds')",
        without="'now', '+30 seconds')",
        test=f"{HISTORY}::test_a_takeover_does_not_double_the_notes_of_a_minute",
    ),
    Guard(
        name="history-kept",
        promise="Notes younger than HISTORY_DAYS stay.",
        file="store/history.py",
        text="filter(sampled_at__lt=old)",
        without="all()",
        test=f"{HISTORY}::test_what_is_older_than_its_days_goes_and_the_rest_stays",
    ),
    Guard(
        name="trend-added-up",
        promise="All workers of a subscription add to the same totals.",
        file="store/history_statements.py",
        text=CONFLICT + ADDED,
        without=CONFLICT + "          handled = excluded.handled,\n",
        test=f"{HISTORY}::test_all_workers_of_a_subscription_add_to_one_row_a_minute",
    ),
    Guard(
        name="figures-for-lookers",
        promise="The figures of a plot are for those who may view the subscription.",
        file="admin/subscriptions.py",
        text="        if not self.has_view_permission(request):\n            raise PermissionDenied\n",
        without="",
        test="admin/test_subscription_page.py::test_figures_are_for_those_who_may_look_and_of_rows_that_are_there",
    ),
    Guard(
        name="cards-labelled",
        promise="In a narrow window each cell of a list stands beside the title of its column.",
        file="templates/admin/streamapp/change_list_results.html",
        text="{% for item in result|labelled:result_headers %}",
        without="{% for item in result %}",
        test="admin/test_lists.py::test_each_cell_of_a_row_knows_the_title_of_its_column",
    ),
)
