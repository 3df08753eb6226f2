"""Handler attributes that scripts write: what they call, and which function of the app that is."""

import pytest

from explorer.attributes import Attributes, NotParsed, called
from instrument.probes import Position, Probe, ProbeMap, SourceFile


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("remove(3)", ("remove",)),
        ("remove('a', this); return false", ("remove",)),
        ("event.stopPropagation(); app.list.toggle(1)", ("stopPropagation", "toggle")),
        ("if (confirm('Sure?')) { drop(x) }", ("confirm", "drop")),
        ("new Dialog(open)", ("Dialog",)),
        ("this.value = 1", ()),
        ("window['go'](1)", ()),
        ("", ()),
    ],
)
def test_names_that_a_handler_calls(text: str, names: tuple[str, ...]) -> None:
    assert called(text) == names


@pytest.mark.parametrize("text", ["remove(", "a?.b()", "x ??= 1"])
def test_what_cannot_be_read_says_so(text: str) -> None:
    with pytest.raises(NotParsed):
        called(text)


def attributes() -> Attributes:
    def function(index: int, file: str, name: str) -> Probe:
        return Probe(index, "function", file, Position(index + 1, 0, index + 1, 9), name)

    probes = (
        function(0, "app.js", "remove"), function(1, "app.js", "twice"), function(2, "other.js", "twice"),
        function(3, "lib.js", "each"),
    )  # fmt: skip
    files = (
        SourceFile("app.js", "own", "", "", (), (0, 1)),
        SourceFile("other.js", "own", "", "", (), (2,)),
        SourceFile("lib.js", "vendor", "", "", (), (3,)),
    )
    return Attributes(ProbeMap(files, probes, {}))


def test_function_of_the_app_that_is_called_by_a_name_of_its_own() -> None:
    found = attributes()
    assert found.function("remove(3)") == 0
    assert found.function("event.preventDefault(); remove(3)") == 0


def test_names_that_are_shared_or_foreign_lead_nowhere() -> None:
    found = attributes()
    assert found.function("twice()") is None
    assert found.function("each()") is None
    assert found.function("alert(1)") is None
    assert not found.not_parsed


def test_what_could_not_be_read_is_kept_with_its_reason() -> None:
    found = attributes()
    assert found.function("a?.b()") is None
    assert found.not_parsed["a?.b()"].startswith("not parsed: ")
