"""The people in front of the browser, who log in as people do."""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission

from tests.browser.desk import Desk

RECORDS = "view_record"


class People:
    """One person for each set of permissions, and further ones with the same by their name."""

    def __init__(self, browser: Any, address: str) -> None:
        self.browser = browser
        self.address = address
        self.contexts: list[Any] = []
        self.desks: dict[tuple[str, ...], Desk] = {}

    def desk(self, *permissions: str, name: str = "person") -> Desk:
        known = self.desks.get((name, *permissions))
        if known is None or not get_user_model().objects.filter(username=known.name).exists():
            known = self._log_in(f"{name}-{len(self.contexts)}", permissions)
            self.desks[name, *permissions] = known
        return known

    def close(self) -> None:
        for context in self.contexts:
            context.close()

    def _log_in(self, name: str, permissions: Sequence[str]) -> Desk:
        user = get_user_model().objects.create_user(name, password="night", is_staff=True)
        own = Permission.objects.filter(content_type__app_label="streamapp")
        views = own.filter(codename__startswith="view_").exclude(codename=RECORDS)
        user.user_permissions.set(views | own.filter(codename__in=permissions))
        self.contexts.append(self.browser.new_context(base_url=self.address))
        return Desk(self.contexts[-1].new_page(), name, "night")
