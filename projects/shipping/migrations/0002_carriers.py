"""The carriers that the example begins with."""

from typing import Any

from django.db import migrations

CODES = ("albatross", "heron", "kingfisher")


def add(apps: Any, schema_editor: Any) -> None:
    carriers = apps.get_model("shipping", "Carrier").objects.using(schema_editor.connection.alias)
    for code in CODES:
        carriers.get_or_create(code=code)


class Migration(migrations.Migration):
    dependencies = [("shipping", "0001_initial")]
    operations = [migrations.RunPython(add, migrations.RunPython.noop)]
