"""`python -m tests.chaos.soak --broker kafka --seconds 600 --seed 7`: exit code 0 when it has passed."""

import argparse
import json
import os
import secrets
import signal
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import environ

from tests.chaos.soak.far_proxy import FarProxy
from tests.chaos.soak.servers import OwnServer


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    arguments = parse()
    with tempfile.TemporaryDirectory(prefix="soak-", ignore_cleanup_errors=True) as kept:
        return soak(arguments, Path(arguments.directory or kept))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.soak", description=__doc__)
    parser.add_argument("--broker", choices=["kafka", "kinesis"], default="kafka")
    parser.add_argument("--seconds", type=float, default=600.0, help="how long the blows fall")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(100_000))
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--rate", type=int, default=100, help="records a second")
    parser.add_argument("--directory", help="where the logs are to be kept; by default they go with the run")
    parser.add_argument("--json", action="store_true", help="print one line for programs")
    return parser.parse_args()


def soak(arguments: argparse.Namespace, directory: Path) -> int:
    """Run with servers of its own, which are gone afterwards."""
    postgres = OwnServer(directory, "postgres")
    options = ("--brokers", "3") if arguments.broker == "kafka" else ()
    broker = OwnServer(directory, arguments.broker, *options)
    try:
        postgres.up()
        broker.up()
        report = run(arguments, directory, postgres, broker)
    finally:
        broker.wipe()
        postgres.wipe()
    print(report.as_json() if arguments.json else report.as_table())
    return 0 if report.has_passed else 1


def run(arguments: argparse.Namespace, directory: Path, postgres: OwnServer, broker: OwnServer) -> Any:
    """Set the stage and let the soak run on it."""
    from tests.chaos.soak.log_kafka import PROTOCOLS, KafkaLog
    from tests.chaos.soak.log_kinesis import KinesisLog
    from tests.chaos.soak.stage import stage

    random = Random(arguments.seed)
    on_kafka = arguments.broker == "kafka"
    protocol = random.choice(list(PROTOCOLS))
    log = KafkaLog(broker.address(), protocol) if on_kafka else KinesisLog(broker.address())
    log.make()
    told = stage(arguments.broker, arguments.seed, log.backend, log.source)
    set_up(postgres.address(), told)

    from tests.chaos.soak.crew import Crew
    from tests.chaos.soak.soak import Soak
    from tests.chaos.soak.storm_kafka import KafkaStorm
    from tests.chaos.soak.storm_kinesis import KinesisStorm

    database = environ.Env.db_url_config(postgres.address())
    proxy = FarProxy(database["HOST"], int(database["PORT"]))
    told["database"] = {"HOST": "127.0.0.1", "PORT": proxy.port}
    crew = Crew(directory, told, arguments.workers, random)
    blown = (crew, postgres, proxy, random)
    storm = KafkaStorm(*blown, broker) if on_kafka else KinesisStorm(*blown, log)
    try:
        report = Soak(log, crew, storm, arguments.seed, arguments.rate).run(arguments.seconds)
    finally:
        crew.close()
        proxy.close()
    report.figures = (
        {"broker": arguments.broker} | ({"protocol": protocol} if on_kafka else {}) | report.figures
    )
    return report


def set_up(database: str, told: dict[str, Any]) -> None:
    """Make this process and the database what the soak needs; the workers inherit the environment."""
    import django
    from django.core.management import call_command

    os.environ.pop("STREAMAPP_TEST_DATABASE", None)
    os.environ |= {
        "DATABASE_URL": database,
        "DJANGO_SETTINGS_MODULE": "tests.chaos.soak.settings",
        "STREAMAPP_SOAK": json.dumps(told),
    }
    django.setup()
    call_command("migrate", run_syncdb=True, verbosity=0)


if __name__ == "__main__":
    sys.exit(main())
