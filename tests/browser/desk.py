"""What an operator does: every selector of the pages is here."""

from collections.abc import Sequence
from typing import Any

ADMIN = "/admin/streamapp"


class Desk:
    """Somebody in front of the admin; `complaints` are errors of scripts and windows that one opened."""

    def __init__(self, page: Any, name: str, password: str) -> None:
        self.page = page
        self.name = name
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

    def open_row(self, kind: str, key: object) -> None:
        """Open the page of a shard, a worker, a held record, a rewind."""
        self.page.goto(f"{ADMIN}/{kind}/{key}/change/")

    def ask_where_to(self, subscription: str, shards: Sequence[str] = ()) -> None:
        """Begin a rewind of these shards, by default of all, and go on to the question where to."""
        self.open_subscription(subscription)
        self.page.get_by_role("link", name="Rewind…").click()
        if shards:
            self.page.get_by_role("button", name="Untick these").click()
            for shard in shards:
                self.page.get_by_label(f"{subscription}/{shard}", exact=True).check()
        self.page.get_by_role("button", name="Go on").click()

    def choose(self, kind: str, **fields: str) -> None:
        """Choose a way by filling its fields in, or by its radio button where it has none."""
        way = self.page.locator(f".streamapp-way[data-kind={kind}]")
        for name, text in fields.items():
            field = way.locator(f"[name={name}]")
            if field.evaluate("field => field.tagName") == "SELECT":
                field.select_option(text)
            else:
                field.fill(text)
        if not fields:
            way.get_by_role("radio").check()
        assert way.get_by_role("radio").is_checked()

    def choose_positions(self, places: dict[str, str]) -> None:
        """Change the lines of these shards in the list of positions, and leave the others."""
        field = self.page.locator("[name=exact]")
        lines = [line.split("@") for line in field.input_value().splitlines()]
        assert places.keys() <= {shard for shard, _ in lines}
        self.choose("exact", exact="\n".join(f"{shard}@{places.get(shard, at)}" for shard, at in lines))

    def choose_file(self, text: str) -> None:
        file = {"name": "positions.csv", "mimeType": "text/csv", "buffer": text.encode()}
        self.page.locator("[name=file]").set_input_files(file)

    def review(self) -> dict[str, str]:
        """Press the button; return the new positions that the review shows."""
        self.page.get_by_role("button", name="Review", exact=True).click()
        return self.reviewed()

    def reviewed(self) -> dict[str, str]:
        self.page.get_by_text("What you apply are the numbers below").wait_for()
        rows = self.page.locator("#content form tbody tr").all()
        return {_shard(row): row.locator("td b").inner_text() for row in rows}

    def refused(self, kind: str) -> str:
        """Ask for the review; return the error at the field of this way."""
        self.page.get_by_role("button", name="Review", exact=True).click()
        error = self.page.locator(f".streamapp-way[data-kind={kind}] .errorlist")
        return str(error.inner_text())

    def is_told_that_the_plan_is_stale(self) -> set[str]:
        """Return the shards that the page names as moved."""
        self.page.get_by_role("button", name="Review again").wait_for()
        return {_shard(row) for row in self.page.locator("#content tbody tr").all()}

    def review_again(self) -> dict[str, str]:
        self.page.get_by_role("button", name="Review again").click()
        return self.reviewed()

    def press_apply(self, reason: str = "wrong rate") -> None:
        self.page.get_by_label("Reason").fill(reason)
        self.page.get_by_role("button", name="Apply the rewind").click()

    def apply(self) -> int:
        """Apply what is reviewed; return the number of the rewind."""
        self.press_apply()
        self.page.get_by_text("The rewind is stored.").wait_for()
        return int(self.page.url.rstrip("/").split("/")[-2])

    def result(self) -> dict[str, str]:
        """Return the new positions that the page of a rewind shows."""
        rows = self.page.locator("#streamapp-live tbody tr").all()
        return {_shard(row): row.locator("td").nth(1).inner_text() for row in rows}

    def await_state(self, state: str, count: int) -> None:
        """Wait until so many shards of a rewind say this; the page looks by itself."""
        self.page.wait_for_function(
            """([text, count]) => [...document.querySelectorAll("#streamapp-live .streamapp-state")]
                .filter((mark) => mark.textContent.startsWith(text)).length === count""",
            arg=[state, count],
        )

    def undo(self, number: int) -> dict[str, str]:
        """Review the way back of a rewind; return the positions that the review shows."""
        self.open_row("rewind", number)
        self.page.get_by_role("button", name="Undo…").click()
        return self.reviewed()

    def act(self, way: str, reason: str = "the carrier is down") -> str:
        """Take an action from the page that is open: return what its review says, and do it."""
        self.page.get_by_role("link", name=f"{way}…", exact=True).click()
        said = str(self.page.locator("#content .streamapp-notes").inner_text())
        self.page.get_by_label("Reason").fill(reason)
        self.page.get_by_role("button", name=way, exact=True).click()
        self.page.get_by_text("Stored. Running workers follow").wait_for()
        return said

    def follow_position(self, position: str) -> None:
        self.page.locator("#content").get_by_role("link", name=position, exact=True).first.click()

    def record_here(self) -> tuple[str, str]:
        """Return position and value of the record that the page of records marks."""
        here = self.page.locator(".streamapp-here")
        return here.locator("h3 a").inner_text(), here.locator("pre").last.inner_text()

    def text(self) -> str:
        return str(self.page.locator("#content").inner_text())

    def ways(self) -> list[str]:
        """Return where the links and the forms of the page lead."""
        content = self.page.locator("#content")
        links = [str(link.get_attribute("href")) for link in content.locator("a").all()]
        forms = content.locator("form[method=post]").all()
        return links + [str(form.get_attribute("action")) for form in forms]

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
