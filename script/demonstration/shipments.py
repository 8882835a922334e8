"""The stream of the example on Kinesis."""

from typing import Any

import boto3
from django.conf import settings

SHARDS = 4


class ShipmentsStream:
    """Makes and deletes it; raises botocore's errors when the service refuses or can't be reached."""

    def __init__(self) -> None:
        self._client: Any = boto3.client("kinesis", **settings.STREAMAPP["BROKERS"]["kinesis"]["OPTIONS"])
        self._name = settings.SHIPMENTS_STREAM

    def create(self) -> None:
        """Make it if it is missing, and wait until it can be used."""
        try:
            self._client.create_stream(StreamName=self._name, ShardCount=SHARDS)
        except self._client.exceptions.ResourceInUseException:
            return
        self._client.get_waiter("stream_exists").wait(StreamName=self._name, WaiterConfig={"Delay": 1})

    def delete(self) -> None:
        """Delete it if it is there."""
        try:
            self._client.delete_stream(StreamName=self._name)
        except self._client.exceptions.ResourceNotFoundException:
            return
