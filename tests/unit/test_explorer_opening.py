"""Before the first step: the request is kept, half-made folders go away, the command line can be repeated."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from explorer.opening import caveats, fresh_folder, spent_before
from explorer.options import Options, check
from explorer.request import Request, command_of, load_request, save_request
from explorer.rundir import RUN, TRACE
from instrument.errors import UsageError

REQUEST = Request(
    "./dist", 50, 3, Options(entry="a.html", tester="random", allow_host=("x.org", "y.org"), time_limit=9.5)
)


def test_request_is_read_back_as_it_was(tmp_path: Path) -> None:
    save_request(REQUEST, tmp_path)
    assert replace(load_request(tmp_path), target=REQUEST.target) == REQUEST
    assert load_request(tmp_path, budget=80).budget == 80


def test_address_of_a_resumed_run_stays_an_address(tmp_path: Path) -> None:
    for target in ("http://localhost:5173/app?x=1", "localhost:5173"):
        save_request(replace(REQUEST, target=target), tmp_path)
        assert load_request(tmp_path).target == target


def test_target_of_a_resumed_run_is_found_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    save_request(REQUEST, tmp_path)
    monkeypatch.chdir("/")
    assert load_request(tmp_path).target == str(tmp_path / "dist")


@pytest.mark.parametrize("text", [None, "no json", "[]", '{"target": "x", "options": {"colour": 1}}'])
def test_folder_without_a_request_cannot_be_resumed(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "request.json").write_text(text)
    with pytest.raises(UsageError, match=r"name a folder|name one that explore-app wrote") as refused:
        load_request(tmp_path)
    assert "Errno" not in str(refused.value) and str(refused.value).endswith(".")


def test_command_line_names_what_differs_from_the_defaults() -> None:
    assert command_of(Request("my app", 100, 0, Options())) == "explore-app 'my app' --budget 100 --seed 0"
    assert command_of(REQUEST) == (
        "explore-app ./dist --budget 50 --seed 3 --entry a.html --tester random --time-limit 9.5 "
        "--allow-host x.org --allow-host y.org"
    )
    assert command_of(Request("d", 1, 0, Options(headed=True))).endswith("--headed")


@pytest.mark.parametrize("existed", [False, True])
def test_folder_of_a_run_that_did_not_begin_goes_away(tmp_path: Path, existed: bool) -> None:
    out = tmp_path / "run"
    if existed:
        out.mkdir()
    with pytest.raises(RuntimeError), fresh_folder(out, target="x", now=datetime(2026, 1, 1)) as folder:
        (folder / "half.json").write_text("{")
        raise RuntimeError
    assert out.exists() == existed and (not existed or not list(out.iterdir()))


def test_folder_with_steps_in_its_trace_stays(tmp_path: Path) -> None:
    with (
        pytest.raises(RuntimeError),
        fresh_folder(tmp_path / "run", target="x", now=datetime(2026, 1, 1)) as folder,
    ):
        (folder / TRACE).write_text("head\nstep\n")
        raise RuntimeError
    assert (tmp_path / "run" / TRACE).is_file()


def test_what_is_left_of_a_run_that_broke_off_is_said(tmp_path: Path) -> None:
    def broken(out: Path, trace: str) -> list[str]:
        said: list[str] = []
        with (
            pytest.raises(KeyboardInterrupt),
            fresh_folder(out, target="x", now=datetime(2026, 1, 1), say=said.append) as folder,
        ):
            (folder / TRACE).write_text(trace)
            raise KeyboardInterrupt
        return said

    assert broken(tmp_path / "none", "head\n") == ["Nothing was explored, so nothing was written."]
    assert f"explore-app report {tmp_path / 'some'}" in broken(tmp_path / "some", "head\nstep\n")[0]


def test_what_an_earlier_run_took(tmp_path: Path) -> None:
    assert spent_before(tmp_path) == (0.0, {})
    (tmp_path / RUN).write_text('{"seconds": 4.5}')
    assert spent_before(tmp_path) == (4.5, {})
    (tmp_path / RUN).write_text("[]")
    with pytest.raises(UsageError, match="damaged"):
        spent_before(tmp_path)


@pytest.mark.parametrize(
    ("options", "budget", "sentence"),
    [
        (Options(), 0, "at least 1 action"),
        (Options(), -3, "at least 1 action"),
        (Options(tester="x"), 5, "no tester x"),
        (Options(abstraction="x"), 5, "no abstraction x"),
        (Options(time_limit=0), 5, "more than 0"),
    ],
)
def test_what_would_not_work_is_refused_in_one_sentence(options: Options, budget: int, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        check(options, budget=budget)


def test_what_keeps_a_run_from_repeating_is_noted() -> None:
    assert caveats(Options()) == ()
    assert "clock" in caveats(Options(clock="real"))[0]
    assert (
        "other hosts" in caveats(Options(network="open"))[0]
        and "other hosts" in caveats(Options(allow_host=("x.org",)))[0]
    )
    assert "time limit" in caveats(Options(time_limit=5))[0]
