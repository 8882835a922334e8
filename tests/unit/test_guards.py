"""The catalogue of script/mutants fits the code, the tests and docs/reliability.md, without running it."""

import re
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.append(str(CHECKOUT / "script"))

from mutation.catalogue import GUARDS  # noqa: E402

EACH = pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.name)
RELIABILITY = (CHECKOUT / "docs" / "reliability.md").read_text()


@EACH
def test_the_guard_stands_in_the_code_exactly_once(guard):
    assert (CHECKOUT / "streamapp" / guard.file).read_text().count(guard.text) == 1


@EACH
def test_the_test_of_the_guard_is_there(guard):
    file, _, name = guard.test.partition("::")
    assert f"def {name.partition('[')[0]}(" in (CHECKOUT / "tests" / file).read_text()


@EACH
def test_the_guard_stands_in_the_docs(guard):
    assert f"`{guard.name}`" in RELIABILITY


def test_every_test_that_the_docs_name_is_there():
    rows = "".join(line for line in RELIABILITY.splitlines() if line.startswith("| ") and ".py" in line)
    tests = re.findall(r"`(\w+/[\w/]+\.py)`", rows)
    assert tests
    assert [test for test in tests if not (CHECKOUT / "tests" / test).exists()] == []


def test_names_are_given_once():
    assert len({guard.name for guard in GUARDS}) == len(GUARDS)
