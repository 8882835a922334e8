"""The pages, asked for as a browser does, without the network."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from streamapp.models import Checkpoint, Subscription

ADMIN = "/admin/streamapp"


@dataclass(frozen=True, slots=True)
class Figure:
    """The median time of one page, of it on the processor of this process, its queries and its size."""

    milliseconds: float
    processor_milliseconds: float
    queries: int
    kilobytes: float


def measure(rounds: int) -> dict[str, Figure]:
    """Load every page once for warmth and its queries, then so many times for its time."""
    return {name: _measure(load, rounds) for name, load in _pages().items()}


def _pages() -> dict[str, Callable[[], Any]]:
    client = Client()
    client.force_login(get_user_model().objects.create_superuser("operator"))
    subscription, shard = Subscription.objects.get().pk, Checkpoint.objects.earliest("pk").pk
    target = {"subscription": "many.shards", "chosen": "", "kind": "earliest"}
    paths = {
        "overview": "subscription/overview/",
        "list": "checkpoint/",
        "subscriptions": "subscription/",
        "subscription": f"subscription/{subscription}/change/",
        "plot, hour": f"subscription/{subscription}/plot/",
        "plot, day": f"subscription/{subscription}/plot/?period=day",
        "shard": f"checkpoint/{shard}/change/",
        "shard plot": f"checkpoint/{shard}/plot/",
        "workers": "worker/",
        "scope": "checkpoint/rewind/?subscription=many.shards",
    }
    pages: dict[str, Callable[[], Any]] = {
        name: lambda path=path: client.get(f"{ADMIN}/{path}")
        for name, path in paths.items()  # type: ignore[misc]
    }
    return pages | {"review": lambda: client.post(f"{ADMIN}/checkpoint/rewind/review/", target)}


def _measure(load: Callable[[], Any], rounds: int) -> Figure:
    with CaptureQueriesContext(connection) as queries:
        response = load()
    if response.status_code != 200:
        raise RuntimeError(f"A page answered {response.status_code}.")
    if (form := (response.context or {}).get("form")) and form.errors:
        raise RuntimeError(f"A form was refused: {form.errors}")
    count, kilobytes = len(queries), len(response.content) / 1000
    times = [_time(load) for _ in range(rounds)]
    return Figure(*(median(column) for column in zip(*times, strict=True)), count, kilobytes)


def _time(load: Callable[[], Any]) -> tuple[float, float]:
    began, processor = time.perf_counter(), time.process_time()
    load()
    return (time.perf_counter() - began) * 1000, (time.process_time() - processor) * 1000
