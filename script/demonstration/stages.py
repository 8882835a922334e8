"""Where a demonstration plays: on SQLite and the local broker, or on PostgreSQL, Kinesis and Apache Kafka."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from demonstration.services import services
from demonstration.stopping import Stop


@dataclass(frozen=True, slots=True)
class Stage:
    """A database and brokers, as variables of the environment."""

    database_url: str
    bootstrap_servers: str = ""
    kinesis: str = ""

    @property
    def is_real(self) -> bool:
        """Tell whether servers are used."""
        return bool(self.bootstrap_servers)

    @property
    def environment(self) -> dict[str, str]:
        """Return what the settings of the projects read; it replaces what the caller has set."""
        return {
            "DATABASE_URL": self.database_url,
            "KAFKA_BOOTSTRAP_SERVERS": self.bootstrap_servers,
            "KINESIS_ENDPOINT_URL": self.kinesis,
            "SHIPMENTS_BROKER": "kinesis" if self.is_real else "local",
            "LEDGER_BROKER": "kafka" if self.is_real else "local",
        }


@contextmanager
def stage(directory: Path, stop: Stop, database: str, *, real: bool) -> Iterator[Stage]:
    """Yield a SQLite file in the directory, or a database of that name on the real server."""
    if not real:
        yield Stage(f"sqlite:///{directory / database}.sqlite3")
        return
    with services(directory, stop) as addresses:
        url = urlsplit(addresses["DATABASE_URL"])._replace(path=f"/{database}")
        yield Stage(urlunsplit(url), addresses["KAFKA_BOOTSTRAP_SERVERS"], addresses["KINESIS_ENDPOINT_URL"])
