"""`.services/env`: the addresses of what runs, as lines KEY=VALUE."""

from __future__ import annotations

from servers.choice import NAMES, chosen_servers
from servers.places import STATE, replace_text


def write_environment() -> None:
    """Write the variables of what runs. What is down has none: tests skip instead of waiting."""
    variables: dict[str, str] = {}
    for server in chosen_servers(NAMES, None):
        if server.status().running:
            variables |= server.environment()
    replace_text(STATE / "env", "".join(f"{key}={value}\n" for key, value in variables.items()))
