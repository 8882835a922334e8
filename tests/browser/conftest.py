"""A real browser on the pages, with people who log in as people do."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import Permission

from tests.browser.desk import Desk
from tests.browser.stage import SETTINGS, Stage

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
SHOWN = ("subscription", "checkpoint", "worker", "quarantined", "skip", "rewind")
VIEWS = tuple(f"view_{name}" for name in SHOWN)


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


@pytest.fixture
def stage(settings: Any, transactional_db: None) -> Iterator[Stage]:
    """A subscription whose workers have read everything and go on running."""
    settings.STREAMAPP = SETTINGS
    stage = Stage()
    stage.fill()
    yield stage
    stage.close()


@pytest.fixture
def desk(browser: Any, live_server: Any, django_user_model: Any) -> Iterator[Callable[..., Desk]]:
    """Let somebody with these permissions, beside those to look at pages, log in."""
    contexts: list[Any] = []
    desks: list[Desk] = []

    def open_desk(*permissions: str) -> Desk:
        name = f"person-{len(contexts)}"
        user = django_user_model.objects.create_user(name, password="night", is_staff=True)
        user.user_permissions.set(Permission.objects.filter(codename__in=(*VIEWS, *permissions)))
        contexts.append(browser.new_context(base_url=live_server.url))
        desks.append(Desk(contexts[-1].new_page(), name, "night"))
        return desks[-1]

    yield open_desk
    for context in contexts:
        context.close()
    for each in desks:
        assert each.complaints == []
