"""The file of criteria: what is written is read back, and what a person mistypes is named with its line."""

from __future__ import annotations

import tomllib
from pathlib import Path
from random import Random

import pytest

from instrument.errors import UsageError
from judge.criteria import Checklist
from judge.criteriafile import parse_criteria, read_criteria, to_toml
from judge.records import CRITERION_KINDS, Criterion

NASTY = 'say "hi"\\ \t\n\r\b\f\x00\x1f\x7f é 漢 😀 \'\'\' """ # [[criterion]] = '


def test_nasty_texts_survive(tmp_path: Path) -> None:
    checklist = Checklist(NASTY, (Criterion(id="C1", kind="visual", text=" ".join(NASTY.split()), votes=2),))
    path = tmp_path / "criteria.toml"
    path.write_text(to_toml(checklist), encoding="utf-8")
    assert read_criteria(path) == checklist


def test_random_texts_survive() -> None:
    random = Random(3)
    for _ in range(200):
        text = "".join(chr(random.choice([*range(0x250), 0x1F600, 0x2028, 0xFEFF])) for _ in range(30))
        plain = " ".join(text.split()) or "x"
        written = Checklist(text, (Criterion(id="C1", kind=random.choice(CRITERION_KINDS), text=plain),))
        assert parse_criteria(to_toml(written)) == written


def test_lone_surrogates_break_nothing() -> None:
    assert tomllib.loads(to_toml(Checklist("a\ud800b", (), notes=("c\ud800d",))))["requirement"] == "a?b"


def test_what_was_left_out_stands_in_comments() -> None:
    text = to_toml(
        Checklist(
            "r",
            (Criterion(id="C1", kind="content", text="t"),),
            dropped=(("Uses\nReact", "why"),),
            notes=("note",),
        )
    )
    assert "# left out, why: Uses React\n" in text and "# note\n" in text
    assert len(parse_criteria(text).criteria) == 1


def test_a_person_may_leave_out_ids_and_votes() -> None:
    found = parse_criteria(
        '[[criterion]]\ntype = "content"\ntext = "a"\n\n[[ criterion ]]\ntext = """\nb\nc"""\ntype = "visual"\n'
    )
    assert [(each.id, each.text, each.votes) for each in found.criteria] == [("C1", "a", 0), ("C2", "b c", 0)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[[criterion]]\ntype = "content"\ntext = "a\n', "line 3"),
        (
            '\n[[criterion]]\ntext = "a"\n',
            "line 2: type is one of functional, content, visual, and it is missing",
        ),
        (
            '[[criterion]]\ntype = "nice"\ntext = "a"\n',
            "line 1: type is one of functional, content, visual, not 'nice'",
        ),
        ("a = 1\n", "there is no setting a"),
        ('[[criterion]]\ntype = "content"\n', "line 1: text says what is to be seen"),
        (
            '[[criterion]]\ntype = "content"\ntext = "a"\nweight = 2\n',
            "line 1: a criterion has type, text, id and votes, not weight",
        ),
        ('[[criterion]]\ntype = "content"\ntext = "a"\nvotes = "2"\n', "votes is a whole number, not '2'"),
        ('[criterion]\ntype = "content"\n', "with two brackets"),
        ("", "has no criterion"),
        (
            'requirement = """\n[[criterion]]\n"""\n[[criterion]]\ntype = "content"\ntext = "a"\nid = "A"\n\n'
            '[[criterion]]\ntype = "content"\ntext = "b"\nid = "A"\n',
            "line 9: the id A is taken by the criterion at line 4",
        ),
    ],
)
def test_mistakes_are_named_with_their_line(text: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_criteria(text, name="my.toml")
    assert words in str(caught.value) and str(caught.value).startswith("my.toml")


def test_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_criteria(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b'requirement = "\xe9"')
    with pytest.raises(UsageError, match="cannot be read"):
        read_criteria(tmp_path / "latin.toml")
