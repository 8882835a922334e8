"""Looks at a page as a person does who has a narrow window, one of two colour schemes, and no mouse."""

from pathlib import Path
from typing import Any

from pictures.looks import HEIGHT, NARROW, WIDE

SCRIPT = Path(__file__).with_name("sight.js").read_text()
EXPECTED = "status of 409 (Conflict)"
"""The page that refuses a stale plan."""
FURTHER_STOPS = 12
"""The keyboard may also stop at what scrolls, and comes to the first control once more after the last."""


class Sight:
    """Collects what is wrong with the pages that a window shows."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.console: list[str] = []
        self._widen(NARROW)
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.console.append(str(error)))

    def problems(self) -> list[str]:
        """Return what is wrong with the page that is open, in a narrow and a wide window, and by keyboard."""
        return [*self.problems_at_a_glance(), *self._by_keyboard(), *self._in_a_wide_window()]

    def problems_at_a_glance(self) -> list[str]:
        """Return what is too wide or too faint in a narrow window, and what the console says."""
        self.page.wait_for_load_state()
        self.page.evaluate(SCRIPT)
        found = self.page.evaluate("sight.sideways()")
        for colours in ("dark", "light"):
            self.page.emulate_media(color_scheme=colours)
            found += [f"{colours}: {each}" for each in self.page.evaluate("sight.faint()")]
        said, self.console = self.console, []
        return [*found, *said]

    def _in_a_wide_window(self) -> list[str]:
        self._widen(WIDE)
        found = [f"wide: {each}" for each in self.page.evaluate("sight.sideways()")]
        self._widen(NARROW)
        return found

    def _widen(self, width: int) -> None:
        self.page.set_viewport_size({"width": width, "height": HEIGHT})

    def _by_keyboard(self) -> list[str]:
        for _ in range(self.page.evaluate("sight.follow()") + FURTHER_STOPS):
            self.page.keyboard.press("Tab")
        missed: list[str] = self.page.evaluate("sight.unreached()")
        return missed

    def _hear(self, message: Any) -> None:
        if message.type in ("error", "warning") and EXPECTED not in message.text:
            self.console.append(f"console: {message.text} {message.location.get('url', '')}")
