"""Reads what a soak has left behind and has it judged."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial

from streamapp.models import DeadLetter, DelayedRecord, RewoundShard
from tests.chaos.soak import judge, judge_ladder
from tests.chaos.soak.history import Done, Letter, Move, Passage
from tests.chaos.soak.models import Effect
from tests.chaos.soak.moods import Mood, fails, is_poison, mood_of
from tests.chaos.soak.stage import ATTEMPTS_IN_PLACE, EXACT, LADDER, MOVING, SUBSCRIPTIONS
from tests.chaos.soak.traffic import Log


class Verdict:
    """Compares the effects in the database with the whole log, row by row."""

    def __init__(self, log: Log, passages: Sequence[Passage], seed: int) -> None:
        self._log = log.read()
        self._parents = log.parents()
        self._passages = passages
        self._seed = seed
        self._moves = _moves()
        self._done = {name: _done(name) for name in SUBSCRIPTIONS}
        self._letters = _letters()
        self.dead_letters = sum(map(len, self._letters.values()))
        self.records = sum(map(len, self._log.values()))
        self.effects = sum(len(each) for done in self._done.values() for each in done.values())

    def faults(self, stored: int) -> dict[str, list[str]]:
        """Return what is wrong, by kind; `stored` is how many records the log has promised to have."""
        faults: dict[str, list[str]] = defaultdict(list)
        faults["lost"] = [f"{stored - self.records} that were written"] * (self.records < stored)
        for name in SUBSCRIPTIONS:
            for kind, found in self._faults_of(name):
                faults[kind] += [f"{name} {fault}" for fault in found]
        faults["still delayed"] = [f"{LADDER} {row}" for row in DelayedRecord.objects.all()]
        return faults

    def duplicates(self) -> int:
        """Return how often the subscription that is moved about was given a record again."""
        moving = [(shard, each.position) for shard, effects in self._done[MOVING].items() for each in effects]
        return len(moving) - len(set(moving))

    def copies(self) -> int:
        """Return how many effects delayed copies have: their attempts are those after the ones in place."""
        effects = (each for done in self._done[LADDER].values() for each in done)
        return sum(each.attempt > ATTEMPTS_IN_PLACE for each in effects)

    def _faults_of(self, name: str) -> Iterator[tuple[str, Iterator[str]]]:
        log, done, moves = self._log, self._done[name], self._moves[name]
        passages = [passage for passage in self._passages if passage.subscription == name]
        yield "checkpoint passed", judge.passed(log, passages, moves)
        yield "unknown", judge.unknown(log, done)
        if name == LADDER:
            yield from self._faults_of_ladder()
            return
        yield "lost", judge.lost(log, done, moves)
        if name in EXACT:
            yield "doubled effects", judge.doubled(done)
            yield "out of order", judge.disordered(done, _whole_life, self._held_in(name))
            yield "out of order", judge.early(done, self._parents)
        else:
            yield "out of order", judge.disordered(done, _generation, self._held_in(name))
            yield "left out", judge.skipped(log, done, self._held_in(name))

    def _faults_of_ladder(self) -> Iterator[tuple[str, Iterator[str]]]:
        log, done, letters = self._log, self._done[LADDER], self._letters
        yield "lost", judge_ladder.vanished(log, done, letters)
        yield "wrong dead letters", judge_ladder.wrong(log, letters, partial(is_poison, self._seed))
        yield "effects of failed attempts", judge_ladder.kept(done, partial(fails, self._seed))

    def _held_in(self, name: str) -> judge.IsHeld:
        return lambda number: mood_of(self._seed, name, number) is Mood.HOLD


def _whole_life(effect: Done) -> object:
    return None


def _generation(effect: Done) -> object:
    return effect.epoch, effect.generation


def _moves() -> dict[str, dict[str, list[Move]]]:
    moves: dict[str, dict[str, list[Move]]] = defaultdict(lambda: defaultdict(list))
    for row in RewoundShard.objects.select_related("checkpoint__subscription"):
        move = Move(row.epoch, row.old_position, row.new_position)
        moves[row.checkpoint.subscription.name][row.checkpoint.shard].append(move)
    return moves


def _letters() -> dict[str, list[Letter]]:
    letters: dict[str, list[Letter]] = defaultdict(list)
    for row in DeadLetter.objects.filter(subscription=LADDER):
        letters[row.shard].append(Letter(row.position, _number(bytes(row.value or b""))))
    return letters


def _number(payload: bytes) -> int | None:
    return int(payload) if payload.isdigit() else None


def _done(name: str) -> dict[str, list[Done]]:
    done: dict[str, list[Done]] = defaultdict(list)
    columns = ("shard", "id", "position", "number", "key", "epoch", "generation", "attempt")
    for shard, *effect in Effect.objects.filter(subscription=name).order_by("id").values_list(*columns):
        done[shard].append(Done(*effect))
    return done
