"""The audit trail in the admin: for reading, whoever reads."""

import pytest

from streamapp.models import AuditEntry
from streamapp.positions import Earliest
from streamapp.services import rewind
from streamapp.services.actions import Asker, Pause
from streamapp.services.actions.scope import Scope

LIST = "/admin/streamapp/auditentry/"


@pytest.fixture
def trail(rows, django_user_model):
    user = django_user_model.objects.create_user("ann")
    Pause(Scope.of("ledger.spend", ["orders/1"])).do(Asker("admin", user, "wrong rate"))
    rewind.apply(rewind.plan_mounted("ledger.spend", Earliest()), origin="command", reason="of the night")


def test_a_rewind_leaves_its_entry_too(trail):
    entry = AuditEntry.objects.get(action="rewind")
    assert (entry.origin, entry.reason, entry.user) == ("command", "of the night", None)
    assert entry.subject == "orders/0, orders/1, orders/2 to earliest"
    assert entry.old.splitlines() == ["orders/0@70", "orders/1@70", "orders/2@70"]
    assert entry.new.splitlines() == ["orders/0@40", "orders/1@40", "orders/2@40"]
    assert entry.result.startswith("rewind ")


@pytest.mark.parametrize(
    "query, actions",
    [
        ({"q": "ledger.spend"}, {"rewind", "pause"}),
        ({"q": "ann"}, {"pause"}),
        ({"q": "rewind"}, {"rewind"}),
        ({"q": "wrong rate"}, {"pause"}),
        ({"q": "orders/1"}, {"rewind", "pause"}),
        ({"action": "rewind"}, {"rewind"}),
        ({"q": "nothing like it"}, set()),
    ],
)
def test_it_is_found_by_subscription_user_action_shard_and_reason(looker, trail, query, actions):
    shown = looker.get(LIST, query).context["cl"].result_list
    assert {entry.action for entry in shown} == actions


def test_a_page_of_an_entry_shows_before_and_after(looker, trail):
    entry = AuditEntry.objects.get(action="rewind")
    text = looker.get(f"{LIST}{entry.pk}/change/").content.decode()
    assert "orders/0@70" in text and "orders/0@40" in text


def test_nobody_adds_changes_or_deletes_an_entry(admin_client, trail):
    entry = AuditEntry.objects.get(action="pause")
    assert admin_client.get(f"{LIST}add/").status_code == 403
    assert admin_client.post(f"{LIST}{entry.pk}/change/", {"reason": "another"}).status_code == 403
    assert admin_client.post(f"{LIST}{entry.pk}/delete/", {"post": "yes"}).status_code == 403
    assert AuditEntry.objects.filter(pk=entry.pk, reason="wrong rate").exists()
    admin_client.post(LIST, {"action": "delete_selected", "_selected_action": [entry.pk]})
    assert AuditEntry.objects.filter(pk=entry.pk).exists()


def test_an_entry_outlives_its_user_and_its_subscription(trail, django_user_model):
    from streamapp.models import Subscription

    django_user_model.objects.all().delete()
    Subscription.objects.all().delete()
    assert set(AuditEntry.objects.values_list("action", "subscription")) == {
        ("pause", "ledger.spend"),
        ("rewind", "ledger.spend"),
    }
