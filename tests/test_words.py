"""Bounds are rounded outward: what is read is as true as what was computed."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.words import NOTHING, Way, certainty, many, number, odds, percent, rounded

SOURCE = Path(covey.__file__).parent
POSITIVE = st.floats(0, 1e15)
SHARE = st.floats(0, 1)
WAYS: tuple[Way, Way] = ("up", "down")


def outward(text: str, value: float, way: Way, least: float = 0.0) -> bool:
    """Whether what somebody reads in a text is on the safe side of the value."""
    plain = Decimal(text.replace(",", "").removesuffix("%"))
    found = float(plain.scaleb(-2) if text.endswith("%") else plain)
    return found >= value - least if way == "up" else found <= value + least


@pytest.mark.parametrize("way", WAYS)
@given(value=POSITIVE)
def test_a_number(way: Way, value: float) -> None:
    for spec in (".1g", ".3g", ".8g", ".1e", ".2f"):
        assert outward(rounded(value, spec, way), value, way)
    assert outward(number(value, way), value, way, NOTHING)
    near = [float(rounded(value, ".3g", one)) for one in ("down", "nearest", "up")]
    assert near == sorted(near)


@pytest.mark.parametrize("way", WAYS)
@given(share=SHARE)
def test_a_share(way: Way, share: float) -> None:
    for spec in (".1%", ".3g%", ".6g%"):
        assert outward(rounded(share, spec, way), share, way)
    assert outward(percent(share, way), share, way, NOTHING)


@pytest.mark.parametrize("way", WAYS)
@given(leakage=st.floats(0, 690))
def test_a_factor(way: Way, leakage: float) -> None:
    assert outward(odds(leakage, way), math.exp(leakage), way, 2 * NOTHING)


def test_what_was_printed_wrong() -> None:
    assert percent(0.501495, "up") == "50.2%"
    assert number(0.014632, "up") == "0.0147"
    assert odds(0.502, "up") == "1.66"
    assert rounded(0.55, ".3g%", "up") == "55%"  # and no more than has to be
    assert rounded(0.1, ".3g", "up") == rounded(0.1, ".3g", "down") == "0.1"
    assert certainty((0.1234567849, 0.2234567801)) == (
        "the leakage is certainly between 0.12345678 and 0.22345679"
    )
    assert certainty((0.5, 0.5 + 1.2e-12)) == "the leakage is certain to within 2e-12"


# A scan of the source: next to words that make a bound of a number, it is rounded as one.

ABOVE = r"(at\s+most|no\s+more\s+than|not\s+more\s+than|more\s+than|less\s+probable\s+than|(?<!add )(?<!adds )up\s+to)"
BELOW = r"(at\s+least|no\s+less\s+than|less\s+than|never\s+below)"
BOUND = re.compile(rf"\b({ABOVE}|{BELOW})( a factor)?\s*$")
ROUNDING = re.compile(r"\.\d+[gef%]")
SETTINGS = re.compile(  # what somebody asked for is no result, and stands as it was given
    r"\b(tolerance|TOLERANCE|target|_FAR|LEFT_OUT|epsilon|cap|until)\b"
)


def pieces(tree: ast.AST) -> Iterator[tuple[str, ast.FormattedValue]]:
    """Every value in an f-string, with the words before it."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.JoinedStr):
            continue
        before = ""
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                yield before, part
                before = ""
            elif isinstance(part, ast.Constant):
                before += str(part.value)


def is_loose(words: str, value: ast.FormattedValue) -> bool:
    """Whether a bound is rounded to the nearest, which may be inward."""
    if not (bound := BOUND.search(words)):
        return False
    if value.format_spec is not None:
        kept = ROUNDING.search(ast.unparse(value.format_spec))
        return bool(kept) and not SETTINGS.search(ast.unparse(value.value))
    call = value.value
    if not isinstance(call, ast.Call) or ast.unparse(call.func) not in _ROUNDERS:
        return False
    way = "up" if re.match(ABOVE, bound[1]) else "down"
    given = [ast.unparse(one) for one in (*call.args, *(key.value for key in call.keywords))]
    return f"'{way}'" not in given


_ROUNDERS = ("rounded", "number", "odds", "percent", "as_percent", "factor", "leaked")


def test_no_sentence_rounds_a_bound_inward() -> None:
    found, loose = 0, []
    for path in sorted(SOURCE.rglob("*.py")):
        for words, value in pieces(ast.parse(path.read_text(encoding="utf-8"))):
            found += bool(BOUND.search(words))
            if is_loose(words, value):
                loose.append(f"{path.name}:{value.lineno}: {words[-30:]}{ast.unparse(value.value)}")
    assert found > 60
    assert loose == []


@pytest.mark.parametrize(
    ("line", "loose"),
    [
        ('f"right at most {share:.1%} of the time"', True),
        ('f"right at most {percent(share)} of the time"', True),
        ("f\"right at most {percent(share, 'down')} of the time\"", True),
        ("f\"right at most {percent(share, 'up')} of the time\"", False),
        ("f\"leaks at least {rounded(low, '.3g', 'up')}\"", True),
        ("f\"leaks at least {rounded(low, '.3g', 'down')}\"", False),
        ('f"no event is more than {odds(epsilon)} times"', True),
        ('f"at most {count:,} states"', False),
        ('f"by a factor {odds(value)}"', False),
    ],
)
def test_the_scan_finds_it(line: str, loose: bool) -> None:
    assert [is_loose(*one) for one in pieces(ast.parse(line))] == [loose]


def test_the_app_rounds_bounds_outward_too() -> None:
    """What the page takes from the upper end of an interval; `before` and `after` a change is exact."""
    upper = r"(?:percent|short)(?:Of)?\((?!before|after)(?:[\w.]*\.)?(?:\w*upper|guess|settled|epsilon)\b"
    found = [
        (path.name, call)
        for path in sorted((SOURCE / "app" / "static").glob("*.js"))
        for call in re.findall(rf"{upper}[^)]*\)", path.read_text(encoding="utf-8"))
    ]
    assert len(found) > 6
    assert [one for one in found if '"up"' not in one[1]] == []


@pytest.mark.parametrize(
    ("count", "name", "said"),
    [
        (6, "carrier", "6 carriers"),
        (1, "carrier", "1 carrier"),
        (0, "picker", "0 pickers"),
        (2, "relay", "2 relays"),
        (2, "supply", "2 supplies"),
        (2, "box", "2 boxes"),
        (1_200, "1", "1,200 of type 1"),
        (2, "A", "2 A"),
        (3, "AGV", "3 AGV"),
        (3, "uav_2", "3 × uav_2"),
        (3, "Träger", "3 × Träger"),
    ],
)
def test_so_many_of_a_type(count: int, name: str, said: str) -> None:
    assert many(count, name) == said
