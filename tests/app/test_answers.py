"""What is answered: the library's own numbers, whatever the text holds as data."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks.fleet_files import SMALL as SMALL_FLEET
from benchmarks.fleet_files import balanced

import covey
from covey.app.answering import said
from covey.app.answers import question as function
from covey.app.answers.asked import Asked, Kept
from covey.errors import CoveyError, InputError, TooLargeError, UnsupportedError
from covey.model.io.mechanism_file import read_mechanism
from covey.report.json_keys.text import json_text

EXAMPLES = Path(__file__).parents[2] / "examples"
WAREHOUSE = (EXAMPLES / "warehouse.toml").read_text(encoding="utf-8")
SMALL = """# two of one kind, one of another
title = "<script>alert(1)</script>"
[types]
A = 2   # two
B = 1
[resources]
dock = 1
[rates]
go = 1.0
stay = 0.5
[network]
reactions = \"\"\"
work_a: {A} + {dock} <-> w{A,dock} @ go, stay
work_b: {B} + {dock} <-> w{B,dock} @ stay, stay
\"\"\"
[observe]
there = "{A} + {B}"
busy = "w{A,dock} + w{B,dock}"
[performance]
work = "rate(work_a') + rate(work_b')"
"""
TINY = """
[types]
A = 1
B = 1
[network]
reactions = "{A} <-> x{A} @ 1, 1\\n{B} <-> x{B} @ 2, 1"
[observe]
"=seen" = "x{A} + x{B}"
"""


def parts(question: str, text: object = SMALL, **options: Any) -> Iterator[tuple[str, Any]]:
    """As the page gets them: through JSON."""
    asked = Asked({"text": text} | options, Kept(), lambda *_: None)
    for name, value in function(question)(asked):
        yield name, json.loads(json_text({"value": value}))["value"]


def test_what_is_published_again_and_again_is_judged_as_a_whole() -> None:
    """A promise of 60 % that one snapshot keeps anyway says what all of them give away."""
    text = SMALL + "\n[release]\nevery = 0.5\nuntil = 20.0\n"
    (*_, (_, found)) = parts("protect", text, guess=0.9)
    scenario = covey.loads(text)
    table = read_mechanism(found["mechanism"])
    published = scenario.with_({"release.mechanism": table}, warn=False)
    assert found["stream_guess"] == covey.stream(published, accuracy=0.02).bayes_success[-1].upper
    assert found["stream_guess"] > found["guess"]
    assert "After all 40 snapshots that [release] publishes" in found["stream"]
    if found["stream_guess"] > 0.9:
        assert "covey protect --target guess=0.9" in found["stream"]
    assert "stream_guess" not in dict(parts("protect", guess=0.9))["protect"]


def test_the_answer_is_the_library_s() -> None:
    found = dict(parts("answer"))
    names = ["model", "headline", "means", "performance", "distributions", "exposed", "profile"]
    assert list(found) == names
    scenario = covey.loads(SMALL)
    leak = covey.leakage(scenario)
    assert found["headline"]["leakage"] == leak.value
    assert found["headline"]["guess"] == leak.profile.bayes_success
    assert " ".join(found["headline"]["said"]) == str(leak)
    assert found["performance"] == {"work": covey.performance(scenario)["work"]}
    distribution = covey.team_distributions(scenario)[0].team
    for row, p in zip(
        found["distributions"]["outcomes"], found["distributions"]["team"], strict=True
    ):
        assert p == pytest.approx(
            distribution.probability(**dict(zip(distribution.names, row, strict=True)))
        )
    epsilons, deltas = leak.profile.curve()
    assert found["profile"]["epsilon"] == epsilons.tolist()
    assert found["profile"]["delta"] == deltas.tolist()
    assert {one["type"]: one["leakage"] for one in found["exposed"]} == leak.exposed


def test_the_model_is_the_text_s() -> None:
    found = dict(parts("answer"))["model"]
    assert (found["types"], found["resources"]) == ({"A": 2, "B": 1}, {"dock": 1})
    assert found["rates"] == {"go": 1.0, "stay": 0.5}
    assert found["sums"] == {"there": "{A} + {B}", "busy": "w{A,dock} + w{B,dock}"}
    assert found["hidden"] == ["{dock}"]
    assert found["places"]["types.A"] == 4
    assert SMALL.split("\n")[found["places"]["rates.stay"] - 1] == "stay = 0.5"
    assert {"types.A", "resources.dock", "rates.go", "adversary.at"} <= set(found["settable"])
    assert [one["name"] for one in found["reactions"]] == ["work_a", "work_a'", "work_b", "work_b'"]


def test_a_slider_changes_the_text_and_the_answer() -> None:
    kept = Kept()
    for value in (0.25, 0.5, 4.0):
        asked = Asked({"text": SMALL, "set": {"rates.go": value}}, kept, lambda *_: None)
        found = dict(function("answer")(asked))
        assert found["text"] == SMALL.replace("go = 1.0", f"go = {value}")
        fresh = covey.leakage(covey.loads(found["text"]))
        assert found["headline"]["leakage"] == pytest.approx(fresh.value, rel=1e-9)
        assert found["headline"]["guess"] == pytest.approx(fresh.profile.bayes_success, rel=1e-9)


def test_a_rule_of_control_moves_too() -> None:
    text = (EXAMPLES / "throttled-warehouse.toml").read_text(encoding="utf-8")
    found = dict(parts("answer", text, set={"control.pick.threshold": 2}))
    assert found["text"] == text.replace("driving < 1", "driving < 2")
    assert found["model"]["control"]["pick"]["values"] == {"factor": 0.0, "threshold": 2.0}
    assert "control.pick.threshold" in found["model"]["settable"]
    moved = covey.load(EXAMPLES / "throttled-warehouse.toml").with_({"control.pick.threshold": 2})
    assert found["headline"]["guess"] == covey.leakage(moved).profile.bayes_success


def test_what_the_picture_shows_changes_its_key_and_nothing_else_does() -> None:
    def key(**values: Any) -> str:
        options = {"set": values} if values else {}
        return str(dict(parts("answer", **options))["model"]["network_key"])

    assert key() == key(**{"rates.go": 2.0}) == key(**{"types.A": 5}) == key(title="x")
    assert key() != key(
        **{"network.reactions": SMALL.split('"""')[1].replace("go, stay", "go, go")}
    )


@pytest.mark.slow
def test_names_are_only_data() -> None:
    found = dict(parts("answer"))
    assert found["model"]["title"] == "<script>alert(1)</script>"
    hostile = SMALL.replace('there = "', '"<img src=x onerror=\'alert(1)\'>" = "')
    (_, network), *_ = parts("network", hostile)
    (_, report), *_ = parts("report", TINY.replace("seen", "</script><img src=x>"))
    for text in (network["svg"], report["html"]):
        assert "<script>alert" not in text
        assert "<img src=x" not in text


def test_the_picture_keeps_to_a_strict_policy() -> None:
    (_, found), *_ = parts("network")
    svg = found["svg"]
    assert svg.startswith("<svg ")
    for forbidden in ("style=", "<style", "<script", "http://www.w3.org/1999/xhtml", 'href="http'):
        assert forbidden not in svg
    assert 'fill="var(--' in svg


@pytest.mark.parametrize(
    ("text", "line", "kind"),
    [
        (SMALL.replace("A = 2", "A = -2"), 4, "input"),
        (SMALL.replace("go, stay\n", "gone, stay\n", 1), 13, "input"),
        (SMALL.replace('w{B,dock}"', 'w{B,dok}"'), 18, "input"),
        (SMALL + "[", 21, "input"),
        (SMALL.replace("[network]", '[network]\nsbml = "model.xml"'), 12, "input"),
        (SMALL + '[release]\nmechanism = "/etc/passwd"\n', 22, "input"),
        ("network = 5\n", 1, "input"),
        ("", None, "input"),
        ("x = " + "[" * 5000, None, "input"),
    ],
)
def test_what_is_wrong_is_said_at_its_line(text: str, line: int | None, kind: str) -> None:
    for question in ("answer", "check", "network"):
        with pytest.raises((CoveyError, RecursionError)) as caught:
            list(parts(question, text))
        told = said(caught.value)
        assert (told["line"], told["kind"]) == (line, kind), told


def test_files_are_never_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even those that lie where covey was started."""
    monkeypatch.chdir(tmp_path)
    covey.protect(covey.loads(SMALL), 0.5, teams="this").save("mechanism.json")
    text = SMALL + '[release]\nmechanism = "mechanism.json"\n'
    assert covey.loads(text).release.mechanism is not None
    with pytest.raises(InputError, match="names a file"):
        list(parts("answer", text))
    with pytest.raises(InputError, match="names a file"):
        list(parts("answer", SMALL, set={"release.mechanism": "mechanism.json"}))


def test_the_mechanism_of_the_opened_file_is_read_and_no_other(tmp_path: Path) -> None:
    file = tmp_path / "stand-in.json"
    covey.stand_in(covey.loads(SMALL), {"A": 1, "B": 2}).save(file)
    text = SMALL + '[release]\nevery = 1\nuntil = 20\nmechanism = "stand-in.json"\n'
    answer = dict(parts("answer", text, beside=str(file)))
    assert answer["headline"]["leakage"] == 0
    for other in ("other.json", "../stand-in.json", str(file)):
        with pytest.raises(InputError, match="names a file"):
            list(parts("answer", text.replace("stand-in.json", other), beside=str(file)))


def test_too_many_states_are_refused_before_memory_is_taken() -> None:
    with pytest.raises(TooLargeError) as caught:
        list(
            parts(
                "answer",
                set={
                    "types.A": 3000,
                    "types.B": 3000,
                    "resources.dock": 6000,
                    "adversary.at": 1.0,
                    "network.kinetics": "power",
                },
            )
        )
    assert said(caught.value)["kind"] == "too_large"


def test_over_time_and_over_snapshots() -> None:
    scenario = covey.loads(SMALL)
    ((_, time),) = parts("time")
    one = covey.leakage(scenario, at=time["times"][7])
    assert time["leakage"][7] == pytest.approx(one.value, rel=1e-6)
    assert time["guess"][7] == pytest.approx(one.profile.bayes_success, rel=1e-9)
    *first, (_, snapshots) = parts("snapshots", SMALL + "[release]\nevery = 1\nuntil = 4\n")
    found = covey.stream(scenario, 1.0, 4.0)
    assert not snapshots["rough"]
    assert snapshots["snapshots"] == list(found.snapshots)
    assert snapshots["guess"][:2] == pytest.approx([one.value for one in found.bayes_success][:2])
    assert all(part["rough"] for _, part in first)


def test_a_day_of_a_fleet_is_shown_as_an_approximation() -> None:
    """Millions of states are not followed, and said nothing of before."""
    fleet = balanced(SMALL_FLEET).replace("until = 1440", "until = 2")
    (_, rough), (_, found), *_ = parts("snapshots", fleet)
    assert (rough["rough"], found["rough"]) == (True, False)
    assert found["snapshots"] == [1, 2]
    for part in (rough, found):
        assert "These figures are a normal approximation" in part["said"]
        assert part["guess_lower"][-1] <= part["guess"][-1] <= part["guess_upper"][-1] < 0.8


def test_what_helps_can_be_taken() -> None:
    found = dict(parts("helps"))
    assert found["helps"]
    for one in (*found["helps"], *found["changes"]):
        if one["set"] is None or one["after"] is None:
            continue
        after = dict(parts("answer", set=one["set"]))["headline"]
        assert after["leakage"] == pytest.approx(one["after"]["leakage"], rel=1e-6)


def test_a_mechanism_is_found_saved_and_published_through(tmp_path: Path) -> None:
    first, second = (value for _, value in parts("protect", epsilon=0.1))
    assert second["compared"]
    assert {**second, "compared": []} == first
    assert first["leakage"] <= 0.1 < first["leakage_before"]
    assert first["guess"] < first["guess_before"]
    file = tmp_path / "mechanism.json"
    file.write_text(first["mechanism"], encoding="utf-8")
    table = covey.open_mechanism(file)  # which refuses what is not as it was made
    assert table.table.tolist() == first["table"]
    counts = dict(zip(first["counts"], first["outcomes"][0], strict=True))
    ((_, drawn),) = parts("publish", mechanism=first["mechanism"], counts=counts)
    assert list(drawn["published"].values()) in first["instead"]


def test_a_stand_in_is_priced_at_once_then_exactly(tmp_path: Path) -> None:
    reference = {"A": 1, "B": 2}
    first, exact, drawn = (value for _, value in parts("stand_in", reference=reference))
    found = covey.stand_in(covey.loads(SMALL), reference)
    assert exact["loss"] == pytest.approx(found.price.loss, rel=1e-9)
    assert (exact["least"], exact["said"]) == (pytest.approx(found.least), found.sentences)
    assert found.least <= found.price.loss <= first["loss"] + 1e-12
    assert (first["rough"], exact["rough"], first["coupling"]) == (True, False, "greedy")
    hour = drawn["hour"]
    assert hour["names"] == ["there", "busy"]
    assert {tuple(map(len, (hour["times"], *hour[side]))) for side in ("real", "published")} == {
        (241, 241, 241)
    }
    file = tmp_path / "stand-in.json"
    file.write_text(exact["file"], encoding="utf-8")
    assert covey.open_stand_in(file).digest == found.public.digest
    for wrong in ({"C": 1}, {"A": -1}, {"release.mechanism": "x"}, [1, 2], "best"):
        with pytest.raises(InputError):
            list(parts("stand_in", reference=wrong))


def test_a_stand_in_to_begin_with_tells_nothing_of_the_team() -> None:
    """Teams of as many robots, and all teams of the public set, begin with the same one."""
    teams = [SMALL.replace("A = 2", f"A = {n}").replace("B = 1", f"B = {5 - n}") for n in (1, 3)]
    assert [next(parts("stand_in", text))[1]["stand_in"] for text in teams] == [
        {"A": 3, "B": 2}
    ] * 2
    in_set = SMALL + "[secret.teams]\nA = [1, 3]\nB = [0, 2]\n"
    assert next(parts("stand_in", in_set))[1]["stand_in"] == {"A": 2, "B": 1}


_SECRETS = {
    "a slower shift": '[[secret.against]]\nname = "a slower shift"\nset = { "rates.go" = 0.5 }\n',
    "one robot (A, B) is not there": '[secret]\nprotect = ["membership"]\n',
}


@pytest.mark.parametrize("secret", _SECRETS)
def test_another_secret_is_spoken_of_rightly(secret: str) -> None:
    text = SMALL + _SECRETS[secret]
    found = dict(parts("answer", text))
    assert found["model"]["secret"] == found["headline"]["relation"] == secret
    told = next(parts("protect", text, epsilon=0.5))[1]["said"]
    assert "shifts the odds on whether " in told
    assert "type" not in told
    with pytest.raises(UnsupportedError, match="the secret here is another one"):
        list(parts("stand_in", text))
    assert dict(parts("answer"))["model"]["secret"] == ""


def test_over_a_set_of_teams_the_bars_are_those_of_the_worst() -> None:
    """The same other values are compared with every team of the set."""
    text = SMALL + _SECRETS["a slower shift"] + "[secret.teams]\nA = [1, 3]\nB = [0, 2]\n"
    bars, worst = (
        dict(parts("answer", text))["distributions"],
        covey.leakage(covey.loads(text)).worst,
    )
    assert bars["whom"] == f"a team of {worst.team}"
    at = bars["outcomes"][bars["marked"]]
    assert dict(zip(bars["names"], at, strict=True)) == worst.observation
    both = bars["team"][bars["marked"]], bars["other"][bars["marked"]]
    assert both == pytest.approx(worst.probability)


def test_right_at_most() -> None:
    first, _ = (value for _, value in parts("protect", guess=0.6))
    assert first["guess"] <= 0.6
    assert first["epsilon"] == pytest.approx(0.405465, rel=1e-5)
    for wrong in (0.5, 1.0, 0.2, "x", True):
        with pytest.raises(InputError):
            list(parts("protect", guess=wrong))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 10**400, -1e308])
def test_numbers_that_are_none(value: float) -> None:
    vary = {"rates.go": [0.5, 2.0]}
    for question, name in (("protect", "epsilon"), ("time", "until"), ("design", "front")):
        with pytest.raises(InputError, match="finite"):
            list(parts(question, **{name: value, "vary": vary}))
    with pytest.raises(InputError, match="front is 51: at most 50"):
        list(parts("design", vary=vary, front=51))


def test_the_commands_give_the_same_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what was chosen on the page, and under the name of its file."""
    name = 'our "fleet\'s".toml'
    text = SMALL + "[release]\nevery = 1\nuntil = 12\n"
    ((_, found),) = parts("commands", text, file=name, guess=0.6)
    first, _ = (value for _, value in parts("protect", guess=0.6))
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(text, encoding="utf-8")
    exec(found["python"].replace("(covey.sensitivity", "(bool"), {})  # which starts workers
    printed = capsys.readouterr().out
    assert first["said"] in printed
    *_, (_, snapshots) = parts("snapshots", text)
    assert snapshots["said"] in printed
    ((_, time),) = parts("time", text)
    assert time["said"] in printed
    assert f"--until {time['times'][-1]!r}" in "\n".join(found["shell"])
    named = {shlex.split(line)[1]: shlex.split(line) for line in found["shell"]}
    assert named["protect"][2:5] == [name, "--epsilon", repr(first["epsilon"])]
    assert named.keys() == {
        "leakage", "performance", "trace", "stream", "sensitivity", "protect", "report"
    }  # fmt: skip
    options = {"vary": {"rates.go": [0.5, 2]}, "keep": {"work": 0.95}, "front": 6}
    ((_, found),) = parts("commands", **options)
    assert (
        "covey design fleet.toml --vary rates.go=0.5:2 --keep work=0.95 --front 6 -o better.toml"
        in found["shell"]
    )


def test_a_table_that_nobody_could_draw_stays_in_its_file() -> None:
    text = WAREHOUSE.replace("carrier = 6", "carrier = 10").replace("picker = 4", "picker = 10")
    first, _ = (value for _, value in parts("protect", text.replace("= 3", "= 10"), epsilon=0.5))
    assert len(first["outcomes"]) > 60
    assert first["table"] is None
    assert "covey_mechanism" in first["mechanism"]


@pytest.mark.slow
def test_a_design_keeps_what_has_to_be_kept() -> None:
    vary = {"rates.go": [0.5, 2.0]}
    first, second = (
        value for _, value in parts("design", vary=vary, keep={"work": 0.95}, minimise="guess")
    )
    assert (first["rough"], second["rough"]) == (True, False)
    assert second["after"]["guess"] <= second["before"]["guess"]
    assert second["after"]["work"] >= 0.95 * second["before"]["work"] * (1 - 1e-9)
    taken = dict(parts("answer", second["text"]))
    assert taken["headline"]["guess"] == pytest.approx(second["after"]["guess"], rel=1e-6)
    assert "# two of one kind" in second["text"]
    assert "was" not in second["text"]


@pytest.mark.slow
def test_tables_to_take_along() -> None:
    ((_, found),) = parts("csv", TINY)
    assert found["files"].keys() == {
        "distributions.csv",
        "time.csv",
        "snapshots.csv",
        "changes.csv",
    }
    header, first, *_ = found["files"]["distributions.csv"].split("\r\n")
    assert header.startswith("'=seen,team,")
    assert first.split(",")[0].isdecimal()


@pytest.mark.parametrize(
    "options",
    [{"text": 5}, {"text": None}, {"set": 5}, {"set": {"types.A": "x"}}, {"delta": "x"},
     {"delta": 2}, {"set": {"types.A": None, "types.B": None}}],
)  # fmt: skip
def test_options_that_are_no_such_thing(options: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        list(parts("answer", **options))


@pytest.mark.slow
def test_every_example_is_answered() -> None:
    from covey.app.examples import examples

    for one in examples():
        found = dict(parts("answer", one["text"]))
        leak = covey.leakage(covey.loads(one["text"]))
        assert found["headline"]["leakage"] == ("inf" if leak.value == float("inf") else leak.value)


def test_what_is_seen_on_average_is_said_also_where_the_answer_is_refused() -> None:
    found = dict(parts("answer"))["means"]
    (distribution,) = covey.solve(covey.loads(SMALL).network, covey.loads(SMALL).start, ["steady"])
    means = distribution.observe(covey.loads(SMALL).query).mean
    assert found["counts"] == pytest.approx(means)
    assert (found["exact"], found["lead"]) == (True, "On average at steady state")
    large = WAREHOUSE.replace("carrier = 6", "carrier = 900").replace("picker = 4", "picker = 900")
    answered = parts("answer", large.replace("dock = 3", "dock = 500") + "[adversary]\nat = 1e4\n")
    seen = dict(parts_until_refused(answered))
    assert seen.keys() == {"model", "means"}
    assert seen["means"]["exact"] is False
    counts = seen["means"]["counts"]
    robots = counts["driving"] + 2 * counts["picking"] + counts["charging"]
    assert robots == pytest.approx(1800, rel=1e-9)


def parts_until_refused(answered: Iterator[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    with pytest.raises(TooLargeError):
        yield from answered
