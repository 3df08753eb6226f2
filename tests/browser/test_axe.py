"""axe-core's audit: it finds what it should, the app sees nothing of it, and without it there is a sentence."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from explorer import Options, explore
from explorer.axe import check_axe
from instrument.errors import UsageError

PAGE = """<!doctype html><html lang=en><title>List</title>
<ul><div>no list item</div></ul><button style="height:40px">Go</button>
<script>
  document.querySelector('button').onclick = () => {
    document.body.append(typeof axe + typeof axe_core + Object.keys(window).filter((k) => /axe/i.test(k)));
  };
  var axe_core;
</script>"""


@pytest.mark.browser
def test_states_are_audited_and_the_app_sees_nothing_of_it(tmp_path: Path) -> None:
    app = tmp_path / "app"
    app.mkdir()
    (app / "index.html").write_text(PAGE)
    run = explore(app, budget=1, out=tmp_path / "run", options=Options(axe=True))
    looks = [step.looks for step in run.trace.steps if step.looks is not None]
    assert looks[0].checks[0] == "rules"
    assert looks[0].checks[1].startswith("axe 4.")
    (found,) = [flaw for flaw in looks[0].flaws if flaw.rule == "axe:list"]
    assert "serious impact" in found.detail
    assert dict(looks[0].counts)["axe:list"] == 1
    shown = run.trace.steps[-1].snapshot
    assert shown is not None
    assert "undefinedundefinedaxe_core" in shown.html


def test_without_the_package_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="pip install"):
        check_axe()
