"""What an operator does on the pages of dead letters: every selector of those pages is here."""

from typing import Any

from tests.browser.desk import ADMIN


class Letters:
    """The dead letters, in the window of somebody who is logged in."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def open_first(self) -> None:
        self.page.goto(f"{ADMIN}/deadletter/")
        self.page.locator("#result_list tbody th a").first.click()

    def text(self) -> str:
        self.page.wait_for_load_state()
        return str(self.page.locator("#content").inner_text())

    def mend(self, old: str, new: str, reason: str) -> None:
        """Put one text for another in an edited copy."""
        self.page.get_by_role("link", name="Edit a copy…").click()
        value = self.page.get_by_label("Value")
        value.fill(value.input_value().replace(old, new))
        self.page.get_by_label("Reason").fill(reason)
        self.page.get_by_role("button", name="Keep the edited copy").click()
        self.page.get_by_text("The edited copy is kept.").wait_for()

    def redeliver(self, reason: str) -> None:
        self.page.get_by_role("link", name="Redeliver…", exact=True).click()
        self.page.get_by_label("Reason").fill(reason)
        self.page.get_by_role("button", name="Redeliver").click()
        self.page.get_by_text("delayed record, due at once").wait_for()

    def dry_run(self, reason: str, result: str) -> str:
        """Order a dry run and wait, without a click, until its page shows the result; return the page."""
        self.page.get_by_role("link", name="Dry run…").click()
        self.page.get_by_label("Reason").fill(reason)
        self.page.get_by_role("button", name="Dry run").click()
        self.page.locator("#streamapp-live .streamapp-state", has_text=result).wait_for()
        return self.text()

    def purge_all(self, reason: str) -> None:
        """Select all rows of all pages and purge them, and let the pages go on by themselves."""
        self.page.goto(f"{ADMIN}/deadletter/")
        self.page.check("#action-toggle")
        if self.page.locator(".question a").is_visible():
            self.page.click(".question a")
        self.page.select_option("select[name=action]", "purge")
        self.page.click("button[name=index]")
        self.page.get_by_label("Reason").fill(reason)
        self.page.get_by_role("button", name="Purge").click()

    def actions(self) -> int:
        self.page.goto(f"{ADMIN}/deadletter/")
        return int(self.page.locator("select[name=action] option").count())
