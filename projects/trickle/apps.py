"""The app."""

from django.apps import AppConfig


class TrickleConfig(AppConfig):
    name = "projects.trickle"
    label = "trickle"
