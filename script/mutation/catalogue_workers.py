"""Workers, their lives and their leases."""

from mutation.guard import Guard

WORKERS = "contract/store/test_workers.py"
HEARTBEAT = "unit/test_heartbeat.py"
KEEPER = "unit/test_keeper.py"

GUARDS = (
    Guard(
        name="dead-mark-before-taking",
        promise="A lease is taken from a worker only after it was marked dead.",
        file="store/leases.py",
        text="            .exclude(worker__state=WorkerState.ALIVE)\n",
        without="",
        test=f"{WORKERS}::test_a_free_shard_is_taken_from_nobody_the_dead_and_the_departed_only",
    ),
    Guard(
        name="bury-by-own-ttl",
        promise="Only a worker that was silent for its own TTL is marked dead.",
        file="store/workers.py",
        text='state=WorkerState.ALIVE, heartbeat_at__lte=Now() - F("ttl")',
        without="state=WorkerState.ALIVE",
        test=f"{WORKERS}::test_only_workers_past_their_own_ttl_are_buried",
    ),
    Guard(
        name="renew-not-dead",
        promise="A worker that was marked dead never renews again.",
        file="store/workers.py",
        text="id=worker, state=WorkerState.ALIVE, heartbeat_at__gt",
        without="id=worker, heartbeat_at__gt",
        test=f"{WORKERS}::test_a_worker_that_was_declared_dead_never_renews_again",
    ),
    Guard(
        name="renew-not-late",
        promise="A worker that was silent for its TTL doesn't renew, by the database's clock.",
        file="store/workers.py",
        text=", heartbeat_at__gt=ago(ttl_seconds)",
        without="",
        test=f"{WORKERS}::test_a_worker_silent_for_longer_than_its_ttl_does_not_renew_even_if_nobody_noticed",
    ),
    Guard(
        name="release-own",
        promise="A worker gives back only what nobody else has taken.",
        file="store/leases.py",
        text="filter(checkpoint__in=checkpoints, worker=worker).update(worker=None)",
        without="filter(checkpoint__in=checkpoints).update(worker=None)",
        test=f"{WORKERS}::test_releasing_leaves_what_somebody_else_has_taken",
    ),
    Guard(
        name="new-identity",
        promise="A worker that was dead comes back under another identity.",
        file="engine/heartbeat.py",
        text="identity = self._store.workers.register(",
        without="identity = old or self._store.workers.register(",
        test=f"{HEARTBEAT}::test_a_worker_past_its_ttl_starts_no_call_and_comes_back_under_a_new_identity",
    ),
    Guard(
        name="life-is-final",
        promise="A life that was found to be over is not prolonged by a late reply.",
        file="engine/gate.py",
        text="            if not self._over:\n                self.until = until",
        without="            self._over = False\n            self.until = until",
        test=f"{HEARTBEAT}::test_a_life_that_was_found_to_be_over_is_not_prolonged_by_a_late_reply",
    ),
    Guard(
        name="life-from-sending",
        promise="A life counts from when its renewal was sent.",
        file="engine/heartbeat.py",
        text="self.life.prolong(sent + self._ttl)",
        without="self.life.prolong(self._clock() + self._ttl)",
        test="unit/test_life.py::test_the_time_that_a_renewal_takes_is_not_added_to_the_life",
    ),
    Guard(
        name="void-at-the-end-of-life",
        promise="At the end of its life, by its own clock, a worker voids the calls that run.",
        file="engine/keeper.py",
        text="            if over:\n",
        without="            if False:\n",
        test=f"{KEEPER}::test_what_runs_is_void_once_the_life_is_over",
    ),
    Guard(
        name="void-the-old-life-only",
        promise="What a worker has taken under its next identity stays valid.",
        file="engine/holdings.py",
        text="self.states.values() if self.worker == worker else ()",
        without="self.states.values()",
        test=f"{KEEPER}::test_a_lane_that_comes_back_to_life_at_this_very_moment_is_left_alone",
    ),
    Guard(
        name="dead-thread-stops-heartbeat",
        promise="A worker of which a thread has died doesn't look alive.",
        file="engine/worker.py",
        text="        if not self.failure:\n            self.heartbeat.beat()",
        without="        self.heartbeat.beat()",
        test="unit/test_life.py::test_a_worker_of_which_a_thread_has_died_does_not_look_alive",
    ),
    Guard(
        name="gate-before-a-call",
        promise="After the end of its life, by its own clock, a worker starts no call.",
        file="engine/records.py",
        text="if gate.interrupted or state.paused or clock() >= life.until:",
        without="if gate.interrupted or state.paused:",
        test="contract/moving/test_gates.py::test_after_a_call_that_outlasted_the_workers_life_no_other_starts",
    ),
    Guard(
        name="fenced-is-let-go",
        promise="A worker lets go of a shard that another one has taken, and of nothing else.",
        file="engine/holdings.py",
        text="if d.worker != self.worker and d.epoch >= state.epoch]",
        without="if d.worker != self.worker and False]",
        test="unit/test_holdings.py::test_a_shard_that_somebody_else_took_is_let_go_and_its_work_is_void",
    ),
    Guard(
        name="strays-are-released",
        promise="A lease whose release was lost is released later, or nobody would ever read the shard.",
        file="engine/leasing.py",
        text="            self._store.leases.release(worker, stray)\n",
        without="            pass\n",
        test="chaos/test_single_faults.py::test_a_lease_that_could_not_be_released_is_released_later",
    ),
)
