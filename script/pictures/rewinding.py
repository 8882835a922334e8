"""A rewind from its first question to its result, with what can go wrong on the way, and its undo."""

from collections.abc import Iterator

from playwright.sync_api import Page

from pictures.following import follow

ADMIN = "/admin/streamapp"
REASON = "The exchange rates of the night were wrong."


def pages_of_a_rewind(page: Page, subscription: str) -> Iterator[str]:
    """Choose, be refused, review, find that another was quicker, review again, apply, and go back."""
    page.goto(f"{ADMIN}/checkpoint/rewind/")
    yield "rewind-subscription"
    follow(page, f"#content a:has-text('{subscription}')")
    yield "rewind-scope"
    page.fill("#id_text", "nowhere")
    follow(page, "button[value=search]")
    yield "rewind-scope-nothing"
    follow(page, "button.default")
    yield "rewind-form"
    yield from _refused(page)
    page.fill("#id_ago", "7d")
    _review(page)
    yield "rewind-review"
    _apply(page, "")
    yield "rewind-review-refused"
    yield from _overtaken(page)
    _apply(page, REASON)
    yield "rewind-stored"
    follow(page, "button:has-text('Undo')")
    yield "rewind-undo"
    _apply(page, "Back again: they were right.")
    yield "rewind-undone"


def _refused(page: Page) -> Iterator[str]:
    page.fill("#id_moment", "2036-11-01 03:00")
    _review(page)
    yield "rewind-form-refused"
    lines = page.input_value("#id_exact").splitlines()
    page.fill("#id_exact", "\n".join([f"{lines[0].partition('@')[0]}@99999999", *lines[1:]]))
    _review(page)
    yield "rewind-form-behind-the-end"


def _overtaken(page: Page) -> Iterator[str]:
    """Apply the same in a second window first."""
    quicker = page.context.new_page()
    name = page.locator("h1").inner_text().removeprefix("Rewind ")
    quicker.goto(f"{ADMIN}/checkpoint/rewind/?subscription={name}")
    follow(quicker, "button.default")
    quicker.check("[value=latest]")
    _review(quicker)
    _apply(quicker, "I was first.")
    quicker.close()
    _apply(page, REASON)
    yield "rewind-stale"
    follow(page, "input[type=submit].default")
    yield "rewind-review-again"


def _review(page: Page) -> None:
    follow(page, "input[type=submit].default")


def _apply(page: Page, reason: str) -> None:
    page.locator("#id_reason").evaluate("field => field.required = false")
    page.fill("#id_reason", reason)
    follow(page, "input[type=submit].default")
