"""A partitioned log in the project's own database, for development, demo and tests.

Importable before Django's apps are ready; only a broker that is made needs the models.
"""

from streamapp.brokers.local.broker import LocalBroker
from streamapp.brokers.local.sources import LocalStream

__all__ = ["LocalBroker", "LocalStream"]
