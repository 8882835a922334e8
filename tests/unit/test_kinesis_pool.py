"""A bounded number of threads reads any number of shards, each at its own time and pace."""

import threading
import time

import pytest

from streamapp.brokers.kinesis.broker import records_a_read
from streamapp.brokers.kinesis.pacing import Pace
from streamapp.brokers.kinesis.pool import Pool, Task


class Counting(Task):
    """Counts its runs, and those that overlapped."""

    def __init__(self, delay: float | None, rounds: int = 1) -> None:
        self.delay = delay
        self.rounds = rounds
        self.runs = 0
        self.overlaps = 0
        self.done = threading.Event()
        self._busy = threading.Lock()

    def run_once(self) -> float | None:
        if not self._busy.acquire(blocking=False):
            self.overlaps += 1
            return None
        try:
            self.runs += 1
            time.sleep(0.001)
            if self.runs >= self.rounds:
                self.done.set()
                return None
            return self.delay
        finally:
            self._busy.release()


@pytest.fixture
def pool():
    pool = Pool(4)
    yield pool
    pool.close()
    for thread in pool.threads:
        thread.join(5)


def test_a_thousand_tasks_are_all_run_by_a_few_threads_and_never_twice_at_once(pool):
    tasks = [Counting(0.0, rounds=3) for _ in range(1000)]
    for task in tasks:
        pool.wake(task)

    assert all(task.done.wait(30) for task in tasks)
    assert len(pool.threads) <= 4
    assert all((task.runs, task.overlaps) == (3, 0) for task in tasks)


def test_a_task_comes_again_at_its_time_though_others_are_waited_for_longer(pool):
    late, soon = Counting(30.0, rounds=2), Counting(0.05, rounds=5)
    pool.wake(late)
    pool.wake(soon)

    assert soon.done.wait(5)
    assert late.runs == 1


def test_a_task_that_is_woken_while_it_runs_is_run_again(pool):
    class Once(Task):
        def __init__(self) -> None:
            self.running, self.go_on, self.again = (threading.Event() for _ in range(3))

        def run_once(self) -> None:
            if self.running.is_set():
                self.again.set()
            self.running.set()
            self.go_on.wait(5)

    task = Once()
    pool.wake(task)
    assert task.running.wait(5)
    pool.wake(task)
    task.go_on.set()

    assert task.again.wait(5)


def test_a_task_at_rest_stays_so_until_it_is_woken(pool):
    resting, other = Counting(None, rounds=100), Counting(0.01, rounds=10)
    pool.wake(resting)
    pool.wake(other)
    assert other.done.wait(5)
    assert resting.runs == 1

    pool.wake(resting)
    again = Counting(0.01, rounds=10)
    pool.wake(again)
    assert again.done.wait(5)
    assert resting.runs == 2


def test_what_is_read_ahead_of_many_shards_is_bounded():
    assert records_a_read(1, 512) == 10_000
    assert all(records_a_read(shards, 0) * shards <= 100_000 for shards in range(10, 1001))


def test_large_records_are_read_in_smaller_pages_but_never_none():
    large = 50_000
    assert all(records_a_read(shards, large) * shards * large <= 2**27 for shards in (1, 30, 1000))
    assert records_a_read(1000, 10**6) == 1


def test_a_shard_is_read_five_times_a_second_and_two_megabytes_a_second():
    now = 0.0
    pace = Pace(lambda: now)
    assert pace.wait() == 0
    assert pace.wait() == pytest.approx(0.2)

    now = 0.2
    assert pace.wait() == 0
    pace.spend(10 * 1024 * 1024)
    assert pace.wait() == pytest.approx(5.0)

    now = 5.2
    assert pace.wait() == 0


def test_the_bytes_of_several_subscriptions_add_up_and_the_time_of_a_read_counts():
    now = 0.0
    pace = Pace(lambda: now)
    pace.wait()
    now = 1.0
    pace.spend(2 * 1024 * 1024)
    pace.spend(2 * 1024 * 1024)

    assert pace.wait() == pytest.approx(1.0)
