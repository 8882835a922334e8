"""What a reader of Kinesis knows of its lag, on kinesis-local."""

import pytest

from tests.live.kinesis_service import Service

pytestmark = pytest.mark.live("kinesis")


@pytest.fixture
def service():
    service = Service("KINESIS_ENDPOINT_URL")
    yield service
    service.close()


def test_it_counts_what_waits_at_the_tip_and_is_nothing_once_all_is_delivered(service):
    source = service.stream()
    [shard] = service.broker.shards(source)
    service.broker.publish_many(source.stream, [(b"key", b"value")] * 30)
    reading = service.reading(source, limit=10)
    reading.reader.open({shard: 0})
    reading.until(lambda: len(reading.records) == 10, "the first ten records")
    assert reading.reader.lags()[shard].records in (20, None)
    reading.until(lambda: len(reading.records) == 30 and shard in reading.ends, "all records")
    lag = reading.reader.lags()[shard]
    assert (lag.records, lag.milliseconds) == (0, 0)
