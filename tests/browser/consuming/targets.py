"""Each way of the wizard: what an operator fills in, and where that leads."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from streamapp.models import History
from tests.browser.consuming.stage import EARLIER, SHARDS, Places, Stage
from tests.browser.desk import Desk

ZONE = "Asia/Kolkata"  # clocks are never changed there, so every moment has one name


def earliest(stage: Stage, desk: Desk) -> Places:
    desk.choose("earliest")
    return dict.fromkeys(SHARDS, 0)


def latest(stage: Stage, desk: Desk) -> Places:
    desk.choose("latest")
    return stage.ends(stage.orders)


def exact(stage: Stage, desk: Desk) -> Places:
    """One line is changed; the other shard stays."""
    line = f"{stage.orders}/{stage.log.shard_id(1)}"
    desk.choose_positions({line: stage.told(stage.position(stage.orders, 1, 7))})
    return {1: 7}


def file(stage: Stage, desk: Desk) -> Places:
    places = {0: 2, 1: 9}
    lines = [
        f"{stage.orders},{stage.log.shard_id(shard)},{stage.told(stage.position(stage.orders, shard, at))}"
        for shard, at in places.items()
    ]
    desk.choose_file("\n".join(lines))
    return places


def shift(stage: Stage, desk: Desk) -> Places:
    desk.choose("shift", records="-3")
    return {shard: end - 3 for shard, end in stage.ends(stage.orders).items()}


def moment(stage: Stage, desk: Desk) -> Places:
    local = stage.moment.astimezone(ZoneInfo(ZONE)).replace(tzinfo=None)
    desk.choose("moment", moment=local.isoformat(" ", "milliseconds"), zone=ZONE)
    return dict.fromkeys(SHARDS, EARLIER)


def ago(stage: Stage, desk: Desk) -> Places:
    seconds = int((datetime.now(UTC) - stage.moment).total_seconds())
    desk.choose("ago", ago=f"{seconds}s")
    return dict.fromkeys(SHARDS, EARLIER)


def as_of(stage: Stage, desk: Desk) -> Places:
    """Workers note one checkpoint a minute: these are of three hours and of one hour ago."""
    now = datetime.now(UTC)
    for hours, place in ((3, 3), (1, 8)):
        for shard in SHARDS:
            row, at = stage.row(stage.orders, shard), now - timedelta(hours=hours)
            position = stage.position(stage.orders, shard, place)
            History.objects.create(checkpoint=row, position=position, sampled_at=at)
    local = (now - timedelta(hours=2)).astimezone(ZoneInfo(ZONE)).replace(tzinfo=None)
    desk.choose("as_of", as_of=local.isoformat(" ", "seconds"), as_of_zone=ZONE)
    return dict.fromkeys(SHARDS, 3)


WAYS: list[Callable[[Stage, Desk], Places]] = [earliest, latest, exact, file, shift, moment, ago, as_of]
