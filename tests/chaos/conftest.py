"""Every history has names of its own, so the tables are emptied only once."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command


@pytest.fixture(scope="package")
def db(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    with django_db_blocker.unblock():
        yield
        call_command("flush", interactive=False, verbosity=0)
