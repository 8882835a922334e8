"""No split and no merge loses, repeats or reorders a record, whoever reads which shard."""

from concurrent.futures import ThreadPoolExecutor

import pytest

pytestmark = [pytest.mark.live("kinesis"), pytest.mark.timeout(180)]

WORKERS = pytest.mark.parametrize("workers", [1, 3])


@WORKERS
def test_each_record_is_handled_once_and_in_order_across_a_split_and_a_merge(stage, workers):
    (parent,) = stage.shards()
    for _ in range(workers):
        stage.start()
    stage.publish(500)
    stage.run(lambda: len(stage.journal.calls) >= 100, "the first records")
    one, other = stage.split(parent)
    stage.publish(1000)
    merged = stage.merge(one, other)
    stage.publish(500)
    stage.run_through()

    assert stage.journal.repeated() == []
    assert stage.journal.is_in_order()
    assert all(stage.journal.is_after(child, parent) for child in (one, other))
    assert all(stage.journal.is_after(merged, parent) for parent in (one, other))
    stage.run(lambda: stage.has_ended(parent, one, other), "the closed shards say that they have ended")
    assert not stage.has_ended(merged)


@WORKERS
def test_each_record_is_handled_once_and_in_order_when_two_shards_become_eight_and_then_three(
    stages, workers
):
    stage = stages(shards=2)
    for _ in range(workers):
        stage.start()

    def reshard() -> None:
        for count in (4, 8, 4, 3):  # the service at most doubles or halves them in one go
            stage.publish(125)
            stage.resize(count)
            stage.publish(125)

    with ThreadPoolExecutor(1) as pool:
        resharding = pool.submit(reshard)
        stage.run(resharding.done, "the stream has three shards")
    resharding.result()
    stage.run_through()

    assert stage.journal.repeated() == []
    assert stage.journal.is_in_order()
    lineage = stage.broker.lineage(stage.source)
    closed = {parent for parents in lineage.values() for parent in parents}
    assert len(lineage) - len(closed) == 3
    assert all(
        stage.journal.is_after(child, parent) for child, parents in lineage.items() for parent in parents
    )
    stage.run(lambda: stage.has_ended(*closed), "the closed shards say that they have ended")
    assert not stage.has_ended(*(lineage.keys() - closed))
