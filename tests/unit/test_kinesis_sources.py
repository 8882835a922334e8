"""What can be said about a Kinesis source and a broker's options without any network."""

import subprocess
import sys

import pytest

from streamapp import KinesisStream
from streamapp.brokers.kinesis import KinesisBroker

ARN = "arn:aws:kinesis:us-east-1:123456789012:stream/orders"


def test_sources_and_positions_can_be_declared_without_the_client_library():
    code = (
        "import sys; from streamapp import KinesisPosition, KinesisStream; KinesisStream('orders');"
        "sys.exit(any(name in sys.modules for name in ('boto3', 'botocore', 'aws_kinesis_agg')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("stream", ["orders", "orders.eu-1_a", ARN])
def test_a_stream_is_given_by_name_or_arn(stream):
    assert list(KinesisStream(stream).problems()) == []
    assert KinesisStream(stream).streams() == (stream,)


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (KinesisStream(""), "neither the name nor the ARN"),
        (KinesisStream("orders/eu"), "neither the name nor the ARN"),
        (KinesisStream("arn:aws:sqs:us-east-1:123456789012:orders"), "neither the name nor the ARN"),
        (KinesisStream("orders", create_if_missing=-1), "number of shards"),
        (KinesisStream(ARN, create_if_missing=1), "by its name"),
        (KinesisStream("orders", poll_interval=0.1), "5 reads a second"),
    ],
)
def test_what_is_wrong_with_a_source_is_said(source, problem):
    (said,) = source.problems()
    assert problem in said


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"region": "us-east-1"}, "'region' is not an option"),
        ({"threads": 0}, "whole number of 1 or more"),
        ({"aws_access_key_id": "any"}, "go together"),
    ],
)
def test_what_is_wrong_with_the_options_is_said(options, problem):
    (said,) = KinesisBroker.option_problems(options)
    assert problem in said


def test_options_of_unset_variables_are_none_and_fine():
    options = {"region_name": "us-east-1", "endpoint_url": None, "aws_access_key_id": None, "threads": 8}
    assert list(KinesisBroker.option_problems(options)) == []
