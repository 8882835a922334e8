"""Faults 12, 15, 16 and 17 of other consumers, with what must hold here."""

import logging

import pytest

from tests.contract.broker.benches import wait_for

pytestmark = [pytest.mark.live("kinesis"), pytest.mark.timeout(180)]


def test_a_shard_that_ends_when_its_checkpoint_is_past_its_last_record_says_so_and_its_children_start(stage):
    """Fault 15."""
    (parent,) = stage.shards()
    stage.start()
    stage.publish(3)
    stage.run_through()
    stage.save()
    assert stage.broker.describe(stage.row(parent).position).startswith("after ")
    stage.split(parent)
    stage.publish(10)
    stage.run_through()
    assert stage.has_ended(parent)
    assert stage.journal.repeated() == []


def test_a_closed_shard_that_brings_an_empty_read_and_no_next_iterator_says_so_without_a_delivery(stage):
    """Fault 17."""
    (parent,) = stage.shards()
    worker = stage.start()
    stage.publish(3)
    stage.run_through()
    stage.save()
    stage.crash(worker)
    children = stage.split(parent)
    stage.start()
    stage.run(lambda: stage.has_ended(parent), "the parent says that it has ended")
    assert len(stage.journal.calls) == 3
    stage.run(lambda: stage.holders() == [len(children)], "the children are held")


def test_a_closed_shard_without_any_record_ends_too(stage):
    (parent,) = stage.shards()
    stage.split(parent)
    stage.publish(10)
    stage.start()
    stage.run_through()
    stage.run(lambda: stage.has_ended(parent), "the parent says that it has ended")
    assert stage.journal.of(parent) == []


def test_children_found_late_are_read_from_their_first_record_although_the_stream_starts_at_its_tip(stage):
    """Fault 16."""
    (parent,) = stage.shards()
    stage.publish(5)
    stage.published.clear()
    worker = stage.start(start_at="latest")
    stage.run(lambda: worker.shards, "the parent is held")
    before = stage.publish(2)
    children = stage.split(parent)
    inside = stage.publish(3)
    stage.run_through()
    assert stage.journal.values[:2] == before
    assert sorted(stage.journal.values[2:]) == sorted(inside)
    assert {call.shard for call in stage.journal.calls[2:]} <= {child.id for child in children}


def test_shards_of_two_streams_with_the_same_id_have_rows_of_their_own(stages):
    """Fault 12."""
    one, other = stages(), stages()
    assert one.shards()[0].id == other.shards()[0].id
    for stage in (one, other):
        stage.start()
        stage.publish(3)
        stage.run_through()
        stage.save()
    rows = [stage.row(stage.shards()[0]) for stage in (one, other)]
    assert rows[0].pk != rows[1].pk
    assert [row.stream for row in rows] == [one.source.stream, other.source.stream]


def test_a_stream_that_was_deleted_and_made_again_starts_afresh_and_the_log_says_so(stage, caplog):
    """Fault 12."""
    stage.start()
    stage.publish(5)
    stage.run_through()
    stage.save()
    (old,) = stage.shards()
    position = stage.row(old).position
    stage.service.client.delete_stream(StreamName=old.stream)
    wait_for(lambda: not stage.shards(), "the stream is gone")
    stage.service.client.create_stream(StreamName=old.stream, ShardCount=1)
    stage.service.wait_until_active(old.stream)
    (new,) = stage.shards()
    stage.publish(3)
    with caplog.at_level(logging.WARNING, "streamapp.opening"):
        stage.run_through()

    assert (new.id, new.stream) == (old.id, old.stream)
    assert stage.journal.repeated() == []
    assert [r.getMessage() for r in caplog.records if "Stream was made again" in r.getMessage()] == [
        f"Stream was made again, its checkpoints start afresh. "
        f"subscription={stage.name} stream={new.stream} incarnation={new.incarnation}"
    ]
    stage.save()
    assert stage.row(old).position == position
    assert stage.row(old).retired_at is not None
    assert stage.broker.describe(stage.row(new).position).startswith("after ")
    assert stage.row(new).retired_at is None


def test_children_start_at_once_when_their_parent_ends_and_wait_for_no_saver(stage):
    (parent,) = stage.shards()
    stage.publish(3)
    children = stage.split(parent)
    worker = stage.start(interval=3600)
    held = sorted(child.id for child in children)
    stage.run(lambda: worker.shards == held, "the children are held", saving=False)
    assert stage.has_ended(parent)
