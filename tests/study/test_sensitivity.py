"""Single changes: each is the scenario it says, and the best are the best."""

import math
import warnings
from dataclasses import replace
from typing import Any

import pytest

import covey
from covey.dynamics.solver import Solver
from covey.study.sensitivity.changes import changes_of
from covey.study.sensitivity.equivalent_changes import alike
from covey.study.sensitivity.found import Found
from covey.study.sensitivity.sensitivity import Effect, Sensitivity
from tests.remedy.test_design import TASKS

SHARED = covey.Scenario(
    covey.Network("take = 3\n{A} + {R} <-> {A,R} @ take, 1\n{B} + {R} <-> {B,R} @ 1, 1"),
    covey.Team({"A": 2, "B": 1}, resources={"R": 2}),
    covey.Query(free="{A} + {B}", busy="{A,R} + {B,R}"),
)
THREE = covey.Scenario(
    covey.Network("""
        {A} + {B} <-> m{A,B}   @ 0.2, 0.5
        {A} + {D} <-> c{A,D}   @ 0.05, 0.1
        {B} + {D} <-> c{B,D}   @ 0.03, 0.08
    """),
    covey.Team({"A": 4, "B": 3}, resources={"D": 2}),
    covey.Query(driving="{A} + {B}", meeting="m{A,B}", charging="c{A,D} + c{B,D}"),
)


def test_every_rate_and_count_goes_both_ways() -> None:
    changes = changes_of(SHARED)
    turned = [(c.knob, c.direction) for c in changes if c.kind in ("rate", "count")]
    assert turned == [
        *(("rates.take", d) for d in (-1, 1)),
        *(("{A,R} -> {A} + {R}", d) for d in (-1, 1)),
        *(("{B} + {R} -> {B,R}", d) for d in (-1, 1)),
        *(("{B,R} -> {B} + {R}", d) for d in (-1, 1)),
        *(("types.A", d) for d in (-1, 1)),
        *(("types.B", d) for d in (-1, 1)),
        *(("resources.R", d) for d in (-1, 1)),
    ]


def test_a_named_rate_is_one_knob_however_often_it_is_used() -> None:
    scenario = replace(
        SHARED,
        network=covey.Network("k = 3\n{A} + {R} <-> {A,R} @ k, 1\n{B} + {R} <-> {B,R} @ k, 1"),
    )
    assert [c.words for c in changes_of(scenario) if c.knob == "rates.k"] == [
        "k: 3 → 1.5",
        "k: 3 → 6",
    ]


def test_a_sentence_has_four_digits_and_the_scenario_all() -> None:
    value = 0.003470554048027899  # as a design leaves it
    less, more = (
        c for c in changes_of(SHARED.with_({"rates.take": value})) if c.knob == "rates.take"
    )
    assert less.words == "take: 0.003471 → 0.001735"
    assert more.words == "take: 0.003471 → 0.006941"
    assert less.scenario.network.rates["take"] == value / 2


@pytest.mark.slow
def test_each_effect_is_the_leakage_of_the_changed_scenario() -> None:
    for scenario in (SHARED, THREE):
        found = covey.sensitivity(scenario)
        assert len(found.effects) > 15
        for effect in found.effects:
            alone = covey.leakage(effect.change.scenario)
            assert effect.after.leakage == pytest.approx(alone.value, rel=1e-11)
            assert effect.after.total_variation == pytest.approx(
                covey.profile(effect.change.scenario).total_variation, rel=1e-9
            )


def test_a_release_is_coarser() -> None:
    """Showing less never gives away more."""
    found = covey.sensitivity(THREE, at=3.0)
    releases = [e for e in found.effects if e.change.kind == "release"]
    assert [e.change.knob for e in releases] == [
        "driving",
        "meeting",
        "charging",
        "driving + meeting",
        "driving + charging",
        "meeting + charging",
    ]
    for effect in releases:
        assert effect.after.total_variation <= found.before.total_variation * (1 + 1e-12)
        assert effect.after.interval[0] <= found.before.interval[1]


def test_the_best_are_the_least_and_differ() -> None:
    found = covey.sensitivity(SHARED)
    best = found.best()
    values = [effect.after.leakage for effect in best]
    assert values == sorted(values)
    least = min(effect.after.leakage for effect in found.effects)
    assert values[0] == pytest.approx(least, rel=1e-9)
    assert best[0].change.words == "take: 3 → 1.5"
    assert len({effect.change.knob for effect in best}) == 3
    assert len({round(value, 9) for value in values}) == 3
    assert values[-1] < found.before.leakage
    assert str(found).endswith("R: 2 → 1 (leakage 0.288).")


@pytest.mark.slow
def test_where_leakage_is_infinite_the_total_variation_decides() -> None:
    found = covey.sensitivity(THREE)
    assert math.isinf(found.before.leakage)
    best = found.best()
    assert best
    assert all(math.isinf(effect.after.leakage) for effect in best)
    variations = [effect.after.total_variation for effect in best]
    assert variations == sorted(variations)
    assert variations[-1] < found.before.total_variation
    words, then = best[0].change.words, best[0].after.bayes_success
    assert f"(now leakage ∞, right {found.before.bayes_success:.1%} of the time)" in str(found)
    assert f"{words} (leakage ∞, right {then:.1%} of the time)" in str(found)


def test_a_finite_leakage_is_better_than_any_infinite_one() -> None:
    change = changes_of(SHARED)[0]
    endless = Found(math.inf, (math.inf, math.inf), 0.01)
    finite = Found(5.0, (5.0, 5.0), 0.9)
    found = Sensitivity(SHARED, endless, (Effect(change, endless), Effect(change, finite)))
    assert found.best() == [Effect(change, finite)]


def found(leak: float, tv: float, probability: float = 1.0) -> Found:
    return Found(leak, (leak, leak), tv, probability=probability)


def best_of(before: Found, *after: Found) -> list[Found]:
    changes = changes_of(SHARED)[::2]  # of different knobs
    effects = tuple(Effect(change, one) for change, one in zip(changes, after, strict=False))
    return [effect.after for effect in Sensitivity(SHARED, before, effects).best()]


def test_to_mend_what_never_happens_is_no_advice() -> None:
    before = found(math.inf, 0.10, 1e-44)
    bounded, better = found(0.3, 0.10, 0.1), found(math.inf, 0.05, 1e-44)
    assert best_of(before, bounded, better) == [better]
    assert best_of(before, bounded) == []
    assert best_of(found(math.inf, 0.10, 1e-3), bounded, better) == [bounded, better]


def test_what_cannot_be_seen_in_the_best_guess_is_no_advice() -> None:
    before = found(math.inf, 0.0020)  # right 50.10 % of the time
    assert best_of(before, found(math.inf, 0.0017)) == []  # 50.09 %
    text = str(Sensitivity(SHARED, before, (Effect(changes_of(SHARED)[0], before),)))
    assert "none lowers what is given away so that one could see it" in text


def test_a_change_without_an_answer_is_told() -> None:
    alone = replace(SHARED, team=covey.Team({"A": 1, "B": 0}, resources={"R": 2}))
    found = covey.sensitivity(alone)
    (lost,) = [e for e in found.effects if e.change.knob == "types.A" and e.change.direction < 0]
    assert "no robots" in lost.after.why
    assert math.isnan(lost.after.leakage)
    assert lost not in found.best(100)
    assert found.to_pandas()["error"].str.contains("no robots").sum() == 1


@pytest.mark.slow
def test_workers_find_the_same() -> None:
    assert covey.sensitivity(SHARED, workers=2) == covey.sensitivity(SHARED, workers=1)


@pytest.mark.parametrize("factor", [1.0, 0.5, math.inf, math.nan])
def test_a_factor_that_changes_nothing_is_refused(factor: float) -> None:
    with pytest.raises(covey.InputError, match="above 1"):
        covey.sensitivity(SHARED, factor=factor)


def test_nothing_helps_where_nothing_leaks() -> None:
    same = replace(
        SHARED,
        network=covey.Network("k = 1\n{A} + {R} <-> {A,R} @ k, k\n{B} + {R} <-> {B,R} @ k, k"),
    )
    found = covey.sensitivity(same)
    assert found.before.leakage < 1e-12
    assert found.best() == []
    assert "none lowers" in str(found)


def test_a_change_changes_what_it_says_and_nothing_else() -> None:
    scenario = covey.Scenario(
        covey.Network(
            "k = 2\n{A} + {R} <-> u{A,R} @ k, 1\n{B} + {R} <-> u{B,R} @ k, 3\n2 X -> Y @ 0.5",
            kinetics="power",
        ),
        covey.Team({"A": 2, "B": 1}, resources={"R": 2}),
        covey.Query(free="{A} + {B}", busy="u{A,R} + u{B,R}"),
        covey.Adversary(at=2.0, smoothing=1e-6, protect=("A", "B")),
        initial={"X": 4},
        title="A title",
    )
    before = scenario.to_document()
    for change in changes_of(scenario):
        after = change.scenario.to_document()
        differ = {
            (table, key)
            for table in before | after
            for key in _keys(before.get(table)) | _keys(after.get(table))
            if _value(before, table, key) != _value(after, table, key)
        }
        if change.kind == "release":
            assert {table for table, _ in differ} == {"observe"}
        elif "->" in change.knob:
            assert differ == {("network", "reactions")}
            lines = zip(change.scenario.network.reactions, scenario.network.reactions, strict=True)
            (changed,) = [old for new, old in lines if new != old]
            assert changed.arrow == change.knob
        else:
            table, _, key = change.knob.partition(".")
            assert differ == {(table, key)}
            number = after[table][key]
            assert (number > before[table][key]) == (change.direction > 0)


def _keys(table: object) -> set[str]:
    return set(table) if isinstance(table, dict) else {""}


def _value(document: dict[str, Any], table: str, key: str) -> object:
    found = document.get(table)
    return found.get(key) if isinstance(found, dict) else found


def test_sums_and_reactions_that_look_alike_stay_apart() -> None:
    network = covey.Network("{A} <-> w{A} @ 1, 1\n{A} -> w{A} @ 2\n{B} <-> w{B} @ 1, 1")
    sums = {"a": "{A} + {B}", "b": "w{A}", "a + b": "w{B}"}
    with pytest.warns(covey.DirectBreachWarning):
        scenario = covey.Scenario(network, covey.Team({"A": 2, "B": 2}), covey.Query(sums))
    changes = changes_of(scenario)
    assert all(len(c.scenario.query.sums) == 2 for c in changes if c.kind == "release")
    knobs = {c.knob for c in changes if c.kind == "rate"}
    assert len(knobs) == 5


SYMMETRIC = """
[types]
1 = 2
2 = 2
3 = 1
[network]
reactions = '''
e{1} <-> w{1} @ 0.4, 1
e{2} <-> w{2} @ 0.4, 1
e{3} <-> w{3} @ 2, 1
pair: w{1} + w{2} -> e{1} + e{2} @ 0.3
'''
[initial]
1 = "e{1}"
2 = "e{2}"
3 = "e{3}"
[observe]
waiting = "w{1} + w{2} + w{3}"
"""


def computed(scenario: covey.Scenario) -> tuple[int, int]:
    """How many changes there are that need a solution, and how many get one."""
    changes = [c.scenario for c in changes_of(scenario) if c.kind != "release"]
    return len(changes), len(set(alike(Solver(scenario.network), scenario, changes)))


def test_one_of_changes_that_are_alike_is_computed() -> None:
    """Types 1 and 2 may change places: half of the one's rate does what half of the other's does."""
    scenario = covey.loads(SYMMETRIC)
    assert computed(scenario) == (20, 14)
    for effect in covey.sensitivity(scenario, workers=1).effects:
        alone = covey.leakage(effect.change.scenario)
        assert effect.after.leakage == pytest.approx(alone.value, rel=1e-9)
        assert effect.after.total_variation == pytest.approx(
            alone.profile.total_variation, rel=1e-9
        )


def test_a_public_set_that_names_types_tells_changes_apart() -> None:
    """What holds for 1 = 1:2, 2 = 2:3 is not what holds with the two types exchanged."""
    scenario = covey.loads(SYMMETRIC).keeping(None, {"1": (1, 2), "2": (2, 3), "3": (1, 1)})
    effects = covey.sensitivity(scenario, workers=1).effects
    for effect in [one for one in effects if one.change.kind == "rate"]:
        alone = covey.profile(effect.change.scenario)
        assert effect.after.total_variation == pytest.approx(alone.total_variation, rel=1e-9)


def test_a_measure_of_ones_own_is_computed_for_every_change() -> None:
    """It may ask for one type, as what is given away about the first does."""

    def waiting(distributions: covey.TeamDistributions) -> float:
        """How many wait on average where a robot of type 1 turned 3."""
        moved = next(
            one for who, one in distributions.neighbours if str(who).endswith("1 turned 3")
        )
        return float(moved.probabilities @ moved.outcomes[:, 0])

    found = covey.sensitivity(covey.loads(SYMMETRIC), workers=1, measures=waiting).effects
    halved = {
        e.change.knob: e.after.measures["own.waiting"] for e in found if e.change.direction < 0
    }
    assert halved["e{1} -> w{1}"] != pytest.approx(halved["e{2} -> w{2}"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1 = 2\n2 = 2", "1 = 2\n2 = 3"),  # another team
        ("e{2} <-> w{2} @ 0.4", "e{2} <-> w{2} @ 0.5"),  # other rates
        ("[observe]", '[adversary]\nprotect = ["1", "3"]\n[observe]'),  # others are protected
        ("[observe]", '[performance]\nx = "mean(w{1})"\n[observe]'),  # something else matters
        ("w{1} + w{2} + w{3}", "w{1} + w{3}"),  # something else is seen
        ("[observe]", "[secret.teams]\n1 = [1, 2]\n2 = [2, 3]\n[observe]"),  # a set of teams
        ("[observe]", '[[secret.against]]\nset = { "types.1" = 3 }\n[observe]'),  # another secret
    ],
)
def test_what_tells_types_apart_tells_changes_apart(old: str, new: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", covey.DirectBreachWarning)
        scenario = covey.loads(SYMMETRIC.replace(old, new))
    assert computed(scenario) == (20, 20)


@pytest.mark.parametrize("at", ["steady", 1.5])
def test_slopes_are_what_small_changes_do(at: float | str) -> None:
    scenario = covey.loads(TASKS.format(n=2)).with_({"adversary.at": at})
    found = covey.sensitivity(scenario, workers=1)
    step, before = 1e-6, covey.profile(scenario).epsilon(1e-6)
    assert [sensitivity.knob for sensitivity in found.sensitivities] == [
        f"rates.{n}" for n in scenario.network.rates
    ]
    for sensitivity in found.sensitivities:
        value = scenario.network.rates[sensitivity.knob.removeprefix("rates.")]
        after = scenario.with_({sensitivity.knob: value * math.exp(step)})
        leak, done = covey.leakage(after), covey.performance(after)["throughput"]
        apart = leak.profile.total_variation - found.before.total_variation
        assert sensitivity.leakage == pytest.approx(
            (leak.value - found.before.leakage) / step, abs=1e-4
        )
        assert sensitivity.total_variation == pytest.approx(apart / step, abs=1e-4)
        rarely = leak.profile.epsilon(1e-6) - before
        assert sensitivity.epsilon == pytest.approx(rarely / step, abs=1e-4)
        more = (done - found.before.performance["throughput"]) / step
        assert sensitivity.performance["throughput"] == pytest.approx(more, abs=1e-4)
        assert sensitivity.row()["performance.throughput"] == sensitivity.performance["throughput"]


def test_slopes_of_reactions_without_a_name() -> None:
    found = covey.sensitivity(SHARED, workers=1)
    assert [sensitivity.knob for sensitivity in found.sensitivities] == list(
        dict.fromkeys(e.change.knob for e in found.effects if e.change.kind == "rate")
    )
    release = covey.Release(mechanism=covey.protect(SHARED, epsilon=0.2, teams="this").release)
    assert covey.sensitivity(replace(SHARED, release=release), workers=1).sensitivities == ()


NUMBERED = """
[types]
A = 2
B = 1
[resources]
R = 2
[network]
reactions = '''
{A} + {R} -> {A,R} @ 3
{A,R} -> {A} + {R} @ 1
{B} + {R} -> {B,R} @ 1
{B,R} -> {B} + {R} @ 2
'''
[observe]
busy = "{A,R} + {B,R}"
"""


@pytest.mark.parametrize("at", ["steady", 1.0])
def test_a_rate_that_is_a_number_is_no_number_of_a_reaction(at: float | str) -> None:
    scenario = covey.loads(NUMBERED).with_({"adversary.at": at})
    factor = math.exp(1e-5)
    found = covey.sensitivity(scenario, factor=factor, workers=1)
    assert len(found.sensitivities) == 4
    for sensitivity in found.sensitivities:
        less, more = (e.after for e in found.effects if e.change.knob == sensitivity.knob)
        difference = (more.total_variation - less.total_variation) / 2e-5
        assert sensitivity.total_variation == pytest.approx(difference, abs=1e-7)


def test_what_changes_do_to_the_performance() -> None:
    scenario = covey.loads(TASKS.format(n=2))
    found = covey.sensitivity(scenario, workers=1)
    now = covey.performance(scenario)["throughput"]
    assert found.before.performance == {"throughput": now}
    for effect in found.effects:
        achieved = covey.performance(effect.change.scenario)["throughput"]
        assert effect.after.performance["throughput"] == pytest.approx(achieved, rel=1e-12)
        assert effect.row()["performance.throughput"] == effect.after.performance["throughput"]


def test_what_keeps_the_performance_is_advised_first() -> None:
    """One A fewer helps most, and costs meetings: it is said, and comes after what costs nothing."""
    plain = covey.sensitivity(THREE, workers=1)
    team = THREE.with_({"performance.meeting": "mean(meeting)"})
    found = covey.sensitivity(team, workers=1)
    most = min(plain.best(100), key=lambda e: e.after.total_variation)
    assert plain.best()[0].change.words == most.change.words
    kept = [found.keeps(effect) for effect in found.best(100)]
    assert kept == sorted(kept, reverse=True)
    assert {True, False} <= set(kept)
    for effect in found.best(100):
        now, then = found.before.performance["meeting"], effect.after.performance["meeting"]
        assert then == pytest.approx(covey.performance(effect.change.scenario)["meeting"])
        assert found.keeps(effect) == (then >= 0.99 * now)
        assert all(found.keeps(other) for other in found.like(effect) if found.keeps(effect))
    costly = next(e for e in found.best(100) if not found.keeps(e))
    before, after = found.before.performance["meeting"], costly.after.performance["meeting"]
    assert found.achieved(costly) == (
        f"meeting {after:.3g} instead of {before:.3g} ({after / before - 1:+.1%})"
    )
    assert found.achieved(found.best(1)[0]) in str(found)


def test_only_what_may_be_chosen_is_advised() -> None:
    free = covey.Scenario(
        covey.Network(
            "slow = 0.05\nmeet = 0.2\n{A} + {B} <-> m{A,B} @ meet, 0.5\n"
            "{A} + {D} <-> c{A,D} @ slow, 0.1\n{B} + {D} <-> c{B,D} @ 0.03, 0.08"
        ),
        THREE.team,
        THREE.query,
    )
    team = free.with_({"design.vary": {"rates.meet": (0.15, 0.21), "rates.slow": "x0.9:x1.5"}})
    changes = {c.words: c for c in changes_of(team)}
    assert "meet: 0.2 → 0.15" in changes  # not half, and not twice
    assert "meet: 0.2 → 0.21" in changes
    assert {c.knob for c in changes.values() if c.allowed} >= {"rates.meet", "rates.slow"}
    assert not any(c.allowed for c in changes.values() if c.kind == "count")
    assert all(c.allowed for c in changes_of(free))
    advised = {effect.change.kind for effect in covey.sensitivity(free, workers=1).best(100)}
    assert "count" in advised
    found = covey.sensitivity(team, workers=1)
    assert found.best(100)
    for effect in found.best(100):
        assert effect.change.kind == "release" or effect.change.knob in ("rates.meet", "rates.slow")
