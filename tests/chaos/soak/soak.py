"""One soak from its first record to its report."""

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import Error as DatabaseError
from django.db import connection

from streamapp.models import Checkpoint, RewoundShard
from tests.chaos.soak import judge
from tests.chaos.soak.crew import Crew
from tests.chaos.soak.history import Done, Move
from tests.chaos.soak.models import Effect
from tests.chaos.soak.moods import Mood, mood_of
from tests.chaos.soak.report import Report
from tests.chaos.soak.sampler import Sampler
from tests.chaos.soak.stage import EXACT, MOVING, SUBSCRIPTIONS
from tests.chaos.soak.storm import Storm
from tests.chaos.soak.traffic import Log, Traffic

CATCH_UP_SECONDS = 240.0
TICK_SECONDS = 0.05


class Soak:
    """Lets the storm rage for so many seconds, then has everything handled and judged."""

    def __init__(self, log: Log, crew: Crew, storm: Storm, seed: int, rate: int) -> None:
        self._log = log
        self._crew = crew
        self._storm = storm
        self._seed = seed
        self._traffic = Traffic(log, rate)
        self._sampler = Sampler(crew.silent.__contains__)

    def run(self, seconds: float) -> Report:
        """Return what was seen; raises when the soak itself couldn't be carried out."""
        report = Report(seconds)
        self._sampler.start()
        self._traffic.start()
        try:
            self._rage(seconds)
        finally:
            stored = self._traffic.stop()
        self._calm_down(report)
        self._crew.stop_all()
        self._sampler.stop()
        self._judge(report, stored)
        return report

    def _rage(self, seconds: float) -> None:
        self._crew.tend()
        _await(lambda: Effect.objects.count() > 100, 60)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._storm.blows.run_once()
            self._crew.tend()
            time.sleep(TICK_SECONDS)

    def _calm_down(self, report: Report) -> None:
        """Mend all and start afresh, so that what was held comes again and is handled."""
        self._storm.end()
        self._crew.calm = True
        self._crew.stop_all()
        self._crew.tend()
        report.faults["unfinished"] = []
        if not _await(lambda: not self._behind(), CATCH_UP_SECONDS):
            report.faults["unfinished"] = self._behind()

    def _behind(self) -> list[str]:
        ends = self._log.ends()
        stored: dict[str, dict[str, int]] = defaultdict(dict)
        for row in Checkpoint.objects.select_related("subscription"):
            stored[row.subscription.name][row.shard] = row.position
        return [
            f"{name} {shard} stands at {stored[name].get(shard)}, the end is {end}"
            for name in SUBSCRIPTIONS
            for shard, end in ends.items()
            if stored[name].get(shard, -1) < end
        ]

    def _judge(self, report: Report, stored: int) -> None:
        log, moves = self._log.read(), _moves()
        done = {name: _done(name) for name in SUBSCRIPTIONS}
        faults: dict[str, list[str]] = defaultdict(list)
        for name in SUBSCRIPTIONS:
            of_name = [passage for passage in self._sampler.passages if passage.subscription == name]
            faults["lost"] += _named(name, judge.lost(log, done[name], moves[name]))
            faults["checkpoint passed"] += _named(name, judge.passed(log, of_name, moves[name]))
            faults["unknown"] += _named(name, judge.unknown(log, done[name]))
            once = name in EXACT
            faults["doubled effects"] += _named(name, judge.doubled(done[name]) if once else ())
            life = (lambda effect: 0) if once else (lambda effect: (effect.epoch, effect.generation))
            faults["out of order"] += _named(name, judge.disordered(done[name], life))
        faults["left out"] += _named(MOVING, judge.skipped(log, done[MOVING], self._is_held))
        records = sum(map(len, log.values()))
        faults["lost"] += [f"{stored - records} that were written"] * (records < stored)
        report.faults |= faults
        report.figures |= self._figures(records, done)

    def _figures(self, records: int, done: Mapping[str, Mapping[str, Sequence[Done]]]) -> dict[str, object]:
        moving = [(shard, each.position) for shard, effects in done[MOVING].items() for each in effects]
        passages = self._sampler.passages
        return {
            "seed": self._seed,
            "records": records,
            "effects": sum(len(each) for name in done.values() for each in name.values()),
            "duplicates delivered": len(moving) - len(set(moving)),
            "kills": self._crew.counted["kills"],
            "takeovers": self._sampler.counted["takeovers"],
            "rebalances": self._sampler.counted["rebalances"],
            "fenced saves": self._crew.fenced(),
            "looks at checkpoints": self._sampler.counted["looks"],
            "moves of checkpoints seen": len(passages),
            "ranges behind them seen": sum(passage.settled for passage in passages),
            **{name: count for name, count in self._crew.counted.items() if name != "kills"},
            **self._storm.blows.counted,
        }

    def _is_held(self, number: int) -> bool:
        return mood_of(self._seed, MOVING, number) is Mood.HOLD


def _moves() -> dict[str, dict[str, list[Move]]]:
    moves: dict[str, dict[str, list[Move]]] = defaultdict(lambda: defaultdict(list))
    for row in RewoundShard.objects.select_related("checkpoint__subscription"):
        move = Move(row.epoch, row.old_position, row.new_position)
        moves[row.checkpoint.subscription.name][row.checkpoint.shard].append(move)
    return moves


def _done(name: str) -> dict[str, list[Done]]:
    done: dict[str, list[Done]] = defaultdict(list)
    columns = ("shard", "id", "position", "number", "key", "epoch", "generation")
    for shard, *effect in Effect.objects.filter(subscription=name).order_by("id").values_list(*columns):
        done[shard].append(Done(*effect))
    return done


def _named(subscription: str, faults: Any) -> list[str]:
    return [f"{subscription} {fault}" for fault in faults]


def _await(condition: Any, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            if condition():
                return True
        except DatabaseError:
            connection.close()
        time.sleep(0.5)
    return False
