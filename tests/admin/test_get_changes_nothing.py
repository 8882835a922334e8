"""Looking changes nothing: no GET of any page of the app writes a row, whatever pages there are."""

import re

import pytest
from django.contrib import admin
from django.test import Client

from streamapp.positions import Earliest
from streamapp.records import Record
from streamapp.services import rewind
from tests.admin.every_row import dump, fill, models_of_the_app
from tests.admin.scenes import STORE, hold, worker

PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
READABLE = {200, 302, 403, 404, 405}

pytestmark = pytest.mark.timeout(400)  # every page with every query, for three people


@pytest.fixture
def world(rows):
    """Every kind of row, and something to see for the pages that ask a broker."""
    worker(rows)
    rewind.apply(rewind.plan_mounted("ledger.spend", Earliest()), origin="test", reason="a test")
    hold(rows[0], 74)
    STORE.records.quarantine("ledger.spend", Record(rows[0].key, 78, b"{"), "cut")
    fill()
    return rows


def urls():
    """Return the address of every page of the app, with a row for each parameter."""
    found = ["/admin/", "/admin/streamapp/"]
    for model, page in admin.site._registry.items():
        if model._meta.app_label != "streamapp":
            continue
        row = model._default_manager.first()
        begin = f"/admin/streamapp/{model._meta.model_name}/"
        found += [begin + PARAMETER.sub(str(row.pk), str(url.pattern)) for url in page.get_urls()]
    return found


def queries(rows):
    """Return what pages may be asked for: nothing, and all names that any of them knows."""
    first = rows[0]
    known = {
        "shard": first.pk,
        "at": "70",
        "subscription": "ledger.spend",
        "chosen": str(first.pk),
        "position": "earliest",
        "action": "rewind",
        "execute": "1",
        "_selected_action": str(first.pk),
        "q": "orders",
    }
    return [{}, {"subscription": "ledger.spend"}, {"shard": first.pk, "at": "70"}, known]


def test_every_table_has_a_row(world):
    assert [model for model in models_of_the_app() if not model._default_manager.exists()] == []


@pytest.mark.parametrize("who", ["operator", "admin"])
def test_no_get_of_any_page_changes_a_row(world, request, django_user_model, who):
    client = request.getfixturevalue("operator") if who == "operator" else Client()
    if who == "admin":
        client.force_login(django_user_model.objects.create_superuser("root"))
    pages, before = urls(), dump()
    assert len(pages) > 30
    for url in pages:
        for query in queries(world):
            answer = client.get(url, query)
            assert answer.status_code in READABLE, (url, query)
        assert client.head(url).status_code in READABLE
        assert dump() == before, f"GET {url} changed something"


def test_the_walk_sees_pages_that_are_really_shown(world, admin_client):
    shown = [url for url in urls() if admin_client.get(url).status_code == 200]
    assert len(shown) > 15
    assert "/admin/streamapp/checkpoint/records/" not in shown, "without a shard there is nothing to show"


def test_the_comparison_notices_a_change(world):
    before = dump()
    type(world[0]).objects.filter(pk=world[0].pk).update(revision=99)
    assert dump() != before
