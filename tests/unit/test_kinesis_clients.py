"""The clients of boto3: how long they wait, and what they make of moments."""

import socket
import time
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ReadTimeoutError

from streamapp.brokers.kinesis.clients import Clients, Patience

CREDENTIALS = {"region_name": "us-east-1", "aws_access_key_id": "any", "aws_secret_access_key": "any"}


@pytest.fixture
def silent():
    """A service that takes a connection and never says anything."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def test_a_silent_service_is_given_up_after_the_time_out_and_not_asked_again(silent):
    made = Clients({**CREDENTIALS, "endpoint_url": silent}, Patience(connect=1, read=0.3))
    begun = time.monotonic()

    with pytest.raises(ReadTimeoutError):
        made.reading().get_records(ShardIterator="any")
    assert 0.3 <= time.monotonic() - begun < 5
    made.close()


@pytest.mark.parametrize("written", ["1763200000.125", '"2025-11-15T09:46:40.125Z"'])
def test_moments_are_the_same_whatever_time_zone_this_machine_is_in(written, monkeypatch):
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    time.tzset()
    record = f'{{"Data": "", "SequenceNumber": "1", "ApproximateArrivalTimestamp": {written}}}'
    made = Clients({**CREDENTIALS, "endpoint_url": "http://127.0.0.1:9"})
    client = made.reading()
    client.meta.events.register("before-send.kinesis", lambda **_: _answer(f'{{"Records": [{record}]}}'))

    (read,) = client.get_records(ShardIterator="any")["Records"]
    assert read["ApproximateArrivalTimestamp"] == datetime(2025, 11, 15, 9, 46, 40, 125_000, UTC)
    assert read["ApproximateArrivalTimestamp"].tzinfo is not None
    monkeypatch.undo()
    time.tzset()
    made.close()


def _answer(text: str) -> AWSResponse:
    raw = SimpleNamespace(stream=lambda *_, **__: iter([text.encode()]))
    return AWSResponse("http://127.0.0.1:9", 200, {}, raw)
