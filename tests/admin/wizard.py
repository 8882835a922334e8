"""Walks through the steps of a rewind as a browser does."""

import re
from typing import Any

LIST = "/admin/streamapp/checkpoint/"
ASK, SCOPE = f"{LIST}rewind/", f"{LIST}rewind/scope/"
REVIEW, APPLY = f"{LIST}rewind/review/", f"{LIST}rewind/apply/"


def choose(client: Any, rows: Any, **more: Any) -> Any:
    chosen = {"action": "rewind", "_selected_action": [row.pk for row in rows], **more}
    return client.post(LIST, chosen, follow=True)


def fields(response: Any) -> dict[str, str]:
    """Return the hidden fields of the page, as a browser would send them back."""
    found = re.findall(
        r'<input type="hidden" name="([\w-]+)"(?: value="([^"]*)")?', response.content.decode()
    )
    return dict(found)


def target(text: str) -> dict[str, str]:
    """Fill the form in for a position as settings and commands write it."""
    if text in ("earliest", "latest"):
        return {"kind": text}
    if "@" in text:
        return {"kind": "exact", "exact": text, "clamp": "on"}
    if re.fullmatch(r"-\d+[smhd]", text):
        return {"kind": "ago", "ago": text}
    return {"kind": "moment", "moment": text, "zone": "UTC"}


def review(client: Any, rows: Any, position: str | dict[str, Any]) -> Any:
    asked = target(position) if isinstance(position, str) else position
    return client.post(REVIEW, fields(choose(client, rows)) | asked)


def apply(client: Any, reviewed: Any, reason: str = "a test", **more: str) -> Any:
    return client.post(APPLY, fields(reviewed) | {"reason": reason, **more}, follow=True)
