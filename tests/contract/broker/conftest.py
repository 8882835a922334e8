"""Every test runs on the local broker, on the configured database, and on Kafka and Kinesis if they run."""

from collections.abc import Iterator

import pytest

from streamapp.brokers.reading import Reader
from tests.contract.broker.benches import Bench, KafkaBench, KinesisBench, LocalBench
from tests.contract.broker.reading import Reading

BENCHES = {"local": LocalBench, "kafka": KafkaBench}
PARAMETERS = ["local", *(pytest.param(name, marks=pytest.mark.live(name)) for name in ("kafka", "kinesis"))]


@pytest.fixture(scope="package")
def kinesis() -> Iterator[Bench]:
    """One for all tests: its clients take longer to make than a test."""
    bench = KinesisBench()
    yield bench
    bench.close()


@pytest.fixture(params=PARAMETERS)
def bench(request: pytest.FixtureRequest, transactional_db: None) -> Iterator[Bench]:
    if request.param == "kinesis":
        yield request.getfixturevalue("kinesis")
        return
    bench = BENCHES[request.param]()
    yield bench
    bench.close()


@pytest.fixture
def readings(bench: Bench) -> Iterator["Readings"]:
    readings = Readings(bench)
    yield readings
    for reader in readings.readers:
        reader.close()


class Readings:
    """Makes readers that are closed after the test."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.readers: list[Reader] = []

    def of(self, stream: str, limit: int = 500) -> Reading:
        reader = self.bench.reader(stream, limit)
        self.readers.append(reader)
        return Reading(reader)
