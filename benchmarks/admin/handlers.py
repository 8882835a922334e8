"""A handler that nobody calls here."""

from streamapp import subscriber
from streamapp.brokers.local import LocalStream


@subscriber(LocalStream("many"))
def wait(record: bytes) -> None:
    """Do nothing."""
