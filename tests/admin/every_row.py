"""One row of every table of the app, whatever tables there are: those that are empty are filled."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.apps import apps
from django.db import models

from streamapp.models.fields import PositionField

MOMENT = datetime(2026, 11, 1, tzinfo=UTC)
VALUES: list[tuple[type[Any], Any]] = [
    (PositionField, 70),
    (models.CharField, "x"),
    (models.TextField, "x"),
    (models.DateTimeField, MOMENT),
    (models.DurationField, timedelta(seconds=12)),
    (models.BooleanField, False),
    (models.FloatField, 1.0),
    (models.IntegerField, 1),
    (models.BinaryField, b"{}"),
    (models.JSONField, {}),
    (models.GenericIPAddressField, "127.0.0.1"),
]


def models_of_the_app() -> list[type[models.Model]]:
    return list(apps.get_app_config("streamapp").get_models())


def fill() -> None:
    """Give a row to each table that has none."""
    empty = [model for model in models_of_the_app() if not model._default_manager.exists()]
    while empty:
        ready = [model for model in empty if not set(_needed(model)) & set(empty)]
        assert ready, f"These tables need each other: {empty}"
        for model in ready:
            model._default_manager.create(**_values(model))
        empty = [model for model in empty if model not in ready]


def _needed(model: type[models.Model]) -> list[Any]:
    return [field.related_model for field in _fields(model) if field.is_relation]


def _values(model: type[models.Model]) -> dict[str, Any]:
    return {field.name: _value(field) for field in _fields(model)}


def _value(field: Any) -> Any:
    if field.is_relation:
        return field.related_model._default_manager.first()
    if field.choices:
        return field.choices[0][0]
    return next(value for kind, value in VALUES if isinstance(field, kind))


def _fields(model: type[models.Model]) -> list[Any]:
    return [field for field in model._meta.concrete_fields if _must_be_given(field)]


def _must_be_given(field: Any) -> bool:
    if isinstance(field, models.AutoField) or field.has_default() or field.blank:
        return False
    return field.primary_key or not field.null


def dump() -> dict[str, list[str]]:
    """Return every row of every table of the project, as text."""
    return {
        model._meta.label: sorted(map(repr, model._default_manager.values_list()))
        for model in apps.get_models(include_auto_created=True)
    }
