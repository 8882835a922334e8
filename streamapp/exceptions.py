"""Everything that streamapp raises, under one base class."""

from collections.abc import Mapping
from types import MappingProxyType


class StreamappError(Exception):
    """Base of all errors of streamapp; its text says what happened and what to do next."""


class InvalidPosition(StreamappError, ValueError):
    """A text or value names no position, or a position names nothing of the subscription."""


class UnknownSubscription(StreamappError, LookupError):
    """A name is not in STREAMAPP["SUBSCRIPTIONS"]."""


class ConfigurationError(StreamappError):
    """The settings can't be used; `manage.py check` says the same with its hint."""


class BrokerUnavailable(StreamappError):
    """The broker didn't answer in time. Nothing is lost: the caller may ask again."""


class ReaderFailed(BrokerUnavailable):
    """A reader is broken for good; the engine closes it and makes a new one."""


class PublishFailed(StreamappError):
    """The broker refused a record or didn't confirm it; it may or may not have been stored."""


class NotAssigned(StreamappError):
    """A seek names a shard that this worker doesn't hold."""


class StalePlan(StreamappError):
    """A reviewed rewind no longer fits: another operator action moved a checkpoint in between.

    `found` has the present position of each such checkpoint, by its id; None of one that is gone.
    """

    def __init__(self, text: str, found: Mapping[int, int | None] = MappingProxyType({})) -> None:
        super().__init__(text)
        self.found = found


class ActionRefused(StreamappError):
    """An operator's action can't be done as things are now; nothing was changed."""


class MissingReason(ActionRefused):
    """An operator's action was asked for without the reason that it must have; nothing was changed."""


class Undecodable(StreamappError):
    """A record's bytes are not what the handler's annotation says."""
