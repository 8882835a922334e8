"""One soak from its first record to its report."""

import sys
import time
from collections import defaultdict
from typing import Any

from django.db import Error as DatabaseError
from django.db import connection

from streamapp.models import Checkpoint, DelayedRecord
from tests.chaos.soak.crew import Crew
from tests.chaos.soak.models import Effect
from tests.chaos.soak.report import Report
from tests.chaos.soak.sampler import Sampler
from tests.chaos.soak.stage import EXACT, SUBSCRIPTIONS
from tests.chaos.soak.storm import Storm
from tests.chaos.soak.traffic import Log, Traffic
from tests.chaos.soak.verdict import Verdict

CATCH_UP_SECONDS = 240.0
TICK_SECONDS = 0.05
LOOK_SECONDS = 2.0


class Soak:
    """Lets the storm rage for so many seconds, then has everything handled and judged."""

    def __init__(self, log: Log, crew: Crew, storm: Storm, seed: int, rate: int) -> None:
        self._log = log
        self._crew = crew
        self._storm = storm
        self._seed = seed
        self._traffic = Traffic(log, rate)
        self._next_look = 0.0
        self._sampler = Sampler(crew.silent.__contains__)

    def run(self, seconds: float) -> Report:
        """Return what was seen; raises when the soak itself couldn't be carried out."""
        report = Report(seconds)
        self._sampler.start()
        self._traffic.start()
        self._rage(seconds)
        stored = self._traffic.stop()
        self._calm_down(report)
        self._crew.stop_all()
        self._sampler.stop()
        verdict = Verdict(self._log, self._sampler.passages, self._seed)
        report.faults |= {**verdict.faults(stored), "workers that died": self._crew.died}
        report.figures |= self._figures(verdict)
        return report

    def _rage(self, seconds: float) -> None:
        self._crew.tend()
        _await(lambda: Effect.objects.count() > 100, 60)
        began = time.monotonic()
        while time.monotonic() < began + seconds:
            self._storm.blows.run_once()
            self._crew.tend()
            self._look(time.monotonic() - began)
            time.sleep(TICK_SECONDS)

    def _look(self, seconds: float) -> None:
        """See once in a while how far everything has come, and say so."""
        if seconds < self._next_look:
            return
        self._next_look = seconds + LOOK_SECONDS
        try:
            counts = {name: Effect.objects.filter(subscription=name).count() for name in SUBSCRIPTIONS}
        except DatabaseError:
            connection.close()
            return
        self._traffic.handled = min(counts[name] for name in EXACT)
        kinds = dict(self._storm.blows.counted)
        print(
            f"{seconds:5.0f} s: {self._traffic.written} written, effects {counts}, blows {kinds}",
            file=sys.stderr,
        )

    def _calm_down(self, report: Report) -> None:
        """Mend all and start afresh, so that what was held comes again and is handled."""
        self._storm.end()
        self._crew.calm = True
        self._crew.stop_all()
        self._crew.tend()
        is_done = _await(lambda: not self._behind(), CATCH_UP_SECONDS)
        report.faults["unfinished"] = [] if is_done else self._behind()

    def _behind(self) -> list[str]:
        ends = self._log.ends()
        stored: dict[str, dict[str, int]] = defaultdict(dict)
        for row in Checkpoint.objects.select_related("subscription"):
            stored[row.subscription.name][row.shard] = row.position
        behind = [
            f"{name} {shard} stands at {stored[name].get(shard)}, the end is {end}"
            for name in SUBSCRIPTIONS
            for shard, end in ends.items()
            if stored[name].get(shard, -1) < end
        ]
        # Read after the checkpoints: a record that one of them has passed has its copy by then.
        return behind + [f"{row} is still delayed" for row in DelayedRecord.objects.all()]

    def _figures(self, verdict: Verdict) -> dict[str, object]:
        passages = self._sampler.passages
        return {
            "seed": self._seed,
            "records": verdict.records,
            "effects": verdict.effects,
            "duplicates delivered": verdict.duplicates(),
            "delayed copies handled": verdict.copies(),
            "dead letters": verdict.dead_letters,
            "kills": self._crew.kills,
            "takeovers": self._sampler.counted["takeovers"],
            "rebalances": self._sampler.counted["rebalances"],
            "fenced saves": self._crew.fenced(),
            "looks at checkpoints": self._sampler.counted["looks"],
            "moves of checkpoints seen": len(passages),
            "ranges behind them seen": sum(passage.settled for passage in passages),
            **{name.replace("_", " "): count for name, count in self._storm.blows.counted.items()},
        }


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
