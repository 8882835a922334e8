"""A seek to a shard that the worker doesn't hold is an error of the handler."""

import pytest

from tests.contract.moving.places import places
from tests.contract.moving.stage import AT_ONCE


@pytest.mark.parametrize(("retry", "calls"), [(None, 1), (AT_ONCE, 2)])
def test_it_is_retried_as_mounted_and_then_held(log, stage, retry, calls):
    errors = []

    def seek(ctx):
        try:
            ctx.seek(stage.position("7@0"))
        except Exception as error:
            errors.append(type(error).__name__)
            raise

    worker = stage.start(start_at="0@8", retry=retry)
    worker.when("0@8", seek, seek)
    stage.run()
    stage.save()
    assert errors == ["NotAssigned"] * calls
    assert worker.handled == [*["0@8"] * calls, "0@9"]
    assert (stage.held(), stage.stored()["0"]) == ([("0", 8)], 8)


def test_another_workers_shard_is_refused_and_stays_where_it_is(log, stage):
    pair = [stage.start(start_at="latest"), stage.start(start_at="latest")]
    stage.run()
    [theirs], [ours] = pair[0].shards, pair[1].shards
    pair[1].when(f"{ours}@10", lambda ctx: ctx.seek(stage.position(f"{theirs}@0")))
    log.fill(stage.topic, 1, partition=int(ours))
    stage.run()
    stage.save()
    assert (pair[0].handled, pair[1].handled) == ([], places(ours, [10]))
    assert stage.held() == [(ours, 10)]
