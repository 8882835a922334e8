"""A real browser on the pages, and people who log in as people do."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.db import connections
from django.test import override_settings

from tests.browser.desk import Desk
from tests.browser.people import People
from tests.browser.serving import JoiningThread

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    """Chromium, started once; playwright's event loop is in this thread, which Django must not mind."""
    library = pytest.importorskip(
        "playwright.sync_api", reason="playwright is missing: pip install playwright"
    )
    with pytest.MonkeyPatch.context() as patch, library.sync_playwright() as playwright:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        browser = playwright.chromium.launch(executable_path=os.environ["CHROMIUM"], args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def db(browser: Any, django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """One database for tests that share a consumer process; whoever fills it empties it."""
    with django_db_blocker.unblock():
        yield
        connections.close_all()  # those of this event loop: nobody else can see them


@pytest.fixture(scope="package")
def server(db: None) -> Iterator[str]:
    """The admin, served by a thread of this process; returns its address."""
    served = JoiningThread("127.0.0.1", StaticFilesHandler)
    strict = [*settings.MIDDLEWARE, "tests.browser.policy.strict_policy"]
    with override_settings(ALLOWED_HOSTS=["127.0.0.1"], MIDDLEWARE=strict):
        served.start()
        assert served.is_ready.wait(30)
        assert served.error is None
        yield f"http://127.0.0.1:{served.port}"
        served.terminate()


@pytest.fixture(scope="package")
def people(browser: Any, server: str) -> Iterator[People]:
    """Whoever has logged in stays so."""
    people = People(browser, server)
    yield people
    people.close()


@pytest.fixture
def desk(people: People) -> Iterator[Callable[..., Desk]]:
    """Return the desk of somebody with these permissions, beside those to look at pages."""
    yield people.desk
    for desk in people.desks.values():
        assert desk.complaints == []
