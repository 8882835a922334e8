"""The judge of the soaks finds what it is there to find: made-up histories with one fault each."""

import pytest

from tests.chaos.soak import judge, judge_ladder
from tests.chaos.soak.history import Done, Letter, Move, Passage, Place
from tests.chaos.soak.moods import fails, is_poison
from tests.chaos.soak.report import Report

PLENTY = {
    "kills": 20,
    "takeovers": 10,
    "rebalances": 10,
    "fenced saves": 5,
    "delayed copies handled": 10,
    "dead letters": 10,
}
LOG = {"0": [Place(position, position + 100, "a") for position in range(5)]}


def done(*positions: int, epoch: int = 1, generation: int = 0, first: int = 0) -> list[Done]:
    return [
        Done(first + order, position, position + 100, "a", epoch, generation)
        for order, position in enumerate(positions)
    ]


def passage(end: int, *handled: int, epoch: int = 1, handled_under: int = 1) -> Passage:
    return Passage("exact", "0", epoch, 0, end, dict.fromkeys(handled, handled_under))


def never(number: int) -> bool:
    return False


def generation_of(effect: Done) -> object:
    return effect.epoch, effect.generation


def test_a_history_without_faults_has_none():
    history = {"0": done(0, 1, 2, 3, 4)}
    assert not list(judge.lost(LOG, history, {}))
    assert not list(judge.doubled(history))
    assert not list(judge.unknown(LOG, history))
    assert not list(judge.disordered(history, generation_of, never))
    assert not list(judge.skipped(LOG, history, never))
    assert not list(judge.passed(LOG, [passage(3, 0, 1, 2)], {}))


def test_a_record_without_effect_is_lost():
    [fault] = judge.lost(LOG, {"0": done(0, 1, 3, 4)}, {})
    assert "0@2" in fault


def test_a_record_that_a_rewind_brought_back_is_lost_unless_it_is_handled_again():
    history = {"0": done(0, 1, 2, 3, 4) + done(1, 2, 3, epoch=2, first=5)}
    [fault] = judge.lost(LOG, history, {"0": [Move(epoch=2, old=5, new=1)]})
    assert "0@4" in fault


def test_a_record_that_a_rewind_jumped_over_need_not_be_handled():
    jumped = {"0": [Move(epoch=2, old=1, new=4)]}
    assert not list(judge.lost(LOG, {"0": done(0) + done(4, epoch=2, first=1)}, jumped))


def test_a_record_before_the_jump_must_have_been_handled():
    [fault] = judge.lost(LOG, {"0": done(4, epoch=2)}, {"0": [Move(epoch=2, old=1, new=4)]})
    assert "0@0" in fault


def test_what_a_worker_does_after_it_has_lost_its_shard_counts_for_nothing():
    faults = list(judge.lost(LOG, {"0": done(0, 1, 2, 3, 4, epoch=0)}, {}))
    assert len(faults) == 5


def test_two_effects_of_one_record_are_one_too_many():
    [fault] = judge.doubled({"0": done(0, 1) + done(1, epoch=2, first=2)})
    assert "0@1 2 times" in fault


@pytest.mark.parametrize("effect", [Done(0, 9, 109, "a", 1, 0), Done(0, 1, 100, "a", 1, 0)])
def test_an_effect_of_nothing_in_the_log_is_named(effect):
    assert list(judge.unknown(LOG, {"0": [effect]}))


def test_a_checkpoint_behind_an_unhandled_record_has_passed_it():
    [fault] = judge.passed(LOG, [passage(3, 0, 2)], {})
    assert "0@1" in fault


def test_a_checkpoint_may_not_rest_on_what_was_handled_before_a_rewind():
    moves = {"0": [Move(epoch=2, old=5, new=1)]}
    faults = list(judge.passed(LOG, [passage(3, 0, 1, 2, epoch=2)], moves))
    assert len(faults) == 2, "the record before the position needn't be handled again"
    assert not list(judge.passed(LOG, [passage(3, 0, 1, 2, epoch=2, handled_under=2)], moves))


def test_a_later_rewind_demands_nothing_of_an_earlier_checkpoint():
    moves = {"0": [Move(epoch=2, old=5, new=1)]}
    assert not list(judge.passed(LOG, [passage(3, 0, 1, 2, epoch=1)], moves))


def test_a_later_record_of_a_key_before_an_earlier_one_is_out_of_order():
    [fault] = judge.disordered({"0": done(0, 2, 1)}, generation_of, never)
    assert "0@2 before 1" in fault


def test_another_generation_may_begin_further_back():
    history = {"0": done(3, 4) + done(0, 1, generation=1, first=2)}
    assert not list(judge.disordered(history, generation_of, never))


def test_a_held_record_may_come_later():
    assert not list(judge.disordered({"0": done(0, 2, 1)}, generation_of, lambda number: number == 101))


def test_a_generation_that_leaves_a_record_out_is_named():
    [fault] = judge.skipped(LOG, {"0": done(0, 1, 3)}, never)
    assert "0@2" in fault


def test_a_child_that_begins_before_the_end_of_its_parent_is_early():
    history = {"parent": done(0, 1, first=5), "child": done(7, first=5)}
    assert list(judge.early(history, {"child": ["parent"]}))
    history["child"] = done(7, first=7)
    assert not list(judge.early(history, {"child": ["parent"]}))


def letter(position: int) -> Letter:
    return Letter(position, position + 100)


def poisoned(number: int) -> bool:
    return number == 102


def test_a_ladder_without_faults_has_none():
    history, letters = {"0": done(0, 1, 3, 4)}, {"0": [letter(2)]}
    assert not list(judge_ladder.vanished(LOG, history, letters))
    assert not list(judge_ladder.wrong(LOG, letters, poisoned))
    assert not list(judge_ladder.kept(history, lambda number, attempt: poisoned(number)))


def test_a_record_with_neither_effect_nor_dead_letter_is_lost():
    [fault] = judge_ladder.vanished(LOG, {"0": done(0, 1, 4)}, {"0": [letter(2)]})
    assert "0@3" in fault


def test_what_another_shard_has_of_the_same_position_makes_up_for_nothing():
    elsewhere = {"1": done(3)}, {"1": [letter(3)]}
    assert any("0@3" in fault for fault in judge_ladder.vanished(LOG, *elsewhere))


def test_a_copy_may_be_handled_by_a_worker_that_does_not_hold_its_shard():
    assert not list(judge_ladder.vanished(LOG, {"0": done(0, 1, 2, 3, 4, epoch=0)}, {}))


def test_a_dead_letter_of_a_record_that_can_be_handled_is_wrong():
    [fault] = judge_ladder.wrong(LOG, {"0": [letter(2), letter(3)]}, poisoned)
    assert "0@3" in fault


@pytest.mark.parametrize("odd", [Letter(9, 102), Letter(1, 102), Letter(2, 103), Letter(2, None)])
def test_a_dead_letter_of_nothing_in_the_log_or_with_another_payload_is_wrong(odd):
    assert list(judge_ladder.wrong(LOG, {"0": [odd]}, poisoned))


def test_an_effect_of_poison_is_named():
    [fault] = judge_ladder.kept({"0": done(1, 2, 3)}, lambda number, attempt: poisoned(number))
    assert "0@2" in fault


def test_an_effect_of_a_failed_attempt_is_named_though_a_later_one_has_succeeded():
    twice = {"0": [Done(attempt, 2, 102, "a", 1, 0, attempt) for attempt in (2, 3)]}
    [fault] = judge_ladder.kept(twice, lambda number, attempt: attempt < 3)
    assert "attempt 2" in fault


def test_poison_fails_for_ever_and_other_failures_end_after_the_copy_at_the_latest():
    most = {number: [fails(7, number, attempt) for attempt in (1, 2, 3, 4)] for number in range(1000)}
    assert all(failed == [True] * 4 for number, failed in most.items() if is_poison(7, number))
    others = [failed for number, failed in most.items() if not is_poison(7, number)]
    assert {tuple(failed) for failed in others} == {
        (False, False, False, False),
        (True, False, False, False),
        (True, True, False, False),
    }


def test_a_soak_in_which_too_little_has_happened_has_not_passed():
    assert Report(600, PLENTY).has_passed
    for name in PLENTY:
        lazy = Report(600, {**PLENTY, name: PLENTY[name] - 1})
        assert not lazy.has_passed
        assert [lack.partition(":")[0] for lack in lazy.lacking()] == [name]


def test_one_fault_is_enough():
    assert not Report(600, PLENTY, {"lost": ["0@1"]}).has_passed
