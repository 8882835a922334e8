"""Records as tasks of Celery: settled once a broker has taken them, and not lost after that."""

from mutation.guard import Guard

ROOM = "contrib/celery"
RABBIT = "celery/test_rabbitmq.py"
REDIS = "celery/test_redis.py"
FAILURES = "celery/test_failures.py"
OUTAGE = "celery/test_database_outage.py"

GUARDS = (
    Guard(
        name="task-taken-before-settled",
        promise="A record is settled only after the Celery broker has confirmed its task.",
        file=f"{ROOM}/sending.py",
        text="            raise BrokerUnavailable(\n",
        without="            return ACK\n            raise BrokerUnavailable(\n",
        test=f"{RABBIT}::test_a_broker_that_dies_before_it_has_confirmed_leaves_the_record_unsettled",
        needs="rabbitmq",
    ),
    Guard(
        name="task-has-a-queue",
        promise="A task for which there is no queue counts as not taken.",
        file=f"{ROOM}/publishing.py",
        text='        "mandatory": True,\n',
        without="",
        test=f"{RABBIT}::test_a_queue_that_somebody_deletes_takes_no_record_along",
        needs="rabbitmq",
    ),
    Guard(
        name="answer-awaited-so-long",
        promise="A Celery broker that is silent holds no lane for ever.",
        file=f"{ROOM}/publishing.py",
        text="    bounded = dict.fromkeys(_LIMITS, PATIENCE_SECONDS)\n",
        without="    bounded = dict.fromkeys((), PATIENCE_SECONDS)\n",
        test=f"{REDIS}::test_a_redis_that_is_stopped_is_an_outage_and_the_lane_goes_on_when_it_does",
        needs="redis",
    ),
    Guard(
        name="retry-not-taken",
        promise="A task whose retry the Celery broker doesn't take stays in its queue.",
        file=f"{ROOM}/again.py",
        text="requeue=True",
        without="requeue=False",
        test=f"{REDIS}::test_a_record_whose_retry_the_broker_does_not_take_stays_in_its_queue",
        needs="redis",
    ),
    Guard(
        name="task-acknowledged-late",
        promise="A Celery process that is killed takes no record along.",
        file=f"{ROOM}/tasks.py",
        text="    acks_late=True,\n",
        without="",
        test=f"{FAILURES}::test_a_task_whose_process_is_killed_runs_again",
        needs="redis",
    ),
    Guard(
        name="task-over-its-time",
        promise="A task that a time limit of Celery kills runs again.",
        file=f"{ROOM}/tasks.py",
        text="    acks_on_failure_or_timeout=False,\n",
        without="",
        test=f"{FAILURES}::test_a_task_that_a_time_limit_ends_by_force_runs_again",
        needs="redis",
    ),
    Guard(
        name="task-fails-outside",
        promise="A task that fails outside of its handler comes again.",
        file=f"{ROOM}/tasks.py",
        text="        again.later(record, OUTAGE_SECONDS)\n",
        without="        pass\n",
        test=f"{FAILURES}::test_a_record_whose_handler_can_not_be_imported_waits_for_a_worker_that_can",
        needs="redis",
    ),
    Guard(
        name="outage-in-a-task",
        promise="A database that goes away during a task costs the record no attempt.",
        file=f"{ROOM}/calling.py",
        text="if isinstance(error, BrokerUnavailable) or self._database.failed(error):",
        without="if isinstance(error, BrokerUnavailable):",
        test=f"{OUTAGE}::test_connections_that_the_database_ends_cost_no_attempt",
        needs="redis postgres",
    ),
    Guard(
        name="copies-of-a-living-worker",
        promise="Beat makes no tasks of the delayed records that a worker looks after.",
        file="services/unattended.py",
        text="if name not in attended and name not in paused]",
        without="if name not in paused]",
        test="celery/test_beat.py::test_the_copies_of_a_subscription_that_a_worker_runs_are_left_to_it",
        needs="redis",
    ),
)
