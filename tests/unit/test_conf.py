"""The settings: defaults, changes, refusals, and what may be imported before they are there."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.test import override_settings

import streamapp
from streamapp.conf import KNOWN, Configuration, configuration
from streamapp.exceptions import ConfigurationError
from streamapp.registry.backends import KEYS as BROKER_KEYS
from streamapp.registry.declaration import KEYS


def test_what_is_not_set_has_its_default() -> None:
    with override_settings(STREAMAPP={"STOP_TIMEOUT": 5}):
        assert configuration() == Configuration(STOP_TIMEOUT=5)


def test_without_any_settings_all_is_default() -> None:
    with override_settings(STREAMAPP={"STOP_TIMEOUT": 5}):
        del settings.STREAMAPP
        assert configuration() == Configuration()


def test_the_settings_are_read_once_and_follow_changes() -> None:
    before = configuration()
    assert configuration() is before
    with override_settings(STREAMAPP={"SAVE_INTERVAL": 0.1}):
        assert configuration().SAVE_INTERVAL == 0.1
    assert configuration() == before


def test_wrong_settings_are_refused_with_every_mistake_and_its_hint() -> None:
    with override_settings(STREAMAPP={"SAVE_INTERVALL": 1, "STOP_TIMEOUT": -1}):
        with pytest.raises(ConfigurationError) as refused:
            configuration()
        assert "Did you mean 'SAVE_INTERVAL' or 'HEARTBEAT_INTERVAL'? (streamapp.E001)" in str(refused.value)
        assert "STOP_TIMEOUT is -1" in str(refused.value)
        with pytest.raises(ConfigurationError):
            configuration()


def test_settings_can_import_every_public_name_before_there_are_settings() -> None:
    code = "from streamapp import *; from django.conf import settings; assert not settings.configured"
    subprocess.run([sys.executable, "-c", code], check=True, env={}, timeout=30)


def test_importing_the_package_imports_no_django() -> None:
    code = "import sys, streamapp; assert not [name for name in sys.modules if name.startswith('django')]"
    subprocess.run([sys.executable, "-c", code], check=True, env={}, timeout=30)


def test_the_docs_name_every_key() -> None:
    page = (Path(__file__).parents[2] / "docs" / "settings.md").read_text()
    assert [key for key in (*KNOWN, *KEYS, *BROKER_KEYS) if f"| `{key}` |" not in page] == []


def test_a_name_that_is_not_public_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="'nothing'"):
        streamapp.nothing  # noqa: B018
