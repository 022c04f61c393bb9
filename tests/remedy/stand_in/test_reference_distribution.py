"""What is published has the distribution of the reference: exactly, in fractions, and on paths."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.stats import chi2, kstest

import covey
from covey import Network, Query, Scenario, Team
from covey.dynamics.solver import Solver
from covey.model.io.stand_in_file import Reference
from covey.remedy.stand_in.coupling import greedy, optimal
from covey.remedy.stand_in.difference import difference_potential
from covey.remedy.stand_in.pairs import Pairs
from covey.remedy.stand_in.stand_in import COUPLINGS
from covey.remedy.stand_in.walk import Walk
from tests.remedy.stand_in.plain_chain import Law, PlainChain, State

POOL = (
    ("{A} -> w{A}", "w{A} -> {A}"),
    ("{B} -> w{B}", "w{B} -> {B}"),
    ("{A} + {B} -> {A,B}", "{A,B} -> {A} + {B}"),
    ("{A} + {R} -> {A,R}", "{A,R} -> {A} + {R}"),
    ("{B} + {R} -> w{B,R}", "w{B,R} -> {B} + {R}"),
    ("{A} + {A} -> {A,A}", "{A,A} -> {A} + w{A}"),
    ("{B} + w{A} -> {B} + {A}", "{A} + w{B} -> w{A} + w{B}"),
)
RULE = "[2 * min({A}, 2)]", lambda counts: 2 * min(counts["{A}"], 2)
QUERY = {"free": "{A} + {B}"}
TIME, LAG, TICK, TICKS = 2.0, 1.0, 0.25, 12
LEVEL = 1e-4  # of each test: a thousand of them reject a true hypothesis once in ten studies

Lines = tuple[tuple[str, Fraction | Law], ...]


def _network(seed: int) -> tuple[Lines, Network]:
    """A random network as plain lines and as covey's; rates are eighths: no sum of them rounds."""
    random = Random(seed)
    chosen = [POOL[0], POOL[1], *random.sample(POOL[2:], random.randint(1, 3))]
    lines: list[tuple[str, Fraction | Law]] = []
    for line in dict.fromkeys(line for both in chosen for line in both):
        eighths = Fraction(random.randint(1, 24), 8)
        ruled = line == "{A} -> w{A}" and random.random() < 0.4
        lines.append((line, RULE[1] if ruled else eighths))
    return tuple(lines), _written(lines)


def _written(lines: Sequence[tuple[str, Fraction | Law]]) -> Network:
    texts = [f"{line} @ {RULE[0] if callable(rate) else float(rate)}" for line, rate in lines]
    return Network("\n".join(texts))


def _faster(lines: Lines, network: Network) -> tuple[Lines, Network]:
    """The same with every second rate four times as high."""
    rates = [rate if callable(rate) or i % 2 else 4 * rate for i, (_, rate) in enumerate(lines)]
    found = tuple((line, rate) for (line, _), rate in zip(lines, rates, strict=True))
    assert _written(found).species == network.species
    return found, _written(found)


def _side(lines: Lines, network: Network, team: dict[str, int]) -> tuple[PlainChain, Scenario]:
    docks = {"R": 2} if "R" in network.members else {}
    members = {f"{{{name}}}": count for name, count in (team | docks).items()}
    return PlainChain(lines, members), Scenario(network, Team(team, docks), Query(QUERY))


def _both(seed: int, lines: Lines, network: Network) -> list[tuple[PlainChain, Scenario]]:
    """Two random teams whose pairs of states are at most a thousand."""
    random = Random(-seed)
    while True:
        teams = [{"A": random.randint(0, 3), "B": random.randint(1, 3)} for _ in range(2)]
        both = [_side(lines, network, team) for team in teams]
        if 10 < len(both[0][0].states) * len(both[1][0].states) <= 1_000:
            return both


def _order(network: Network, chain: PlainChain) -> list[int]:
    """Where the plain chain's species stand among the network's."""
    names = list(map(str, network.species))
    return [names.index(name) for name in chain.species]


def _out_of(chain: PlainChain, state: State) -> dict[State, Fraction]:
    """How fast the chain goes from a state to every other."""
    found: dict[State, Fraction] = defaultdict(Fraction)
    for _, rate, after in chain.moves(state):
        if after != state:
            found[after] += rate
    return dict(found)


@pytest.mark.parametrize("seed", range(24))
def test_summed_over_the_other_each_of_both_is_its_own_chain(seed: int) -> None:
    """At every pair of states of random networks and teams, exactly."""
    lines, network = _network(seed)
    both = _both(seed, lines, network)
    pairs = Pairs.of(Solver(network), both[0][1], both[1][1], "l1")
    order = _order(network, both[0][0])
    states = [list(map(tuple, s.chain.lattice.states[:, order].tolist())) for s in pairs.sides]
    for (chain, _), listed in zip(both, states, strict=True):
        assert sorted(listed) == chain.states
    for couple in (greedy, optimal):
        moves = couple(pairs).transitions
        found: list[dict[tuple[int, State], Fraction]] = [defaultdict(Fraction) for _ in both]
        for source, target, rate in zip(*(column.tolist() for column in moves), strict=True):
            places = [divmod(number, len(pairs.reference)) for number in (source, target)]
            for side in range(2):
                if places[0][side] != places[1][side]:
                    found[side][source, states[side][places[1][side]]] += Fraction(rate)
        for side, (chain, _) in enumerate(both):
            out = [_out_of(chain, state) for state in states[side]]
            expected = {
                (pair, after): rate
                for pair in range(len(pairs))
                for after, rate in out[divmod(pair, len(pairs.reference))[side]].items()
            }
            assert found[side] == expected


@pytest.mark.parametrize("by_difference", [False, True], ids=["greedy", "difference"])
@pytest.mark.parametrize("seed", range(12))
def test_on_the_way_the_stand_in_moves_at_its_own_rates(seed: int, by_difference: bool) -> None:
    """Where no pairs are listed: what goes together and what it does alone add up, exactly."""
    lines, network = _network(seed)
    both = _both(seed, lines, network)
    real, reference = both[0][1], both[1][1].with_({"adversary.at": TIME})
    differences = difference_potential(real, reference, "l1") if by_difference else None
    assert by_difference == (differences is not None)
    walk = Walk.on_the_way(real, reference, "l1", differences)
    order = np.argsort(_order(network, both[0][0]))
    random = Random(seed)
    for _ in range(200):
        places = [random.choice(chain.states) for chain, _ in both]
        x, w = (np.array(place)[order] for place in places)
        walk.at(x, w, None)
        together = [[Fraction(rate) for rate in row] for row in walk.room.together.tolist()]
        for (chain, _), place, sums, rest in (
            (both[0], places[0], [sum(row) for row in together], None),
            (
                both[1],
                places[1],
                [sum(row) for row in zip(*together, strict=True)],
                walk.room.alone,
            ),
        ):
            rates = [Fraction(0)] * len(lines)
            for number, rate, _ in chain.moves(place):
                rates[number] = rate
            if rest is None:
                assert all(0 <= found <= rate for found, rate in zip(sums, rates, strict=True))
            else:
                assert [a + Fraction(b) for a, b in zip(sums, rest.tolist(), strict=True)] == rates


class Exact:
    """What an observer of the reference sees, from its propagator: expm of a matrix made here."""

    def __init__(self, chain: PlainChain, seen: list[str]) -> None:
        states = chain.states
        place = {state: i for i, state in enumerate(states)}
        generator = np.zeros((len(states), len(states)))
        for state in states:
            for after, rate in _out_of(chain, state).items():
                generator[place[state], place[after]] = float(rate)
        generator -= np.diag(generator.sum(axis=1))
        self.shown = [_shown(chain, state, seen) for state in states]
        self.at = expm(generator * TIME)[place[chain.origin]]
        self.lag, self.tick = expm(generator * LAG), expm(generator * TICK)

    def chances(self) -> list[dict[object, float]]:
        """Of the count at a time, of two counts at a lag, of the ticks until a change is seen."""
        counts: dict[object, float] = defaultdict(float)
        lagged: dict[object, float] = defaultdict(float)
        waits: dict[object, float] = defaultdict(float)
        for i, p in enumerate(self.at):
            counts[self.shown[i]] += p
            for j, q in enumerate(self.lag[i]):
                lagged[self.shown[i], self.shown[j]] += p * q
        for count in set(self.shown):
            same = np.array([shown == count for shown in self.shown])
            still = np.where(same, self.at, 0.0)
            for tick in range(1, TICKS + 1):
                after = np.where(same, still @ self.tick, 0.0)
                waits[tick] += still.sum() - after.sum()
                still = after
            waits["later"] += still.sum()
        return [counts, lagged, waits]


def _shown(chain: PlainChain, state: State, seen: list[str]) -> int:
    return sum(count for name, count in zip(chain.species, state, strict=True) if name in seen)


def _p_value(found: Counter[object], chances: dict[object, float], paths: int) -> float:
    """Pearson's chi-square; all that is expected less than ten times is one bin."""
    assert set(found) <= {outcome for outcome, p in chances.items() if p > 1e-12}
    usual = [outcome for outcome, p in chances.items() if p * paths >= 10]
    seen = [found[outcome] for outcome in usual]
    expected = [chances[outcome] * paths for outcome in usual]
    rest = paths - sum(expected)
    if rest >= 10:
        seen, expected = [*seen, paths - sum(seen)], [*expected, rest]
    if len(expected) < 2:
        return 1.0
    total = sum((a - b) ** 2 / b for a, b in zip(seen, expected, strict=True))
    return float(chi2.sf(total, len(expected) - 1))


def _observed(
    seed: int, paths: int, how: str, truth: bool = False, faster: bool = False
) -> tuple[list[Counter[object]], list[dict[object, float]]]:
    """What is seen of so many paths of a real team, published; and what the reference shows."""
    lines, network = _network(seed)
    random = Random(seed)
    (chain, real), (other, reference) = (
        _side(lines, network, team) for team in ({"A": 1, "B": 4}, {"A": 3, "B": 2})
    )
    if random.random() < 0.5:
        chain, real, other, reference = other, reference, chain, real
    if faster:
        chain, real = _side(*_faster(lines, network), dict(real.team.types))
    public = Reference(reference.with_({"adversary.at": TIME}), how, "l1", 0.0)
    first = covey.CoupledPublisher(public, chain.start, network=real.network)
    if how == "greedy":
        first._team.coupling = None  # on the way, as where the pairs are too many
    found: list[Counter[object]] = [Counter(), Counter(), Counter()]
    ticks = [TIME + TICK * tick for tick in range(TICKS + 1)]
    seen = ["{A}", "{B}"]
    for path in range(paths):
        publisher = first.again(chain.start, np.random.default_rng([seed, path]).bytes)
        events = [*chain.path(random, ticks[-1]), (np.inf, 0, chain.origin)]
        state, place, shows = chain.origin, 0, []
        for tick in ticks:
            while events[place][0] < tick:
                time, reaction, state = events[place]
                publisher.event(time, reaction)
                place += 1
            shows.append(_shown(chain, state, seen) if truth else publisher.published(tick)["free"])
            if tick == ticks[1] and seed % 2 == 0:  # the feed breaks, and comes back
                publisher.event(tick, len(lines))
            elif tick == ticks[3] and not truth:
                publisher.state(tick, dict(zip(chain.species, state, strict=True)))
        assert publisher.known
        found[0][shows[0]] += 1
        found[1][shows[0], shows[round(LAG / TICK)]] += 1
        changed = [tick for tick, count in enumerate(shows) if count != shows[0]]
        found[2][changed[0] if changed else "later"] += 1
    return found, Exact(other, seen).chances()


def _p_values(seeds: range, paths: int) -> list[float]:
    found = []
    for seed in seeds:
        for seen, chances in zip(*_observed(seed, paths, COUPLINGS[seed % 3]), strict=True):
            found.append(_p_value(seen, chances, paths))
    return found


def test_paths_of_the_real_team_are_published_as_the_reference() -> None:
    """Counts, counts at a lag and times between changes: four networks, every way to couple."""
    assert min(_p_values(range(4), 400)) > LEVEL


@pytest.mark.parametrize("how", COUPLINGS)
def test_a_team_with_other_rates_is_published_as_the_reference(how: str) -> None:
    for seen, chances in zip(*_observed(1, 400, how, faster=True), strict=True):
        assert _p_value(seen, chances, 400) > LEVEL


def test_the_truth_would_be_found_out() -> None:
    """The same tests, had the real team been published: they can fail."""
    seen, chances = _observed(1, 400, "greedy", truth=True)
    assert _p_value(seen[0], chances[0], 400) < LEVEL


@pytest.mark.study
def test_a_thousand_tests_find_no_difference() -> None:
    """None of 1,002 below 1e-4: of right couplings nine studies of ten pass (Bonferroni).

    Its seeds are fixed, so that it passes always or never. P-values of a right coupling are spread
    evenly: too many small ones of no single note would be seen by Kolmogorov's test.
    """
    found = _p_values(range(100, 434), 300)
    assert len(found) == 1_002
    assert min(found) > LEVEL
    whole = [p for p in found if p < 1.0]
    assert kstest(whole, "uniform").pvalue > LEVEL
