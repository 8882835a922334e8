"""`manage.py streams` without its tables: a sentence with the next step, no traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

WITHOUT_TABLES = """
from tests.settings import *
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
"""


@pytest.mark.parametrize("words", [["status"], ["forget", "shipping.ship", "--execute"]])
def test_before_migrate_the_command_says_to_migrate(tmp_path, words):
    (tmp_path / "without_tables.py").write_text(WITHOUT_TABLES)
    path = os.pathsep.join([str(tmp_path), str(Path.cwd())])
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "without_tables", "PYTHONPATH": path}
    command = [sys.executable, "-m", "django", "streams", *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, "Run `manage.py migrate`" in done.stderr) == (1, True)
    assert "Traceback" not in done.stderr
