"""A bounded number of threads for any number of shards, each of which has its own time."""

import heapq
import itertools
import threading
import time
import weakref
from abc import ABC, abstractmethod


class Task(ABC):
    """What is run again and again, by one thread at a time."""

    @abstractmethod
    def run_once(self) -> float | None:
        """Do one step; return the seconds until the next, None to rest until it is woken. Never raises."""


class Pool:
    """Runs tasks when they are due. Threads are started as tasks come, up to a limit."""

    def __init__(self, limit: int) -> None:
        """Take the most threads."""
        self._limit = limit
        self._changed = threading.Condition()
        self._queue: list[tuple[float, int, Task]] = []
        self._numbers = itertools.count()
        self._known: set[Task] = set()
        self._woken: set[Task] = set()
        self._idle = 0
        self._guarded = False
        self._closed = False
        self.threads: list[threading.Thread] = []
        self.tasks: weakref.WeakSet[Task] = weakref.WeakSet()
        """The tasks that somebody still holds."""

    def wake(self, task: Task) -> None:
        """Run a resting task soon. One that is being run is run again, one that is queued keeps its time."""
        with self._changed:
            self.tasks.add(task)
            if task in self._known:
                self._woken.add(task)
            else:
                self._push(task, 0.0)
                self._grow()

    def close(self) -> None:
        """End the threads after the steps that they are in; doesn't wait for them."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _push(self, task: Task, delay: float) -> None:
        self._known.add(task)
        heapq.heappush(self._queue, (time.monotonic() + delay, next(self._numbers), task))
        self._changed.notify_all()

    def _grow(self) -> None:
        if not self._idle and len(self.threads) < self._limit and not self._closed:
            thread = threading.Thread(target=self._work, name=f"kinesis-{len(self.threads)}", daemon=True)
            self.threads.append(thread)
            thread.start()

    def _work(self) -> None:
        while task := self._next():
            delay = task.run_once()
            with self._changed:
                self._known.discard(task)
                woken = task in self._woken
                self._woken.discard(task)
                if delay is not None or woken:
                    self._push(task, delay or 0.0)

    def _next(self) -> Task | None:
        """Wait for the next task that is due; one idle thread watches the clock, the others only listen."""
        with self._changed:
            while not self._closed:
                wait = self._queue[0][0] - time.monotonic() if self._queue else None
                if wait is not None and wait <= 0:
                    task = heapq.heappop(self._queue)[2]
                    self._woken.discard(task)
                    self._changed.notify()
                    return task
                self._listen(None if self._guarded else wait)
            return None

    def _listen(self, wait: float | None) -> None:
        self._idle += 1
        watching = wait is not None
        self._guarded = self._guarded or watching
        self._changed.wait(wait)
        self._guarded = self._guarded and not watching
        self._idle -= 1
