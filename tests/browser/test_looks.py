"""Every page of the desk in a narrow window, in light and dark, without a mouse, under a strict policy."""

import pytest
from django.contrib.auth.models import Permission

from pictures import settings as pictured
from pictures.long import make_long
from pictures.scene import fill
from pictures.walks import empty_pages, long_pages, pages
from tests.browser.sight import Sight

pytestmark = [pytest.mark.live("chromium"), pytest.mark.alone, pytest.mark.timeout(300)]


@pytest.fixture
def sight(settings, transactional_db, desk):
    settings.STREAMAPP = pictured.STREAMAPP
    everything = Permission.objects.filter(content_type__app_label="streamapp")
    return Sight(desk(*everything.values_list("codename", flat=True)).page)


def seen(walk, look, page):
    """Walk, and return what is wrong by the name of the page."""
    found = {name: look() for name in walk(page)}
    assert len(found) > 5
    return {name: problems for name, problems in found.items() if problems}


def test_every_page_is_read_and_used_in_a_narrow_window(sight):
    fill()
    assert seen(pages, sight.problems, sight.page) == {}


def test_so_is_every_page_that_has_nothing_to_show_yet(sight):
    assert seen(empty_pages, sight.problems_at_a_glance, sight.page) == {}


def test_long_names_and_reasons_make_no_narrow_page_wider(sight, settings):
    settings.STREAMAPP = pictured.streams(pictured.LONG)
    fill()
    make_long()
    assert seen(long_pages, sight.problems_at_a_glance, sight.page) == {}
