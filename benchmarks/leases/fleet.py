"""Ten workers as processes, and what the database says of their leases."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from typing import Any

import psycopg

from benchmarks.run import VARIABLE, Run

INTERVAL_SECONDS = 3.0
PATIENCE_SECONDS = 300
LOOK_SECONDS = 0.2
SHARES = """
    SELECT worker.process_id, count(*) FROM streamapp_lease AS lease
    JOIN streamapp_worker AS worker ON worker.id = lease.worker_id AND worker.state = 'alive'
    GROUP BY worker.process_id"""
REASSIGNED = """
    SELECT extract(epoch FROM max(lease.taken_at) - (worker.heartbeat_at + worker.ttl))
    FROM streamapp_lease AS lease, streamapp_worker AS worker
    WHERE worker.process_id = %s AND lease.checkpoint_id = ANY(%s) GROUP BY worker.heartbeat_at, worker.ttl"""
HELD = """
    SELECT lease.checkpoint_id FROM streamapp_lease AS lease
    JOIN streamapp_worker AS worker ON worker.id = lease.worker_id WHERE worker.process_id = %s"""


class Fleet:
    """Workers of one subscription; the database is asked on a connection of its own."""

    def __init__(self, name: str, shards: int, workers: int) -> None:
        self._run = Run("leases", name, name, shards)
        self._shards = shards
        self._count = workers
        self._connection = psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)
        self._processes: list[subprocess.Popen[str]] = []

    def start(self) -> float:
        """Start all workers, wait for even shares, and return the seconds that took from the first one on."""
        environment = {**os.environ, VARIABLE: json.dumps(asdict(self._run))}
        command = [sys.executable, "-m", "benchmarks.leases.worker"]
        for _ in range(self._count):
            self._processes.append(
                subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
            )
        self._await(lambda shares: bool(shares), "the first share")
        begun = time.monotonic()
        self.await_shares()
        return time.monotonic() - begun

    def await_shares(self) -> None:
        """Wait until all shards are spread evenly, within one, over the workers that live."""
        least = self._shards // len(self._processes)
        self._await(
            lambda shares: (
                len(shares) == len(self._processes)
                and sum(shares.values()) == self._shards
                and all(least <= share <= least + 1 for share in shares.values())
            ),
            "even shares",
        )

    def kill_one(self) -> float:
        """Kill a worker and wait for even shares.

        Returns the seconds from the end of its TTL to the taking of its last shard, by the database's clock.
        """
        killed = self._processes.pop()
        held = [checkpoint for (checkpoint,) in self._rows(HELD, killed.pid)]
        killed.kill()
        killed.communicate()
        self._await(lambda shares: killed.pid not in shares, "the death")
        self._await(lambda shares: sum(shares.values()) == self._shards, "all shards to be taken")
        ((seconds,),) = self._rows(REASSIGNED, killed.pid, held)
        self.await_shares()
        return float(seconds)

    def end(self) -> list[list[tuple[float, str, int]]]:
        """Stop all workers and return the updates that each has made."""
        for process in self._processes:
            process.send_signal(signal.SIGTERM)
        said = [process.communicate(timeout=PATIENCE_SECONDS)[0] for process in self._processes]
        return [[(at, table, rows) for at, table, rows in json.loads(each)] for each in said]

    def close(self) -> None:
        """Kill what still runs."""
        for process in self._processes:
            process.kill()
        self._connection.close()

    def _await(self, condition: Any, what: str) -> None:
        until = time.monotonic() + PATIENCE_SECONDS
        while not condition(shares := dict(self._rows(SHARES))):
            if time.monotonic() > until:
                raise RuntimeError(f"Waited {PATIENCE_SECONDS} seconds for {what}; shares are {shares}.")
            time.sleep(LOOK_SECONDS)

    def _rows(self, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
        return self._connection.execute(query, parameters or None).fetchall()
