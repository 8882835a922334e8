"""The client library's options: what may be set, what streamapp sets itself, and the callables among them.

Importable without confluent-kafka.
"""

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from streamapp.brokers.looking import Limits

OWNED = {
    "group.id": "Set GROUP of the subscription, or the source's group",
    "enable.auto.commit": "Checkpoints decide what is committed",
    "enable.auto.offset.store": "Checkpoints decide what is committed",
    "auto.offset.reset": "Set START_AT and ON_OUT_OF_RANGE of the subscription",
    "enable.partition.eof": "It is always on, so that checkpoints pass transaction markers",
    "on_commit": "Failed commits are logged",
    "error_cb": "Errors of the client are logged",
    "rebalance_cb": "Assignments are streamapp's own work",
    "on_assign": "Assignments are streamapp's own work",
    "on_revoke": "Assignments are streamapp's own work",
    "on_lost": "Assignments are streamapp's own work",
}
"""Options that streamapp sets itself, each with what to do instead."""

READING = {
    "enable.auto.commit": False,
    "enable.auto.offset.store": False,
    "auto.offset.reset": "error",
    "enable.partition.eof": True,
}
READING_DEFAULTS: Mapping[str, Any] = {
    "topic.metadata.refresh.interval.ms": 5000,
    "allow.auto.create.topics": False,
    # A partition just opened waits for the fetch before it, and the end of a log for the fetch that finds it.
    "fetch.wait.max.ms": 100,
    # By default the client fetches nothing for a whole second whenever its queue was full.
    "fetch.queue.backoff.ms": 10,
}
JOINING = {
    "group.protocol",
    "group.remote.assignor",
    "group.instance.id",
    "partition.assignment.strategy",
    "session.timeout.ms",
    "heartbeat.interval.ms",
    "max.poll.interval.ms",
}
"""Options that matter to members of a group only."""

PUBLISHING = {"acks": "all", "enable.idempotence": True}
PUBLISHING_DEFAULTS = {"linger.ms": 0, "partitioner": "murmur2_random", "message.timeout.ms": 10_000}


def owned_problems(options: Mapping[str, Any]) -> Iterable[str]:
    """Yield a sentence for each option that only streamapp may set."""
    for name in options:
        if name in OWNED:
            yield f"The client option {name!r} belongs to streamapp. {OWNED[name]}, and remove it."


def option_problems(options: Mapping[str, Any]) -> Iterable[str]:
    """Yield what is wrong with a broker's options, without any network."""
    if not str(options.get("bootstrap.servers") or "").strip():
        yield (
            "'bootstrap.servers' is missing or empty. Set it to 'host:port', or several with commas."
            + "".join(f" Did you mean it by {name!r}?" for name in _like_servers(options))
        )
    yield from owned_problems(options)
    for name, value in options.items():
        if _names_callable(name, value):
            try:
                load(value)
            except (ImportError, AttributeError, ValueError) as error:
                yield f"The option {name!r} names {value!r}, which can't be imported: {error}."


def resolved(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with each dotted path of a callback replaced by what it names."""
    return {name: load(value) if _names_callable(name, value) else value for name, value in options.items()}


def load(path: str) -> Callable[..., Any]:
    """Import what a dotted path names. Raises ImportError, AttributeError or ValueError."""
    module, _, name = path.rpartition(".")
    found = getattr(import_module(module), name)
    if not callable(found):
        raise ValueError(f"{path} is not callable")
    return found  # type: ignore[no-any-return]


def consumer_options(options: Mapping[str, Any], group: str) -> dict[str, Any]:
    """Return the options of a client that reads; what streamapp owns wins over what was given."""
    defaults: dict[str, Any] = dict(READING_DEFAULTS)
    if not is_consumer_protocol(options):
        defaults["partition.assignment.strategy"] = "cooperative-sticky"
    return {**defaults, **resolved(options), **READING, "group.id": group}


def onlooker_options(options: Mapping[str, Any], group: str) -> dict[str, Any]:
    """Return the options of a client that asks about a group without joining it, in the classic way."""
    return {**without_membership(options), "enable.auto.commit": False, "group.id": group}


def looking_options(options: Mapping[str, Any], group: str, limits: Limits) -> dict[str, Any]:
    """Return the options of a client that looks at a few records and fetches hardly more than those."""
    bounded = {
        "queued.min.messages": limits.records,
        "queued.max.messages.kbytes": max(1, limits.size // 1024),
        "fetch.message.max.bytes": limits.size,
    }
    given = without_membership(options)
    return {**READING_DEFAULTS, **given, **READING, **bounded, "group.id": group}


def producer_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of the client that publishes."""
    return {**PUBLISHING_DEFAULTS, **without_membership(options), **PUBLISHING}


def without_membership(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options without those of group members, about which other clients complain."""
    return {name: value for name, value in resolved(options).items() if name not in JOINING}


def is_consumer_protocol(options: Mapping[str, Any]) -> bool:
    """Tell whether the group uses the `consumer` protocol, in which brokers compute the assignment."""
    return str(options.get("group.protocol", "classic")).lower() == "consumer"


def is_eager(options: Mapping[str, Any]) -> bool:
    """Tell whether a rebalance takes all partitions from everybody before it gives any."""
    strategy = str(options.get("partition.assignment.strategy", "cooperative-sticky"))
    return not is_consumer_protocol(options) and "cooperative" not in strategy


def _like_servers(options: Mapping[str, Any]) -> list[str]:
    others = map(str, options.keys() - {"bootstrap.servers"})
    return get_close_matches("bootstrap.servers", others, n=1)


def _names_callable(name: str, value: Any) -> bool:
    return name.endswith("_cb") and isinstance(value, str)
