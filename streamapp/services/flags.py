"""What an operator should know of one shard before a rewind is applied."""

from enum import StrEnum


class Flag(StrEnum):
    """One remark on one shard."""

    BEYOND_RETENTION = "not kept any more: moved to the oldest record"
    BEYOND_END = "behind the end of the log: moved to the end"
    NOTHING_AFTER = "nothing after that time: moved to the end"
    OLDER = "older than what the stream keeps: begins at the oldest record"
    LOST = "that record is not kept any more: ON_OUT_OF_RANGE decides where it goes on"
    NOTHING_YET = "nothing after that time yet: only new records"
    UNCHANGED = "already there"
    HOLDING = "holds records: all from the new position on comes again"
    UNREAD = "read by no live worker"
    UNKNOWN = "bounds not known to the broker"
    REOPENED = "was finished: read again"
    GATED = "not read before its parents are finished again"
    ALONE = "its parents stay finished: what they hold is not read again"
    FINISHED = "finished: not read any more"
    MOVED_ON = "read on since the rewind: that is read again or skipped as well"
    SUPERSEDED = "rewound again since"
    NO_CHECKPOINT = "no checkpoint yet: opens where START_AT says, or at its first record"
    NO_SAMPLE = "no checkpoint known at that moment or before"
    NOT_NAMED = "not named by the position"
    GONE = "its stream has it no more"
