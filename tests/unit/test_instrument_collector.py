"""The garbage collector's pauses end, also after an error, and leave alone what was set before."""

from __future__ import annotations

import gc

import pytest

from instrument.collector import collector_paused, collector_spared


def test_a_pause_ends_also_after_an_error() -> None:
    with pytest.raises(KeyError), collector_paused():
        assert not gc.isenabled()
        raise KeyError
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with collector_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_was_made_before_is_spared_for_a_while() -> None:
    with pytest.raises(KeyError), collector_spared():
        assert gc.get_freeze_count() > 0
        with collector_spared():
            pass
        assert gc.get_freeze_count() > 0
        raise KeyError
    assert gc.get_freeze_count() == 0


def test_what_was_made_in_a_pause_counts_as_old() -> None:
    with collector_paused():
        made: list[object] = [{}, []]
    assert any(each is made for each in gc.get_objects(generation=2))
