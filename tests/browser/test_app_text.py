"""What the app's controls do to the text, against what TOML and the library read in it."""

import copy
import math
import tomllib
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Route

import covey
from covey.dynamics.ctmc.propensity import propensity

pytestmark = pytest.mark.slow  # a browser

STATIC = Path(covey.__file__).parent / "app" / "static"
EXAMPLES = sorted((Path(__file__).parent.parent.parent / "examples").glob("*.toml"))
Call = Callable[..., Any]


@pytest.fixture(scope="module")
def call(browser: Browser) -> Iterator[Call]:
    """Calls a function of one of the app's modules; there is no server behind them."""
    page = browser.new_page()

    def give(route: Route) -> None:
        name = route.request.url.rpartition("/")[2]
        kind = "text/javascript" if name else "text/html"
        route.fulfill(body=(STATIC / name).read_text() if name else "<p>", content_type=kind)

    page.route("http://covey.test/**", give)
    page.goto("http://covey.test/")

    def called(module: str, function: str, *arguments: Any) -> Any:
        script = "async ([m, f, a]) => (await import(`./${m}.js`))[f](...a)"
        return page.evaluate(script, [module, function, list(arguments)])

    yield called
    page.close()


@pytest.fixture(params=EXAMPLES, ids=lambda path: path.stem)
def text(request: pytest.FixtureRequest) -> str:
    return str(request.param.read_text(encoding="utf-8"))


@pytest.mark.parametrize("value", [0.501495, 0.014632, 0.55, 0.1, 0.99951, 0.9999999, 3.4567e-9, 1])
def test_bounds_are_rounded_outward(call: Call, value: float) -> None:
    """What the page shows of a bound from above is never below it, and the reverse."""

    def read(function: str, *how: object) -> Decimal:
        text = call("numbers", function, value, *how).replace("−", "-")
        plain = Decimal(text.removesuffix("%"))
        return plain.scaleb(-2) if text.endswith("%") else plain

    exact = Decimal(repr(value))
    for function, digits in (("percent", []), ("short", [3])):
        assert read(function, *digits, "down") <= exact <= read(function, *digits, "up")
        assert read(function, *digits, "up") <= Decimal("1.1") * exact  # and not by much


def lines(text: str) -> list[str]:
    """The reactions that stand in a text, without their comments."""
    written = tomllib.loads(text).get("network", {}).get("reactions", "").splitlines()
    return [line for line in (line.partition("#")[0].strip() for line in written) if line]


def test_numbers_and_keys(call: Call, text: str) -> None:
    document = tomllib.loads(text)
    for table in ("types", "resources", "rates"):
        listed = [key["name"] for key in call("editing", "entries", text, table)]
        assert listed == list(document.get(table, {}))
        for name in listed:
            expected = copy.deepcopy(document)
            expected[table][name] = 7.5
            edited = call("editing", "withValue", text, table, name, "7.5")
            assert tomllib.loads(edited) == expected
            assert edited.count("#") == text.count("#")  # comments stay
        for name in listed[:1] + listed[-1:]:
            expected = copy.deepcopy(document)
            del expected[table][name]
            assert tomllib.loads(call("editing", "withoutKey", text, f"{table}.{name}")) == expected
        expected = copy.deepcopy(document)
        expected.setdefault(table, {})["one more"] = 3
        edited = call("editing", "withValue", text, table, "one more", "3", "a comment")
        assert tomllib.loads(edited) == expected


def test_typed_numbers_are_toml(call: Call) -> None:
    for typed in ("0.50", "3", "0", "1e-3", "2E+5", ".5", "05", "00.5", "5.", "-0"):
        written = call("editing", "literal", typed)
        assert tomllib.loads(f"x = {written}")["x"] == float(typed)
        if typed == typed.strip("0.-") or typed in ("0.50", "0"):
            assert written == typed  # as it was typed, where that will do


def test_tables(call: Call, text: str) -> None:
    document = tomllib.loads(text)
    for table in ("observe", "release"):
        gone = {name: values for name, values in document.items() if name != table}
        assert tomllib.loads(call("editing", "withoutTable", text, table)) == gone
        edited = call("editing", "withValue", text, table, "every", "2")
        assert tomllib.loads(edited)[table] == document.get(table, {}) | {"every": 2}


def test_reactions(call: Call, text: str) -> None:
    found = call("reactions", "reactions", text)
    assert [one["source"] for one in found] == lines(text)
    added = call("reactions", "withReaction", text, "{A} -> x{A} @ 1")
    assert lines(added) == [*lines(text), "{A} -> x{A} @ 1"]
    for i, one in enumerate(found[:3]):
        fewer = call("reactions", "withoutReaction", text, one)
        assert lines(fewer) == lines(text)[:i] + lines(text)[i + 1 :]


def test_species_are_the_library_s(call: Call, text: str) -> None:
    if "sbml" in text:
        return
    known = {str(species) for species in covey.loads(text).network.species}
    found = call("reactions", "speciesOf", text)
    if found is None:  # families: only the library knows
        assert " for " in text
        return
    bare = {call("reactions", "bare", one) for one in found}
    assert bare == {call("reactions", "bare", one) for one in known}


@pytest.mark.filterwarnings("ignore:.*direct breach")  # of the one type that is left
def test_without_a_member_it_still_is_a_scenario(call: Call) -> None:
    text = (EXAMPLES[0].parent / "warehouse.toml").read_text(encoding="utf-8")
    edited = call("removing", "withoutMember", text, "types", "picker")["text"]
    scenario = covey.loads(edited)  # a warning, as of a rate that nothing uses, would be an error
    assert dict(scenario.team.types) == {"carrier": 6}
    assert set(scenario.query.texts()) == {"driving", "charging"}
    again = call("removing", "withoutMember", text, "resources", "dock")["text"]
    assert set(covey.loads(again).query.texts()) == {"driving", "picking"}
    # A rule goes with the reaction that it is for.
    text = (EXAMPLES[0].parent / "throttled-warehouse.toml").read_text(encoding="utf-8")
    table = text.replace('[control]\npick = "0 if', '[control.pick]\nrule = "0 if')
    assert table != text
    for written in (text, table):
        edited = call("removing", "withoutMember", written, "types", "picker")["text"]
        assert not tomllib.loads(edited).keys() & {"control", "performance"}
    assert dict(covey.loads(edited).team.types) == {"carrier": 3}


def test_what_goes_takes_with_it_what_named_it(call: Call) -> None:
    text = (EXAMPLES[0].parent / "warehouse.toml").read_text(encoding="utf-8")
    text += '[performance]\nbusy = "mean(picking)"\nhome = "mean(charging)"\n'
    text += '[adversary]\nprotect = ["picker", "carrier"]\n'
    edited = call("removing", "withoutMember", text, "types", "picker")["text"]
    left = tomllib.loads(edited)
    assert left["adversary"]["protect"] == ["carrier"]
    assert set(left["performance"]) == {"home"}
    edited = call("counting", "without", text, "charging")
    assert set(tomllib.loads(edited)["performance"]) == {"busy"}
    throttled = (EXAMPLES[0].parent / "throttled-warehouse.toml").read_text(encoding="utf-8")
    assert call("counting", "goingBy", throttled, "driving") == ["control.pick"]
    assert call("counting", "goingBy", text, "driving") == []


def described(call: Call, kind: str, counted: str, who: list[str], other: str) -> covey.Scenario:
    """What the form makes of a sentence: it begins after 480, and takes 30."""
    tables = {"types": {"picker": 9, "carrier": 6}, "resources": {"dock": 3, "lift": 40}}
    team = ""
    for table, members in tables.items():
        there = [f"{name} = {count}\n" for name, count in members.items() if name in {*who, other}]
        team += f"[{table}]\n{''.join(there)}" if there else ""
    paces = [{"who": name, "begins": "480", "lasts": "30"} for name in who]
    said = {"kind": kind, "other": other, "word": "charge", "counted": counted, "paces": paces}
    return covey.loads(call("happening", "withHappening", team, said | {"seen": ""}), "the text")


def occupied(scenario: covey.Scenario) -> float:
    """How many are at it on average, in the long run."""
    (distribution,) = covey.solve(scenario.network, scenario.start, ["steady"])
    return sum(mean for name, mean in distribution.mean.items() if name.startswith("charge"))


def engset(robots: int, things: int, ratio: float) -> float:
    """The mean number of busy servers where each idle customer asks once in so long (Engset)."""
    weights = [math.comb(robots, k) * ratio**k for k in range(min(robots, things) + 1)]
    return sum(k * weight for k, weight in enumerate(weights)) / sum(weights)


@pytest.mark.filterwarnings("ignore:.*direct breach")
def test_the_form_writes_what_it_says(call: Call) -> None:
    both = ["picker", "carrier"]
    ratio = 30 / 480
    for thing, count in (("dock", 3), ("lift", 40)):
        found = occupied(described(call, "uses", "each", both, thing))
        assert found == pytest.approx(engset(15, count, ratio), rel=1e-9)
    each = engset(15, 40, ratio)
    assert each == pytest.approx(15 * 30 / 510)
    # A pair's time: with 40 lifts free, a robot begins forty times as soon.
    assert occupied(described(call, "uses", "pair", both, "lift")) > 10 * each
    # By itself there is nothing to wait for.
    alone = occupied(described(call, "alone", "", ["picker"], ""))
    assert alone == pytest.approx(9 * 30 / 510, rel=1e-9)


@pytest.mark.filterwarnings("ignore:.*direct breach")
@pytest.mark.parametrize(("other", "pairs"), [("carrier", 9 * 6), ("picker", 9 * 8 / 2)])
def test_two_meet_as_soon_as_the_form_says(call: Call, other: str, pairs: float) -> None:
    """How soon a first robot has begun, from what the reaction's rate is at the start."""
    robots = 2 if other == "picker" else 1  # who begin with every event
    for counted, rate in (("each", 9 / robots / 480), ("pair", pairs / 480)):
        scenario = described(call, "together", counted, ["picker"], other)
        network = scenario.network
        start = dict(zip(map(str, network.species), scenario.start.tolist(), strict=True))
        nobody = start | {f"{{{other}}}": 0}
        columns = np.array([list(start.values()), list(nobody.values())]).T
        found = propensity(network, 0, columns)
        assert found.tolist() == pytest.approx([rate, 0], rel=1e-12)


def test_a_number_that_is_too_long_for_its_box(call: Call) -> None:
    shown = {
        "0.0167": "0.0167", "0.20": "0.20", "12345678": "12345678", "123456789012": "1.2e+11",
        "0.0020833333333333333": "0.002083", "0.003470554048027899": "0.003471",
        "1.2345678e-7": "1.235e-7", "1234.5678901": "1234.568", "": "",
    }  # fmt: skip
    for value, expected in shown.items():
        assert call("number_box", "fitted", value) == expected


def test_dotted_keys_stay_dotted(call: Call) -> None:
    edited = call("editing", "withValue", "types.A = 2\ntypes.B = 1  # few\n", "types", "C", "4")
    assert edited == "types.A = 2\ntypes.B = 1  # few\ntypes.C = 4\n"


def test_half_a_text_is_no_trouble(call: Call, text: str) -> None:
    """While somebody types nothing is complete; nothing may hang or throw on it."""
    odd = (
        "[",
        '"',
        "a = {",
        'a = """',
        "= 3",
        "[[x]]\ny = [",
        "\x00",
        "a.b.c = 1\r\n",
        "'",
        "x = " + "[" * 10**5,
    )
    for piece in (*(text[:end] for end in range(0, len(text), 61)), *odd):
        assert set(call("toml", "scan", piece)) == {"tables", "keys"}
        assert isinstance(call("reactions", "reactions", piece), list)
