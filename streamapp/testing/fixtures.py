"""The pytest fixture: `pytest_plugins = ["streamapp.testing.fixtures"]`, or by the entry point."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from streamapp.testing.service import Service


@pytest.fixture
def stream_service(db: None) -> "Iterator[Callable[..., Service]]":  # noqa: ARG001
    """Return what starts a `Service`, with its arguments; it is stopped when the test ends."""
    # Django isn't set up yet when pytest loads this plugin.
    from streamapp.testing.service import Service  # noqa: PLC0415

    with ExitStack() as services:

        def start(*subscriptions: str, **options: Any) -> Service:
            return services.enter_context(Service(*subscriptions, **options))

        yield start
