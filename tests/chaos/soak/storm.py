"""The blows that any soak knows: to its workers, to its database and the way there, and rewinds."""

import signal
from random import Random

from django.db import Error as DatabaseError
from django.db import connection

from streamapp.exceptions import BrokerUnavailable, InvalidPosition, StalePlan
from streamapp.positions import At, Earliest, Position
from streamapp.services import rewind as service
from tests.chaos.soak.blows import Blow, Blows
from tests.chaos.soak.crew import Crew
from tests.chaos.soak.far_proxy import FarProxy
from tests.chaos.soak.models import Effect
from tests.chaos.soak.servers import OwnServer
from tests.chaos.soak.stage import MOVING, TTL_SECONDS

PAUSE = (0.8, 2.5)
MISSED = (DatabaseError, BrokerUnavailable, InvalidPosition, StalePlan)
FURTHEST_BACK = 300


class Storm:
    """Strikes at random, the same for a seed; what it breaks is mended a little later."""

    def __init__(self, crew: Crew, postgres: OwnServer, proxy: FarProxy, random: Random) -> None:
        self._crew = crew
        self._postgres = postgres
        self._proxy = proxy
        self._random = random
        self.blows = Blows(self.deck(), random, PAUSE)

    def deck(self) -> dict[Blow, int]:
        """Return how often each blow is dealt before the first is dealt again."""
        return {
            self.kill: 4,
            self.stall: 3,
            self.stop: 1,
            self.join: 1,
            self.restart_database: 1,
            self.terminate_backends: 1,
            self.delay_replies: 1,
            self.drop_replies: 2,
            self.cut: 1,
            self.rewind: 3,
        }

    def end(self) -> None:
        """Mend everything."""
        self.blows.end()
        self._postgres.up()

    def kill(self) -> None:
        self._crew.kill()

    def stop(self) -> None:
        self._crew.stop()

    def stall(self) -> None:
        """Stop a worker for longer than its life, or for less."""
        if process := self._crew.stall():
            seconds = self._random.choice([0.5, 1.5, 2.5]) * TTL_SECONDS
            self.blows.later(seconds, lambda: self._crew.resume(process))

    def join(self) -> None:
        """Let one more worker join, and one leave later."""
        self._crew.size += 1
        self.blows.later(self._random.uniform(5, 15), self._shrink)

    def restart_database(self) -> None:
        """Restart PostgreSQL as after a crash, or orderly."""
        self._postgres.restart(self._random.choice([signal.SIGQUIT, signal.SIGINT]))

    def terminate_backends(self) -> None:
        """End about half of all connections at the database."""
        self._try(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid() AND random() < 0.5"
        )

    def delay_replies(self) -> None:
        self._proxy.delay(self._random.choice([0.02, 0.1, 0.5]))
        self.blows.later(self._random.uniform(1, 4), self._proxy.mend)

    def drop_replies(self) -> None:
        """Let statements and commits happen whose senders never hear of it."""
        self._proxy.drop_replies()
        self.blows.later(self._random.uniform(0.1, 0.5), self._proxy.mend)

    def cut(self) -> None:
        self._proxy.cut()
        self.blows.later(self._random.choice([0.3, 0.9, 1.5]) * TTL_SECONDS, self._proxy.mend)

    def rewind(self) -> None:
        """Do what an operator does to the subscription that may be moved."""
        try:
            plan = service.plan_mounted(MOVING, self._position())
            service.apply(plan, origin="soak")
        except MISSED as error:
            print(f"no rewind: {error}")
            connection.close()

    def _position(self) -> Position:
        """Return where a record stands that was handled lately, or now and then the beginning."""
        lately = Effect.objects.filter(subscription=MOVING).order_by("-id")[:FURTHEST_BACK]
        near = [At(effect.shard, effect.position) for effect in lately]
        return self._random.choice([*near, *[Earliest()] * (1 + len(near) // 4)])

    def _shrink(self) -> None:
        self._crew.size -= 1
        self._crew.stop()

    def _try(self, statement: str) -> None:
        try:
            with connection.cursor() as cursor:
                cursor.execute(statement)
        except DatabaseError:
            connection.close()
