"""In a real browser, consumers running on real servers: what is reviewed is stored, and is what happens."""

import pytest

from streamapp.models import Rewind
from tests.browser.consuming import targets
from tests.browser.consuming.stage import SHARDS, until

pytestmark = [
    pytest.mark.live("postgres", "chromium"),
    pytest.mark.alone,
    pytest.mark.timeout(180),
]
MAY = "rewind_checkpoint"


@pytest.mark.parametrize("way", targets.WAYS, ids=lambda way: way.__name__)
def test_what_the_review_shows_is_stored_and_the_handler_gets_exactly_what_is_behind_it(stage, desk, way):
    if way is targets.shift and stage.kind == "kinesis":
        pytest.skip("positions of Kinesis don't count records; the refusal has a test of its own")
    operator = desk(MAY)
    operator.ask_where_to(stage.orders)
    places = way(stage, operator)
    reviewed = operator.review()
    assert way not in (targets.moment, targets.as_of) or f" {targets.ZONE} = " in operator.text()
    assert {int(stage.log.number(shard)) for shard in reviewed} == set(places)
    assert stage.stored(stage.orders) == stage.ends(stage.orders), "a review moves nothing"
    stage.worker.close_gate()

    number = operator.apply()

    written = stage.moved(number)
    assert {shard.checkpoint.shard: stage.told(shard.new_position) for shard in written} == reviewed
    assert operator.result() == reviewed
    found = {shard.checkpoint: stage.log.place(shard.checkpoint.key, shard.new_position) for shard in written}
    assert {int(stage.log.number(row.shard)): place for row, place in found.items()} == places
    assert stage.stored(stage.orders) == {**stage.ends(stage.orders), **places}
    later = {shard: stage.write(stage.orders, shard, 1) for shard in SHARDS}
    others = {stage.log.shard_id(shard): later[shard] for shard in SHARDS if shard not in places}
    stage.worker.open_gate()
    stage.await_given(stage.orders, stage.behind(stage.orders, places) | others)
    stage.await_stored(stage.orders, stage.ends(stage.orders))
    operator.await_state("read", len(places))
    stage.await_given(stage.orders, stage.behind(stage.orders, places) | others)


def test_shards_that_are_not_ticked_stay(stage, desk):
    operator = desk(MAY)
    operator.ask_where_to(stage.orders, [stage.log.shard_id(1)])
    operator.choose("earliest")
    assert list(operator.review()) == [stage.log.shard_id(1)]

    number = operator.apply()

    assert [shard.checkpoint.shard for shard in stage.moved(number)] == [stage.log.shard_id(1)]
    stage.await_given(stage.orders, stage.behind(stage.orders, {1: 0}))
    stage.await_stored(stage.orders, stage.ends(stage.orders))


def test_an_undo_brings_the_old_positions_back_while_a_call_runs(stage, desk):
    operator = desk(MAY)
    operator.ask_where_to(stage.orders)
    operator.choose("earliest")
    operator.review()
    stage.worker.close_gate()
    number = operator.apply()
    until(lambda: stage.worker.given(stage.orders), lambda: "the first call behind the rewind")
    begun = stage.worker.given(stage.orders)
    old = {shard.checkpoint.shard: stage.told(shard.old_position) for shard in stage.moved(number)}

    assert operator.undo(number) == old
    undo = operator.apply()

    back = stage.moved(undo)
    assert {shard.checkpoint.shard: stage.told(shard.new_position) for shard in back} == old
    assert Rewind.objects.get(pk=undo).undoes_id == number
    assert stage.stored(stage.orders) == stage.ends(stage.orders)
    new = {stage.log.shard_id(shard): stage.write(stage.orders, shard, 2) for shard in SHARDS}
    stage.worker.open_gate()
    operator.await_state("read", len(SHARDS))
    stage.await_stored(stage.orders, stage.ends(stage.orders))
    stage.await_given(stage.orders, {shard: begun.get(shard, []) + values for shard, values in new.items()})


def test_of_two_operators_the_second_is_refused_and_sees_what_has_changed(stage, desk):
    first, second = desk(MAY), desk(MAY, name="other")
    for operator in (first, second):
        operator.ask_where_to(stage.orders)
        operator.choose("earliest" if operator is first else "latest")
        operator.review()
    first.apply()
    stage.await_given(stage.orders, stage.behind(stage.orders, dict.fromkeys(SHARDS, 0)))
    rewinds = Rewind.objects.count()

    second.press_apply()

    assert second.is_told_that_the_plan_is_stale() == {stage.log.shard_id(shard) for shard in SHARDS}
    assert Rewind.objects.count() == rewinds
    stage.await_stored(stage.orders, stage.ends(stage.orders))
    second.review_again()
    second.apply()
    assert Rewind.objects.count() == rewinds + 1


def test_positions_that_do_not_count_records_are_refused_at_the_field(stage, desk):
    if stage.kind == "kafka":
        pytest.skip("offsets of Kafka count records")
    operator = desk(MAY)
    operator.ask_where_to(stage.orders)
    operator.choose("shift", records="-3")
    assert "count" in operator.refused("shift")
    stage.await_given(stage.orders, {})
