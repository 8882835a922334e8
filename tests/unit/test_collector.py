"""The garbage collector rests while a plan is made, and works again whatever became of it."""

import gc

import pytest

from streamapp.services.collector import collector_at_rest


@pytest.fixture(autouse=True)
def running():
    gc.enable()
    yield
    gc.enable()


def test_it_rests_in_the_block_and_works_behind_it():
    with collector_at_rest():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_works_again_after_an_error():
    with pytest.raises(LookupError), collector_at_rest():
        raise LookupError
    assert gc.isenabled()


def test_a_project_that_has_switched_it_off_keeps_it_off():
    gc.disable()
    with collector_at_rest():
        assert not gc.isenabled()
    assert not gc.isenabled()
