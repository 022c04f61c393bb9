"""A text with other values: they are there, everything else is as it was."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.errors import InputError
from covey.model.io.scenario_file import loads
from covey.model.io.value_edit import with_values

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.toml"))
WORDS = ("", "x", "a \"b' # c", "[types]", "a\nb = 1", "\\", "\x7f", '"""', "ε")
VALUES: tuple[Any, ...] = (None, 0, -3, 10**30, 0.5, 1e-300, float("inf"), [], ["]\n#"], *WORDS)
TEXT = '''title = "a # b"   # the title
[types]
A = 2      # two
"B b" = 1
[rates]    # per hour
meet = 0.25       # often
"part" = 1e-3
[network]
reactions = """
{A} <-> x{A} @ meet, part   # in
[rates]
"""
[observe]
there = "x{A}"
'''


def lines_changed(before: str, after: str) -> list[tuple[str, str]]:
    pairs = zip(before.split("\n"), after.split("\n"), strict=True)
    return [(old, new) for old, new in pairs if old != new]


@pytest.mark.parametrize(
    ("values", "changed"),
    [
        ({"types.A": 3}, [("A = 2      # two", "A = 3      # two")]),
        ({"types.A": 12345}, [("A = 2      # two", "A = 12345  # two")]),
        ({"types.A": 2}, []),
        ({"types.B b": 7}, [('"B b" = 1', '"B b" = 7')]),
        ({"rates.meet": 0.125}, [("meet = 0.25       # often", "meet = 0.125      # often")]),
        ({"rates.part": 2.0}, [('"part" = 1e-3', '"part" = 2.0')]),
        (
            {"title": 'x "y"'},
            [('title = "a # b"   # the title', 'title = "x \\"y\\""  # the title')],
        ),
        ({"observe.there": "{A}"}, [('there = "x{A}"', 'there = "{A}"')]),
    ],
)
def test_a_value_changes_in_its_place(values: dict[str, Any], changed: list[Any]) -> None:
    assert lines_changed(TEXT, with_values(TEXT, values)) == changed


def test_what_is_not_there_is_added() -> None:
    text = with_values(TEXT, {"types.C": 4, "adversary.at": 2.5, "observe.x y": "{A}"})
    assert text.split("\n")[4] == "C = 4"
    assert text.endswith('there = "x{A}"\n"x y" = "{A}"\n\n[adversary]\nat = 2.5\n')


def test_what_is_taken_away_is_gone() -> None:
    assert with_values(TEXT, {"rates.meet": None}) == TEXT.replace(
        "meet = 0.25       # often\n", ""
    )
    assert with_values(TEXT, {"observe.there": None}) == TEXT.replace(
        '[observe]\nthere = "x{A}"\n', ""
    )
    assert with_values(TEXT, {"observe.other": None, "release.every": None}) == TEXT


def test_comments_below_a_table_are_not_its_own() -> None:
    text = TEXT.replace("[network]", "\n# What happens.\n[network]")
    new = with_values(text, {"rates.new": 2, "rates.part": None})
    assert "often\nnew = 2\n\n# What happens.\n[network]\n" in new
    new = with_values(text, {"rates": {}})
    assert '"B b" = 1\n\n# What happens.\n[network]\n' in new


def test_dotted_keys_stay_dotted() -> None:
    text = "rates.meet = 0.2# often\nrates.part = 1\n[types]\nA = 2\n"
    new = with_values(text, {"rates.meet": 0.5, "rates.new": 2, "rates.part": None})
    assert new.startswith("rates.meet = 0.5  # often\nrates.new = 2\n")


def test_a_table_is_replaced() -> None:
    text = with_values(TEXT, {"observe": {"a": "{A}", "b": "x{A}"}})
    assert tomllib.loads(text)["observe"] == {"a": "{A}", "b": "x{A}"}
    assert with_values(text, {"observe": {}}) == TEXT.partition("[observe]")[0]


def test_values_of_many_lines() -> None:
    text = TEXT + 'more = [\n  "x",  # one\n  "y",\n]  # last\nrest = 1\n'
    new = with_values(text, {"observe.more": ["z"], "network.reactions": "{A} -> x{A} @ 1"})
    assert '\nmore = ["z"]  # last\nrest = 1\n' in new
    assert '\nreactions = "{A} -> x{A} @ 1"\n[observe]' in new


@pytest.mark.filterwarnings("ignore::covey.errors.CoveyWarning")
@pytest.mark.parametrize("types", ["types = {A = 2}  # two", "types.A = 2", '"types".A = 2'])
def test_tables_in_other_forms_mean_the_same(types: str) -> None:
    text = f'{types}\n[network]\nreactions = "{{A}} <-> x{{A}} @ 1, 1"\n'
    assert loads(with_values(text, {"types.A": 5})).team.types == {"A": 5}


@pytest.mark.parametrize("values", [{"types.A": {"b": 1}}, {"title.x": 1}, {"network": 5}])
def test_nonsense_is_refused_or_said(values: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        loads(with_values(TEXT, values), files=False)


@given(st.data())
def test_any_values_of_any_example(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(EXAMPLES)).read_text(encoding="utf-8")
    document = tomllib.loads(text)
    names = [f"{table}.{key}" for table in document if table != "title" for key in document[table]]
    values = data.draw(
        st.dictionaries(
            st.sampled_from([*names, "adversary.at", "release.every", "title"]),
            st.sampled_from(VALUES),
            max_size=4,
        )
    )  # fmt: skip
    try:
        new = with_values(text, values)
    except InputError:
        return  # it would be no scenario, and could only be printed anew
    wanted = {
        key: dict(value) if isinstance(value, dict) else value for key, value in document.items()
    }
    for name, value in values.items():
        table, _, key = name.partition(".")
        inside = wanted.setdefault(table, {}) if key else wanted
        if value is None:
            inside.pop(key or table, None)
        else:
            inside[key or table] = value
    assert tomllib.loads(new) == {name: value for name, value in wanted.items() if value != {}}
    kept = {line.partition("#")[2] for line in text.split("\n") if line.startswith("#")}
    assert kept <= {line.partition("#")[2] for line in new.split("\n")}
