"""What the eye of the other tests sees: each fault is made once and must be told."""

import pytest

from tests.browser.sight import Sight

pytestmark = [pytest.mark.live("chromium"), pytest.mark.alone]
FAULTS = {
    "the page is": '<p style="width: 500px">wide</p>',
    "scrolls sideways": '<div style="overflow-x: auto"><p style="width: 500px">wide</p></div>',
    "dark: faint": "<style>@media (prefers-color-scheme: dark) { p { color: #999 } }</style><p>grey</p>",
    "light: faint": '<p style="color: #777; background: rgba(0, 0, 0, .1)">grey on grey</p>',
    "::before": '<style>p::before { content: "●"; color: #ccc }</style><p>marked</p>',
    "::placeholder": '<style>input::placeholder { color: #ccc }</style><input placeholder="name">',
    "doesn't reach": '<a href="/" tabindex="-1">away</a><button>here</button>',
    "isn't seen": '<style>a:focus { outline: none }</style><a href="/">away</a>',
    "console:": '<img src="http://127.0.0.1:9/nothing.png" alt="">',
}
CHOICE = '<input type="radio" name="one">'
FINE = f'<p style="color: #666">quiet</p><a href="/">away</a>{CHOICE}{CHOICE}'


@pytest.fixture
def shown(browser):
    page = browser.new_page()

    def problems(body):
        sight = Sight(page)
        page.set_content(f'<div id="content">{body}</div>')
        return sight.problems()

    yield problems
    page.close()


@pytest.mark.parametrize("said", FAULTS)
def test_a_fault_is_told(shown, said):
    assert [problem for problem in shown(FAULTS[said]) if said in problem]


def test_nothing_is_told_of_a_page_that_is_fine(shown):
    assert shown(FINE) == []
