"""Volume on moto: many records, in order, each once. moto must never see a split or a merge."""

import pytest

from tests.live.kinesis_service import Service

pytestmark = pytest.mark.live("moto")


def test_many_records_of_several_shards_come_once_and_in_order():
    service = Service("MOTO_ENDPOINT_URL")
    source = service.stream(shards=4)
    service.broker.publish_many(
        source.stream, [(f"key {n % 16}".encode(), str(n).encode()) for n in range(8000)]
    )
    reading = service.reading(source)
    reading.reader.open(dict.fromkeys(service.broker.shards(source), 0))
    reading.until(lambda: len(reading.records) >= 8000, "all records")

    assert sorted(int(record.value) for record in reading.records) == list(range(8000))
    for key in range(16):
        of_key = [int(record.value) for record in reading.records if int(record.value) % 16 == key]
        assert of_key == sorted(of_key)
    service.close()
