"""A page that looks again by itself says when it can't."""

import pytest

from pictures import settings as pictured
from pictures.scene import fill
from streamapp.positions import parse
from streamapp.services.rewind import apply, plan_mounted
from tests.browser.desk import ADMIN

pytestmark = [pytest.mark.live("chromium"), pytest.mark.alone]
OLD = "what you see is old"


@pytest.fixture
def page(settings, transactional_db, desk):
    """The page of a rewind that nobody has applied yet."""
    settings.STREAMAPP = pictured.STREAMAPP
    fill()
    rewind = apply(plan_mounted("ledger.spend", parse("earliest")), origin="test", reason="wrong rates")
    page = desk().page
    page.goto(f"{ADMIN}/rewind/{rewind.pk}/change/")
    yield page
    page.unroute_all()


@pytest.mark.parametrize("answer", ["nothing", "an error", "another page"])
def test_it_says_that_it_is_old_until_it_could_look_again(page, answer):
    assert not page.get_by_text(OLD).is_visible()
    refusals = {
        "nothing": lambda route: route.abort(),
        "an error": lambda route: route.fulfill(status=503, body="busy"),
        "another page": lambda route: route.fulfill(status=200, body="<h1>Log in</h1>"),
    }
    page.route(page.url, refusals[answer])
    page.get_by_text(OLD).wait_for()
    page.unroute_all()
    page.get_by_text(OLD).wait_for(state="hidden")
