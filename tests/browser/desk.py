"""What an operator does: every selector of the pages is here."""

from typing import Any

ADMIN = "/admin/streamapp"


class Desk:
    """Somebody in front of the admin; `complaints` are errors of scripts and windows that one opened."""

    def __init__(self, page: Any, name: str, password: str) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", self._refuse)
        page.goto("/admin/")
        page.get_by_label("Username").fill(name)
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name="Log in").click()

    def open_subscription(self, name: str) -> None:
        self.page.goto(f"{ADMIN}/subscription/")
        self.page.get_by_role("link", name=name, exact=True).first.click()

    def open_shard(self, name: str) -> None:
        self.page.goto(f"{ADMIN}/checkpoint/")
        self.page.get_by_role("link", name=name, exact=True).click()

    def review(self, position: str, reason: str) -> dict[str, int]:
        """Ask for a rewind from the page that is open; return the new positions that the review shows."""
        self.page.get_by_role("link", name="Rewind…").click()
        self.page.get_by_label("New position").fill(position)
        self.page.get_by_label("Reason").fill(reason)
        self.page.get_by_role("button", name="Review").click()
        rows = self.page.locator("#content tbody tr").all()
        return {_shard(row): int(row.locator("td b").inner_text()) for row in rows}

    def apply(self) -> None:
        self.page.get_by_role("button", name="Apply the rewind").click()
        self.page.get_by_text("The rewind is stored.").wait_for()

    def links(self) -> list[str]:
        return [str(link.get_attribute("href")) for link in self.page.locator("#content a").all()]

    def post(self, path: str, **fields: str) -> int:
        """Send a form as a script on the page could, with the page's own token; return the status."""
        send = """async ([path, fields]) => {
            const token = document.cookie.split("csrftoken=")[1].split(";")[0];
            const body = new URLSearchParams({...fields, csrfmiddlewaretoken: token});
            return (await fetch(path, {method: "POST", body})).status;
        }"""
        return int(self.page.evaluate(send, [path, fields]))

    def _refuse(self, dialog: Any) -> None:
        self.complaints.append(f"a window opened: {dialog.message}")
        dialog.dismiss()


def _shard(row: Any) -> str:
    return str(row.locator("th").inner_text()).rpartition("/")[2]
