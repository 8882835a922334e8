"""What the consumers and the admin are configured with."""

import os
from collections.abc import Sequence
from typing import Any

from tests.contract.broker.benches import kinesis_options
from tests.processes.conftest import FAST, SHORT_SESSION


def settings(kind: str, streams: Sequence[str]) -> dict[str, Any]:
    word = "topic" if kind == "kafka" else "stream"
    more = {} if kind == "kafka" else {"poll_interval": 0.2}
    handler = f"tests.browser.consuming.handlers.take_from_{word}"
    common = {"HANDLER": handler, "BROKER": kind, "START_AT": "earliest"}
    mounted = {stream: {**common, "SOURCE": {word: stream, **more}} for stream in streams}
    return {"BROKERS": {kind: _broker(kind)}, "SUBSCRIPTIONS": mounted, **FAST, "HEARTBEAT_TTL": 10.0}


def _broker(kind: str) -> dict[str, Any]:
    if kind == "kinesis":
        backend, options = "KinesisBroker", kinesis_options("KINESIS_ENDPOINT_URL")
    else:
        servers = {"bootstrap.servers": os.environ["KAFKA_BOOTSTRAP_SERVERS"]}
        backend, options = "KafkaBroker", {**servers, **SHORT_SESSION}
    return {"BACKEND": f"streamapp.brokers.{kind}.{backend}", "OPTIONS": options}
