"""The broker's options. Importable without boto3."""

from collections.abc import Iterable, Mapping
from typing import Any

SESSION = ("region_name", "profile_name", "aws_access_key_id", "aws_secret_access_key", "aws_session_token")
CLIENT = ("endpoint_url", "verify", "use_ssl")
NAMES = (*SESSION, *CLIENT, "threads")
THREADS = 32
"""How many threads of a process read at most, whatever the number of shards and subscriptions."""


def option_problems(options: Mapping[str, Any]) -> Iterable[str]:
    """Yield what is wrong with a broker's options, without any network."""
    for name in sorted(options.keys() - set(NAMES)):
        yield f"{name!r} is not an option of the Kinesis broker. There are: {', '.join(NAMES)}."
    if not isinstance(threads(options), int) or threads(options) < 1:
        yield f"'threads' is a whole number of 1 or more, not {options['threads']!r}."
    if bool(options.get("aws_access_key_id")) != bool(options.get("aws_secret_access_key")):
        yield "'aws_access_key_id' and 'aws_secret_access_key' go together. Set both, or neither."


def threads(options: Mapping[str, Any]) -> int:
    """Return how many threads may read."""
    return options.get("threads", THREADS)  # type: ignore[no-any-return]


def chosen(options: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return those of the options that are set; None is what an unset variable gives."""
    return {name: options[name] for name in names if options.get(name) is not None}
