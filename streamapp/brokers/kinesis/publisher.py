"""Putting records, confirmed."""

import random
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError, ReadTimeoutError

from streamapp.brokers.kinesis.clients import Clients, naming
from streamapp.brokers.kinesis.envelope import wrap
from streamapp.exceptions import BrokerUnavailable, PublishFailed

BATCH_RECORDS, BATCH_BYTES = 500, 5 * 1024 * 1024
TRIES = 6
Place = tuple[str, str]
"""The id of a shard and a sequence number."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A record on its way. Without a key its shard is drawn; a hash key names the shard by its range."""

    value: bytes | None
    key: bytes | None = None
    headers: Mapping[str, bytes] | None = None
    hash_key: int | None = None

    def parameters(self) -> dict[str, Any]:
        """Return it as the service takes it. Raises PublishFailed for what Kinesis can't store."""
        if self.value is None:
            raise PublishFailed(
                "Kinesis stores no null values. Publish an empty value, or say it in the payload."
            )
        named = {} if self.hash_key is None else {"ExplicitHashKey": str(self.hash_key)}
        return {"Data": wrap(self.value, self.headers or {}), "PartitionKey": _text(self.key), **named}


class Publisher:
    """Puts records. Used from any thread; methods block up to about half a minute."""

    def __init__(self, clients: Clients, wait: Callable[[float], object] = time.sleep) -> None:
        """Take the clients, and what waits so many seconds between two tries of a batch."""
        self._clients = clients
        self._wait = wait

    def publish(self, stream: str, record: Outgoing) -> Place:
        """Put one record. Raises PublishFailed, and BrokerUnavailable when nothing can have been stored."""
        parameters = record.parameters()
        answer = self._call("put_record", stream, parameters)
        return answer["ShardId"], answer["SequenceNumber"]

    def publish_many(self, stream: str, records: Iterable[Outgoing]) -> list[Place]:
        """Put records in batches; those that were refused for the moment are tried again, behind later ones.

        Raises PublishFailed when some are refused six times; the others are stored by then.
        """
        prepared = [record.parameters() for record in records]
        return [place for batch in _batches(prepared) for place in self._put(stream, batch)]

    def _put(self, stream: str, batch: list[dict[str, Any]]) -> list[Place]:
        places: dict[int, Place] = {}
        refused = ""
        for attempt in range(TRIES):
            missing = [index for index in range(len(batch)) if index not in places]
            if not missing:
                break
            if attempt:
                self._wait(0.1 * 2**attempt * random.uniform(0.5, 1.0))
            answer = self._call("put_records", stream, {"Records": [batch[index] for index in missing]})
            for index, result in zip(missing, answer["Records"], strict=True):
                if "ErrorCode" in result:
                    refused = f"{result['ErrorCode']}: {result.get('ErrorMessage', '')}"
                else:
                    places[index] = result["ShardId"], result["SequenceNumber"]
        if len(places) < len(batch):
            lost = len(batch) - len(places)
            raise PublishFailed(f"Kinesis refused {lost} of {len(batch)} records for {stream}: {refused}.")
        return [places[index] for index in range(len(batch))]

    def _call(self, operation: str, stream: str, parameters: Mapping[str, Any]) -> Any:
        try:
            return getattr(self._clients.asking(), operation)(**naming(stream), **parameters)
        except ClientError as error:
            raise PublishFailed(f"Kinesis didn't store a record for {stream}: {error}.") from error
        except ReadTimeoutError as error:
            raise PublishFailed(
                f"Kinesis didn't confirm a record for {stream} in time. It may have been stored."
            ) from error
        except BotoCoreError as error:
            raise BrokerUnavailable(
                f"Kinesis can't be reached for {stream}: {error}. Publish again."
            ) from error


def _batches(records: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Cut records into batches that one call takes."""
    batch: list[dict[str, Any]] = []
    size = 0
    for record in records:
        weight = len(record["Data"]) + len(record["PartitionKey"].encode())
        if batch and (len(batch) == BATCH_RECORDS or size + weight > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(record)
        size += weight
    if batch:
        yield batch


def _text(key: bytes | None) -> str:
    if key is None:
        return uuid.uuid4().hex
    try:
        text = key.decode()
    except UnicodeDecodeError as error:
        raise PublishFailed(
            f"The key {key!r} isn't UTF-8, and partition keys of Kinesis are text."
        ) from error
    if not 1 <= len(text) <= 256:
        raise PublishFailed(f"A partition key has 1 to 256 characters, not {len(text)}.")
    return text
