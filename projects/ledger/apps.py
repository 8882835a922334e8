"""The app."""

from django.apps import AppConfig


class LedgerConfig(AppConfig):
    name = "projects.ledger"
    label = "ledger"
