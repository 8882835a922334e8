"""Where a consumer process tells how it is: ports that are bound by `runconsumers` and nothing else."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from streamapp.engine.condition import Condition
from streamapp.engine.worker import Worker
from streamapp.exceptions import ConfigurationError
from streamapp.management.running.health import HealthServer
from streamapp.management.running.metrics import MetricsServer
from streamapp.management.running.processes import NUMBER

HIGHEST = 65535


@dataclass(frozen=True, slots=True)
class Ports:
    """The address, and the ports to listen on: None for none, 0 for a free one."""

    address: str
    health: int | None
    metrics: int | None

    def check(self, processes: int) -> None:
        """Raise ConfigurationError unless so many processes can have ports of their own from these on."""
        for option, port in (("--health-port", self.health), ("--metrics-port", self.metrics)):
            if port is not None and not 0 <= port <= HIGHEST - processes + 1:
                raise ConfigurationError(f"{option} {port} leaves no port for {processes} of them.")
        if self.health and self.metrics and abs(self.health - self.metrics) < processes:
            raise ConfigurationError(
                f"--health-port and --metrics-port must be {processes} or more apart: "
                "each process takes the next one."
            )

    def of_this_process(self) -> "Ports":
        """Return the ports of one child of --processes: the n-th, from 0 on, adds n."""
        number = int(os.environ.get(NUMBER, "0"))
        health, metrics = (port and port + number for port in (self.health, self.metrics))
        return Ports(self.address, health, metrics)


@contextmanager
def listening(worker: Worker, ports: Ports, ttl: float) -> Iterator[None]:
    """Answer on the ports meanwhile. Raises ConfigurationError if one can't be used."""
    condition = Condition(worker, ttl)
    with ExitStack() as servers:
        if ports.health is not None:
            with _refusing("--health-port", ports.address, ports.health):
                servers.callback(HealthServer(ports.address, ports.health, condition).close)
        if ports.metrics is not None:
            with _refusing("--metrics-port", ports.address, ports.metrics):
                servers.callback(MetricsServer(ports.address, ports.metrics, worker, condition).close)
        yield


@contextmanager
def _refusing(option: str, address: str, port: int) -> Iterator[None]:
    """Say which option can't be followed, and why."""
    try:
        yield
    except ImportError as error:
        raise ConfigurationError(
            f"{option} needs the library prometheus-client. Install it: "
            "pip install 'django-streamapp[prometheus]'."
        ) from error
    except OSError as error:
        raise ConfigurationError(f"{option}: {address}:{port} can't be listened on: {error}.") from error
