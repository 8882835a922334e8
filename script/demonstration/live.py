"""The demonstration for a person: everything runs until Ctrl-C."""

import os
import shlex
import socket
import sys
from pathlib import Path
from typing import NoReturn
from urllib.error import URLError
from urllib.request import urlopen

import django
from django.db import connections

from demonstration.children import Children
from demonstration.stages import Stage, stage
from demonstration.stopping import Failed, Stop, Stopped, say, show

DATABASE = "streamapp_demo"
MANAGE = Path(__file__).resolve().parents[2] / "manage.py"
RECORDS_A_SECOND = "10"
START_SECONDS = 60
TEXT = """
Admin   {url}streamapp/subscription/overview/
Login   {login}
Logs    {logs}/consumers.log, trickle.log, web.log
Status  {status}

Look: shipping.ship is held, because nobody knows the carrier "osprey": add it under Shipping, Carriers.
Try:  open shipping.ship, press "Rewind...", then "Go on", choose "The oldest record kept", read the review,
      give a reason, apply: the held ones are booked under Shipping, Bookings, and no other one twice.
See:  payouts.review was catching up at first, because it reads the payouts of seven days again at each
      start. The plots on its page show it.

About once a minute a card entry comes corrected. ledger.spend then rewinds itself to "earliest" and builds
its sums anew; Rewinds shows it as asked from a handler.
Ctrl-C stops everything."""


def play_live(directory: Path, stop: Stop, *, real: bool) -> int:
    """Run until asked to stop; returns the exit code."""
    try:
        with stage(directory, stop, DATABASE, real=real) as place:
            _play(place, directory, stop)
    except Stopped:
        say("Stopped.")
        return 0
    except Failed as failure:
        say(str(failure))
        return 1


def _play(place: Stage, directory: Path, stop: Stop) -> NoReturn:
    """Play until Stopped or Failed."""
    variables = {**place.environment, "STREAMS_PREFIX": "demo-" if place.is_real else ""}
    environment = {**variables, "DJANGO_SETTINGS_MODULE": "projects.settings"}
    os.environ.update(environment)
    login = _prepare(place)
    with Children(directory, environment) as children:
        url = _start(children, stop)
        show(TEXT.format(url=url, login=login, logs=directory, status=_status_command(variables)))
        children.watch(stop)


def _status_command(variables: dict[str, str]) -> str:
    """Return what shows the status from any directory."""
    shown = [f"{name}={value}" for name, value in variables.items() if value]
    return shlex.join(["env", *shown, sys.executable, str(MANAGE), "streams", "status"])


def _prepare(place: Stage) -> str:
    """Prepare database and topics, and return the login."""
    django.setup()
    from demonstration.backlog import pile_up
    from demonstration.preparing import OPERATOR, make_operator, prepare

    say("Preparing the database and what waits in it ...")
    prepare(place)
    pile_up(place)
    login = f"{OPERATOR} / {make_operator()}"
    connections.close_all()
    return login


def _start(children: Children, stop: Stop) -> str:
    """Start all processes and return the admin's address once it answers."""
    address = f"127.0.0.1:{_free_port()}"
    url = f"http://{address}/admin/"
    web = children.manage("web", "runserver", "--noreload", address, DEBUG="true")
    children.manage("consumers", "runconsumers")
    children.manage("trickle", "trickle", "--rate", RECORDS_A_SECOND)
    stop.until(lambda: not web.is_running or _answers(url), START_SECONDS, f"{url} answers")
    if not web.is_running:
        raise web.ended()
    return url


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def _answers(url: str) -> bool:
    try:
        with urlopen(url, timeout=5):
            return True
    except (URLError, OSError):
        return False
