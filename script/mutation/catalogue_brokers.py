"""Lineage of shards, ends of logs, and what counts as published."""

from mutation.guard import Guard

FEED = "unit/test_kinesis_feed.py"
PUBLISH = "live/test_kinesis_publish.py"

GUARDS = (
    Guard(
        name="parent-gate",
        promise="A child is read only when every parent is finished.",
        file="engine/lineage.py",
        text="if shard in unfinished and unfinished.isdisjoint(lineage[shard])]",
        without="if shard in unfinished]",
        test="unit/test_lineage.py::test_a_merged_shard_waits_for_both_parents",
    ),
    Guard(
        name="parents-before-a-rewound-shard",
        promise="A shard that was rewound is read only after its parents were looked at.",
        file="engine/holdings.py",
        text="checked = [state for state in self.states.values() if not state.unchecked]",
        without="checked = list(self.states.values())",
        test="unit/test_holdings.py::test_a_rewound_shard_is_not_read_before_its_parents_were_looked_at",
    ),
    Guard(
        name="end-after-all-is-settled",
        promise="A closed shard is finished only when every record of it is settled.",
        file="engine/watermark.py",
        text="        return (self.next if lowest is None else lowest), ranges\n",
        without="        return self.next, ranges\n",
        test="unit/test_watermark.py::test_the_place_after_a_commit_is_known_before_it",
    ),
    Guard(
        name="end-after-its-records",
        promise="The end of a closed shard is told behind its last record.",
        file="brokers/kinesis/shelf.py",
        text="        if self._pages:\n            return None\n",
        without="",
        test=f"{FEED}::test_the_end_is_not_told_before_the_records_in_front_of_it_are_taken",
    ),
    Guard(
        name="trimmed-is-told",
        promise="Records that retention has deleted are told, never skipped silently.",
        file="brokers/kinesis/feed.py",
        text="            if self._is_trimmed(entries):\n",
        without="            if False:\n",
        test=f"{FEED}::test_a_record_that_was_trimmed_is_out_of_range",
    ),
    Guard(
        name="refused-is-not-published",
        promise="A record of a batch that Kinesis refuses is sent again, not taken for stored.",
        file="brokers/kinesis/publisher.py",
        text='                if "ErrorCode" in result:\n',
        without='                if result.get("ErrorCode") == "nothing":\n',
        test=f"{PUBLISH}::test_only_what_was_refused_is_sent_again_and_every_place_is_right",
    ),
    Guard(
        name="published-is-confirmed",
        promise="A record that Kafka refuses was not published.",
        file="brokers/kafka/publisher.py",
        text="        if error is None:\n",
        without="        if True:\n",
        test="live/test_kafka_publish.py::test_a_record_that_is_too_large_is_refused",
        needs="kafka",
    ),
)
