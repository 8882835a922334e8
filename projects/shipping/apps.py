"""The app."""

from django.apps import AppConfig


class ShippingConfig(AppConfig):
    name = "projects.shipping"
    label = "shipping"
