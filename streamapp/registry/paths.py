"""Dotted paths of the settings."""

from typing import Any

from django.utils.module_loading import import_string


def imported(path: object) -> Any:
    """Import what a dotted path names; raises ImportError with a sentence if there is no such thing."""
    if not isinstance(path, str):
        raise ImportError("it is not a dotted path")
    return import_string(path)
