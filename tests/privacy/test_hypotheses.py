"""What is compared with what, against brute force: every hypothesis built and solved by hand."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm, null_space

from covey import (
    Absent,
    CoveyError,
    InputError,
    OtherStart,
    Relation,
    Scenario,
    TeamSet,
    UnsupportedError,
    group_leakage,
    infer,
    leakage,
    loads,
    profile,
    stream,
    team_distributions,
)
from covey.privacy.hypotheses import hypotheses_of, stars_of
from tests.privacy.small_teams import flipping, shared_resource

Side = tuple[str, ...]
Distribution = dict[tuple[int, ...], float]

KINDS = ("type", "membership", "start", "rates", "counts", "time", "place")
SETS = ("set type", "set membership", "set rates")


@dataclass(frozen=True)
class Hand:
    """A scenario as plain values: reactions with the names of their rates, counts, places."""

    reactions: tuple[tuple[Side, Side, str], ...]
    observe: dict[str, Side]
    types: dict[str, int]
    rates: dict[str, float]
    places: dict[str, str]
    at: float | str
    moved: tuple[str, str] | None = None  # one robot of a type that began somewhere else

    def text(self) -> str:
        """The scenario file."""
        lines = [f"{' + '.join(a)} -> {' + '.join(b)} @ {rate}" for a, b, rate in self.reactions]
        tables: dict[str, dict[str, Any]] = {
            "types": self.types,
            "resources": {"R": 1},
            "rates": self.rates,
            "initial": {name: f'"{place}"' for name, place in self.places.items()},
            "observe": {name: f'"{" + ".join(sum_)}"' for name, sum_ in self.observe.items()},
            "adversary": {"at": '"steady"' if self.at == "steady" else self.at},
            "network": {"reactions": '"""\n' + "\n".join(lines) + '\n"""'},
        }
        return "\n".join(
            f"[{name}]\n" + "\n".join(f"{key} = {value}" for key, value in table.items())
            for name, table in tables.items()
        )

    def distribution(self) -> Distribution:
        """By matrices: exp(Kt), or the null space of K."""
        start = Counter({"{R}": 1})
        for name, count in self.types.items():
            start[self.places[name]] += count
        if self.moved is not None:
            start[self.places[self.moved[0]]] -= 1
            start[self.moved[1]] += 1
        first = frozenset((+start).items())
        states, moves = {first: 0}, []
        for state in (queue := [first]):
            for before, after, rate in self.reactions:
                there = Counter(dict(state))
                chance = self.rates[rate] * math.prod(there[species] for species in before)
                if chance:
                    there.subtract(before)
                    there.update(after)
                    key = frozenset((+there).items())
                    if key not in states:
                        states[key] = len(states)
                        queue.append(key)
                    moves.append((states[state], states[key], chance))
        generator = np.zeros((len(states), len(states)))
        for i, j, chance in moves:
            generator[j, i] += chance
            generator[i, i] -= chance
        if self.at == "steady":
            (p,) = null_space(generator).T
            p = p / p.sum()
        else:
            p = expm(generator * float(self.at))[:, 0]
        found: Distribution = {}
        for state, place in states.items():
            seen = tuple(sum(dict(state).get(s, 0) for s in sum_) for sum_ in self.observe.values())
            found[seen] = found.get(seen, 0.0) + float(p[place])
        return found


def random_hand(rng: np.random.Generator) -> Hand:
    """Two or three types that go between two places, share a resource, and may meet."""
    names = ["A", "B", "C"][: int(rng.integers(2, 4))]
    both_ways: list[tuple[Side, Side]] = []
    for name in names:
        both_ways.append(((f"{{{name}}}",), (f"w{{{name}}}",)))
        if rng.random() < 0.6:
            both_ways.append(((f"{{{name}}}", "{R}"), (f"u{{{name},R}}",)))
    if rng.random() < 0.5:
        both_ways.append((("{A}", "{B}"), ("p{A,B}",)))
    if not any("{R}" in before for before, _ in both_ways):
        both_ways.append((("{A}", "{R}"), ("u{A,R}",)))
    reactions, rates = [], {}
    for i, (before, after) in enumerate(both_ways):
        for way, (a, b) in (("on", (before, after)), ("off", (after, before))):
            rates[f"{way}{i}"] = round(float(rng.uniform(0.3, 3)), 2)
            reactions.append((a, b, f"{way}{i}"))
    species = {s for before, after in both_ways for s in (*before, *after)} - {"{R}"}
    free = tuple(sorted(s for s in species if s[0] == "{"))
    away = tuple(sorted(s for s in species if s[0] in "wu"))
    observe = {"free": free} | ({"away": away} if rng.random() < 0.6 else {})
    places = {name: str(rng.choice([f"{{{name}}}", f"w{{{name}}}"])) for name in names}
    types = {name: int(rng.integers(0, 3)) for name in names} | {"A": int(rng.integers(1, 3))}
    at = "steady" if rng.random() < 0.5 else round(float(rng.uniform(0.3, 2)), 2)
    return Hand(tuple(reactions), observe, types, rates, places, at)


def moved_type(hand: Hand, own: str, other: str) -> Hand:
    types = {**hand.types, own: hand.types[own] - 1}
    return replace(hand, types={**types, other: types[other] + 1})


def fewer(hand: Hand, own: str) -> Hand:
    return replace(hand, types={**hand.types, own: hand.types[own] - 1})


def by_hand(hand: Hand, kind: str, rng: np.random.Generator) -> tuple[dict[str, Any], list[Any]]:
    """What covey is asked, and the pairs of scenarios that it should compare."""
    held = [name for name, count in hand.types.items() if count]
    changes: dict[str, Any] = {}
    if kind == "type":
        return {}, [(hand, moved_type(hand, a, b)) for a in held for b in hand.types if a != b]
    if kind == "membership":
        return {"secret.protect": ["membership"]}, [(hand, fewer(hand, a)) for a in held]
    if kind == "start":
        others = {a: {f"{{{a}}}", f"w{{{a}}}"} - {hand.places[a]} for a in held}
        pairs = [(hand, replace(hand, moved=(a, there))) for a in held for there in others[a]]
        return {"secret.protect": ["start"]}, pairs
    if kind == "rates":
        name = str(rng.choice(list(hand.rates)))
        changes = {f"rates.{name}": 0.17, "rates.on0": 2.9}
        other = replace(hand, rates={**hand.rates, name: 0.17, "on0": 2.9})
    elif kind == "counts":
        changes = {"types.A": 3, "types.B": 0}
        other = replace(hand, types={**hand.types, "A": 3, "B": 0})
    elif kind == "time":
        changes, other = {"adversary.at": 0.21}, replace(hand, at=0.21)
    elif kind == "place":
        there = ({"{A}", "w{A}"} - {hand.places["A"]}).pop()
        changes, other = {"initial.A": there}, replace(hand, places={**hand.places, "A": there})
    else:
        return over_a_set(hand, kind)
    return {"secret.against": [changes]}, [(hand, other)]


def over_a_set(hand: Hand, kind: str) -> tuple[dict[str, Any], list[Any]]:
    spans = {name: (max(n - 1, 0), n + 1) for name, n in list(hand.types.items())[:2]}
    boxes = itertools.product(*(range(low, high + 1) for low, high in spans.values()))
    teams = [replace(hand, types={**hand.types, **dict(zip(spans, n, strict=True))}) for n in boxes]
    asked: dict[str, Any] = {"secret.teams": spans}
    if kind == "set rates":
        asked["secret.against"] = [{"rates.off0": 0.2}]
        slow = {**hand.rates, "off0": 0.2}
        return asked, [(team, replace(team, rates=slow)) for team in teams]
    asked["secret.protect"] = [kind.split()[1]]
    apart = [-1, 1] if kind == "set type" else [1]
    pairs = []
    for one, other in itertools.permutations(teams, 2):
        steps = sorted(other.types[name] - one.types[name] for name in spans)
        if [step for step in steps if step] == apart:
            pairs.append((one, other))
    return asked, pairs


def told_apart(one: Distribution, other: Distribution) -> tuple[float, float]:
    """The leakage, and total variation."""
    seen = one.keys() | other.keys()
    apart = sum(abs(one.get(y, 0.0) - other.get(y, 0.0)) for y in seen) / 2
    if one.keys() != other.keys():
        return math.inf, apart
    return max(abs(math.log(one[y] / other[y])) for y in seen), apart


def check(seed: int) -> None:
    rng = np.random.default_rng([2026, seed])
    hand, kind = random_hand(rng), (*KINDS, *SETS)[seed % len((*KINDS, *SETS))]
    if kind == "time" and hand.at == "steady":
        hand = replace(hand, at=1.0)
    asked, pairs = by_hand(hand, kind, rng)
    scenario = loads(hand.text()).with_(asked, warn=False)
    found = [told_apart(one.distribution(), other.distribution()) for one, other in pairs]
    leak, shape = leakage(scenario), profile(scenario)
    assert leak.value == pytest.approx(max(value for value, _ in found), rel=1e-6, abs=1e-7)
    assert shape.total_variation == pytest.approx(max(apart for _, apart in found), abs=1e-9)
    assert len(leak.pairs) == len(pairs) // (2 if kind == "set type" else 1)


@pytest.mark.parametrize("seed", range(60))
def test_every_kind_of_secret_against_brute_force(seed: int) -> None:
    check(seed)


@pytest.mark.study
@pytest.mark.parametrize("seed", range(60, 300))
def test_more_secrets_against_brute_force(seed: int) -> None:
    check(seed)


def test_relations_print_themselves() -> None:
    scenario = shared_resource()
    assert str(Relation.of(scenario)) == "one robot (A, B) has another type"
    other = scenario.keeping([{"types.A": 3}], "A=1:2,B=1:2")
    assert str(Relation.of(other)) == "3 A; every team of A=1:2,B=1:2"
    both = scenario.with_({"secret.protect": ["start", "membership"]})
    assert str(Relation.of(both)).endswith("is not there or one robot (A, B) began somewhere else")


def test_names_that_people_read() -> None:
    robots = flipping(2, 1).with_({"secret.protect": ["type", "membership", "start"]})
    assert [str(one) for one in hypotheses_of(robots)] == [
        "one A turned B", "one B turned A", "one A fewer", "one B fewer",
        "one A beginning at off{A}", "one B beginning at off{B}",
    ]  # fmt: skip


def test_json_forms() -> None:
    robots = flipping(2, 1).with_({"secret.protect": ["membership", "start"]})
    first, *_, last = hypotheses_of(robots)
    assert isinstance(first, Absent)
    assert first.keys() == {"set": {"types.A": 1}}
    assert isinstance(last, OtherStart)
    assert last.keys() == {"type": "B", "start": "off{B}"}


def test_totals_are_said_where_they_alone_tell() -> None:
    scenario = shared_resource().with_({"secret.protect": ["membership"]})
    found = leakage(scenario)
    assert math.isinf(found.value)
    assert found.told_by_totals
    assert "leakage is infinite for that reason alone" in str(found)
    hidden = leakage(scenario.with_({"observe.busy": "{A,R}"}, warn=False), seen=0.5)
    assert not hidden.told_by_totals


def test_hypotheses_of_the_same_rates_share_their_solver() -> None:
    scenario = shared_resource().keeping(None, "A=1:3,B=1:3")
    (found,) = team_distributions(scenario)
    distributions = {id(part.team) for part in found.every}
    distributions |= {id(one) for part in found.every for _, one in part.neighbours}
    assert len(distributions) == 7  # of nine teams two are in no pair
    assert sum(len(star.hypotheses) for star in stars_of(scenario)) == 4


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"secret.protect": ["start"]}, "no robot could begin anywhere else"),
        ({"secret.against": [{"types.A": 2}]}, "is what the scenario has already"),
        ({"secret.teams": {"A": (1, 3)}}, "robots of two types have to vary"),
        ({"secret.teams": {"A": (3, 4), "B": (1, 2)}}, "the set must have the team itself"),
    ],
)
def test_nothing_to_compare(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        leakage(shared_resource().with_(changes))


def _other_secrets() -> list[Scenario]:
    return [
        flipping(2, 1).with_({"secret.protect": ["start"]}),
        flipping(2, 1).keeping([{"types.A": 3}]),
    ]


@pytest.mark.parametrize("scenario", _other_secrets())
def test_what_knows_neighbours_only_refuses(scenario: Scenario) -> None:
    with pytest.raises(UnsupportedError, match="compares a team with its neighbours only"):
        group_leakage(scenario, 1)


def test_streams_and_posteriors_of_other_rates() -> None:
    """Two snapshots of one robot: P(on, on) and P(on, off) under either rate, on paper."""
    network = """
[types]
A = 1
B = 0
[rates]
flip = 1.0
[network]
reactions = '''
on{A} <-> off{A} @ flip, flip
on{B} <-> off{B} @ 1, 1
'''
[initial]
A = "on{A}"
B = "on{B}"
[observe]
on = "on{A} + on{B}"
"""
    scenario = loads(network).keeping([{"rates.flip": 3.0}])
    stay = [(1 + math.exp(-2 * rate * 0.4)) / 2 for rate in (1.0, 3.0)]
    found = stream(scenario, 0.4, 0.8, at="steady")
    assert found.method == "exact"
    assert found.total_variation[-1].value == pytest.approx(stay[0] - stay[1], rel=1e-9)
    believed = infer(scenario, {"on": 1}, at=0.4)
    own, other = (belief.posterior for belief in believed.beliefs)
    assert own / other == pytest.approx(stay[0] / stay[1], rel=1e-9)


def test_streams_compare_the_same_moments() -> None:
    with pytest.raises(UnsupportedError, match="seen at 3 is another moment"):
        stream(shared_resource().keeping([{"adversary.at": 3}]), 1, 5)


def test_a_stream_over_a_set_is_the_worst_of_its_teams() -> None:
    own = flipping(2, 1)
    whole = stream(own, 0.1, 0.3, teams={"A": (1, 2), "B": (1, 2)}, at=0.0)
    assert whole.relation.teams == TeamSet({"A": (1, 2), "B": (1, 2)})
    alone = stream(flipping(1, 2), 0.1, 0.3, at=0.0)
    (pair,) = [p for p in alone.pairs if str(p.neighbour) == "one B turned A"]
    assert whole.rows[-1].total_variation.value == pytest.approx(
        pair.rows[-1].total_variation.value, rel=1e-9
    )


def test_bad_sets_are_said_with_their_key() -> None:
    with pytest.raises(CoveyError) as error:
        shared_resource().keeping(None, "A=1:2,C=3")
    assert error.value.key == "secret.teams.C"
