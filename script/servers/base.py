"""What every server offers to `script/services`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class Status:
    """What is known about a server now."""

    server: str
    running: bool
    answers: bool
    where: str = ""
    pids: list[int] = field(default_factory=list)
    by: str = "process"
    log: str = ""
    note: str = ""

    @property
    def healthy(self) -> bool:
        """Running, and it answers in its own protocol."""
        return self.running and self.answers

    def as_dict(self) -> dict[str, Any]:
        """For `status --json`."""
        return asdict(self)

    def __str__(self) -> str:
        state = "up" if self.healthy else "does not answer" if self.running else "down"
        processes = "pid " + ", ".join(map(str, self.pids)) if self.pids else ""
        parts = [part for part in (self.where, processes, self.note, self.log and f"log {self.log}") if part]
        return "  ".join([f"{self.server:<11}{state:<6}", *parts])


class Server(ABC):
    """One server: how to get it, start it, ask it and stop it."""

    name: str

    @abstractmethod
    def install(self) -> None:
        """Fetch what `up` needs. Calling it again costs little."""

    @abstractmethod
    def up(self, brokers: int | None) -> bool:
        """Start it and wait until it answers. False when it ran already."""

    @abstractmethod
    def down(self) -> bool:
        """Stop what `up` started. False when nothing ran."""

    @abstractmethod
    def wipe(self) -> None:
        """Delete its data. It is down by then."""

    @abstractmethod
    def status(self) -> Status:
        """Look, without changing anything."""

    @abstractmethod
    def environment(self) -> dict[str, str]:
        """The variables by which tests and projects find it."""
