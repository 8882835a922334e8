"""Four workers as processes, the traffic for them, and the process that rewinds."""

import json
import os
import random
import subprocess
import sys
import threading
import time
from dataclasses import asdict

from confluent_kafka import Producer

from benchmarks.records import value
from benchmarks.run import VARIABLE, Run

WORKERS = 4
RECORDS_A_SECOND = 200
PATIENCE_SECONDS = 120
PAUSE_SECONDS = (1.0, 2.0)
"""Between two rewinds, drawn: no rewind shall always meet the same moment of a worker's second."""


class Crew:
    """Workers of one subscription. What they say is read as it comes: a partition and when it went back."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._environment = {**os.environ, VARIABLE: json.dumps(asdict(run))}
        self._processes: list[subprocess.Popen[str]] = []
        self._told: list[dict[str, float]] = []
        self._news = threading.Condition()
        self._ended = threading.Event()

    def start(self) -> None:
        """Start workers, traffic and the rewinding process, and wait until each worker has a partition."""
        for _ in range(WORKERS):
            process = self._start("benchmarks.rewind.worker")
            threading.Thread(target=self._listen, args=(process,), daemon=True).start()
        threading.Thread(target=self._publish, daemon=True).start()
        self._operator = self._start("benchmarks.rewind.operator")
        self._await(lambda: len({told["process"] for told in self._told}) == WORKERS, "a partition a worker")

    def rewind(self) -> list[float]:
        """Rewind all partitions and return after how many seconds each came to its first record again."""
        time.sleep(random.uniform(*PAUSE_SECONDS))
        seen = len(self._told)
        assert self._operator.stdin and self._operator.stdout
        self._operator.stdin.write("rewind\n")
        self._operator.stdin.flush()
        applied = float(self._operator.stdout.readline())

        def back() -> dict[float, float]:
            told = [each for each in self._told[seen:] if each["back"]]
            return {each["partition"]: each["at"] for each in reversed(told)}

        self._await(lambda: len(back()) == WORKERS, "all partitions to go back")
        return [at - applied for at in back().values()]

    def close(self) -> None:
        """End what still runs."""
        self._ended.set()
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.wait(PATIENCE_SECONDS)

    def _start(self, module: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-m", module],
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._processes.append(process)
        return process

    def _listen(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdout
        for line in process.stdout:
            with self._news:
                self._told.append({**json.loads(line), "process": process.pid})
                self._news.notify_all()

    def _publish(self) -> None:
        producer = Producer({"bootstrap.servers": os.environ["KAFKA_BOOTSTRAP_SERVERS"], "linger.ms": 0})
        number = self._run.records
        while not self._ended.wait(WORKERS / RECORDS_A_SECOND):
            for partition in range(WORKERS):
                producer.produce(self._run.stream, value(number), None, partition)
                number += 1
            producer.poll(0)
        producer.flush(PATIENCE_SECONDS)

    def _await(self, condition: object, what: str) -> None:
        with self._news:
            if not self._news.wait_for(condition, PATIENCE_SECONDS):  # type: ignore[arg-type]
                raise RuntimeError(f"Waited {PATIENCE_SECONDS} seconds for {what}; {self._told[-5:]}")
