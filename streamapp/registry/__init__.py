"""What is mounted: subscriptions by name and brokers by alias, following `override_settings`."""

import os

from streamapp.conf import configuration
from streamapp.registry.declaration import Declaration, declaration_of, subscriber
from streamapp.registry.process import Registry

__all__ = ["Declaration", "broker", "close_brokers", "declaration_of", "mount", "mounts", "subscriber"]

_registry = Registry(configuration)
os.register_at_fork(after_in_child=_registry.start_anew)

mounts = _registry.mounts
mount = _registry.mount
broker = _registry.broker
close_brokers = _registry.close_brokers
