"""`manage.py runconsumers`: run subscriptions until told to stop."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import Error as DatabaseError

from streamapp import registry
from streamapp.conf import configuration
from streamapp.exceptions import ConfigurationError, StreamappError
from streamapp.management.running.migrations import unapplied_migrations
from streamapp.management.running.ports import Ports, listening
from streamapp.management.running.process import ConsumerProcess
from streamapp.management.running.processes import Processes, follow_parent, this_command
from streamapp.mount import Mount
from streamapp.services.wording import amount
from streamapp.store import Store


class Command(BaseCommand):
    """Consumes the mounted subscriptions."""

    help = (
        "Runs subscriptions. SIGTERM or SIGINT stops cleanly: no new call starts, running ones finish or are "
        "void after STOP_TIMEOUT, checkpoints are saved, shards released. A second signal ends at once. "
        "Exit codes: 0 stopped as asked, 1 wrong settings, 70 something died and a restart helps, "
        "130 a second signal."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("subscriptions", nargs="*", help="Which to run. Default: all mounted ones.")
        parser.add_argument("--exclude", action="append", default=[], metavar="NAME", help="Leave one out.")
        parser.add_argument(
            "--until-caught-up", action="store_true", help="Stop when all that is there now was handled."
        )
        parser.add_argument(
            "--processes", type=int, default=1, metavar="N", help="Run N processes; one that dies ends all."
        )
        parser.add_argument("--health-port", type=int, metavar="PORT", help="Answer GET /live and /ready.")
        parser.add_argument("--metrics-port", type=int, metavar="PORT", help="Answer GET /metrics.")
        parser.add_argument(
            "--address",
            default="127.0.0.1",
            help="Listen there; 0.0.0.0 for all. With --processes each takes the next port.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run and exit with the code of the worker."""
        if options["processes"] < 1:
            raise CommandError("--processes takes a number from 1 on.")
        ports = Ports(options["address"], options["health_port"], options["metrics_port"])
        mounts = self._chosen(options["subscriptions"], options["exclude"])
        self._check(ports, options["processes"])
        self._look_at_the_database()
        names = ", ".join(mount.name for mount in mounts)
        self.stdout.write(f"Running {names}. SIGTERM or Ctrl-C stops cleanly.")
        if options["processes"] > 1:
            sys.exit(Processes(this_command(without="--processes"), options["processes"]).run())
        follow_parent()
        sys.exit(self._run(ConsumerProcess(mounts, until_caught_up=options["until_caught_up"]), ports))

    def _run(self, process: ConsumerProcess, ports: Ports) -> int:
        try:
            with listening(process.worker, ports.of_this_process(), configuration().HEARTBEAT_TTL):
                return process.run()
        except ConfigurationError as error:
            raise CommandError(str(error)) from error

    def _check(self, ports: Ports, processes: int) -> None:
        try:
            ports.check(processes)
        except ConfigurationError as error:
            raise CommandError(str(error)) from error

    def _chosen(self, names: list[str], excluded: list[str]) -> list[Mount]:
        try:
            for name in excluded:
                registry.mount(name)
            chosen = [registry.mount(name) for name in names] or list(registry.mounts().values())
        except StreamappError as error:
            raise CommandError(str(error)) from error
        if not (mounts := [mount for mount in chosen if mount.name not in excluded]):
            raise CommandError('No subscription to run. Mount one in STREAMAPP["SUBSCRIPTIONS"].')
        return mounts

    def _look_at_the_database(self) -> None:
        """Refuse to run without tables; a database that is down is waited for."""
        try:
            if missing := unapplied_migrations(configuration().DATABASE):
                raise CommandError(
                    f"Tables are missing or old ({', '.join(missing)}). Run: manage.py migrate"
                )
            self._warn_of_orphans()
        except DatabaseError as error:
            self.stderr.write(f"The database is down, waiting for it: {error}")

    def _warn_of_orphans(self) -> None:
        """Name checkpoints that nothing will move: a renamed subscription starts anew without a word."""
        for name, count in Store(configuration().DATABASE).subscriptions.orphans(set(registry.mounts())):
            self.stderr.write(
                f"{name!r} isn't mounted and has {amount(count, 'checkpoint')}. If it was renamed, stop and "
                f"run: manage.py streams rename {name} NEW --execute. If it isn't needed any more: "
                f"manage.py streams forget {name} --execute"
            )
