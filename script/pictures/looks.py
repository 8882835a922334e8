"""In which looks a page is seen: how wide the window is, and in which colours."""

from dataclasses import dataclass
from typing import Any

WIDE, NARROW = 1300, 400
HEIGHT = 800


@dataclass(frozen=True, slots=True)
class Look:
    """`suffix` is what the name of a picture ends with."""

    suffix: str
    width: int
    colours: str

    def put_on(self, page: Any) -> None:
        """Let a page that is open be seen like this."""
        page.set_viewport_size({"width": self.width, "height": HEIGHT})
        page.emulate_media(color_scheme=self.colours)


LIGHT = Look("", WIDE, "light")
DARK = Look("-dark", WIDE, "dark")
NARROW_DARK = Look("-narrow-dark", NARROW, "dark")
LOOKS = (LIGHT, DARK, Look("-narrow", NARROW, "light"), NARROW_DARK)
