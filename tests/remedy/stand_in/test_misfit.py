"""The bound on what misfitting rates tell, against chains at such rates, computed densely."""

import numpy as np
import pytest
from scipy.linalg import expm, null_space

from covey import Network, Query, Scenario, Team, UnsupportedError
from covey.dynamics.solver import Solver
from covey.remedy.mechanism.rate_box import RateBox
from covey.remedy.stand_in.coupling import greedy, optimal
from covey.remedy.stand_in.misfit import Box, _Moves, misfit, misfit_within, right_at_most
from covey.remedy.stand_in.pairs import Coupling, Pairs

NETWORK = Network("{A} + {B} <-> {A,B} @ 2, 1\n{A} <-> w{A} @ 0.5, 3")
REACTIONS = len(NETWORK.reactions)


def _pairs() -> Pairs:
    real, reference = (
        Scenario(NETWORK, Team({"A": a, "B": b}), Query(free="{A} + {B}"))
        for a, b in ((2, 1), (1, 2))
    )
    return Pairs.of(Solver(NETWORK), real, reference, "l1")


def _together(coupling: Coupling, pair: int) -> np.ndarray:
    """What goes together at a pair, m: (reactions, reactions)."""
    found = np.zeros((REACTIONS, REACTIONS))
    for number, rate in zip(coupling.which[pair], coupling.rates[pair], strict=True):
        if number < 0:
            break
        found[divmod(int(number), REACTIONS)] += rate
    return found


def _at_rates(coupling: Coupling, off: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """At rates that are off: the pair's generator, the reference's, and k of each pair."""
    real, reference = coupling.pairs.sides
    n, m = len(real), len(reference)
    both, alone, k = np.zeros((n * m, n * m)), np.zeros((m, m)), np.zeros(n * m)
    for pair in range(n * m):
        i, j = divmod(pair, m)
        together = _together(coupling, pair)
        left = real.rates[i] - together.sum(axis=1)
        right = reference.rates[j] - together.sum(axis=0)
        for r in range(REACTIONS):
            both[pair, real.into[i, r] * m + j] += (1 + off[r]) * left[r]
            both[pair, i * m + reference.into[j, r]] += right[r]
            for s in range(REACTIONS):
                into = real.into[i, r] * m + reference.into[j, s]
                both[pair, into] += (1 + off[r]) * together[r, s]
            a, b = (
                reference.rates[j, r] * (1 + off[r]),
                reference.rates[j, r] + off @ together[:, r],
            )
            if a > 0:
                k[pair] += b * np.log(b / a) - b + a
    for j in range(m):
        for s in range(REACTIONS):
            alone[j, reference.into[j, s]] += reference.rates[j, s] * (1 + off[s])
    both -= np.diag(both.sum(axis=1))
    alone -= np.diag(alone.sum(axis=1))
    return both, alone, k


@pytest.mark.parametrize("couple", [greedy, optimal])
def test_no_rates_in_the_box_tell_more(couple: object) -> None:
    pairs = _pairs()
    coupling = couple(pairs)  # type: ignore[operator]
    draws, m = np.random.default_rng(5), len(pairs.reference)
    span, moves = 30.0, _Moves(coupling)
    for within in (0.1, 0.4):
        ones = np.full(REACTIONS, within)
        bound = moves.entropy(Box(-ones, ones), span)
        most = 0.0
        for corner in draws.choice([-within, within], size=(12, REACTIONS)):
            both, alone, k = _at_rates(coupling, corner)
            rest = null_space(both.T)[:, 0]
            entropy = span * float(k @ rest) / rest.sum()
            assert entropy <= bound
            most = max(most, entropy)
            # Two snapshots of the state itself, from any place that both begin in.
            start = pairs.start
            step = span / 2
            halves = expm(both * step).reshape(len(pairs), -1, m)
            ours = np.einsum(
                "p,pxj,xjyk->jk", start, halves, halves.reshape(-1, m, *halves.shape[1:])
            )
            theirs = expm(alone * step)
            theirs = (start.reshape(-1, m).sum(axis=0) @ theirs)[:, None] * theirs
            variation = np.abs(ours - theirs).sum() / 2
            assert (1 + variation) / 2 <= right_at_most(bound)
        assert bound <= 6 * most  # it tells something


def test_rates_that_are_right_tell_nothing() -> None:
    zeros = np.zeros(REACTIONS)
    assert _Moves(greedy(_pairs())).entropy(Box(zeros, zeros), 480.0) == pytest.approx(0, abs=1e-12)
    assert right_at_most(0.0) == 0.5
    assert right_at_most(50.0) <= 1.0


def test_intervals_of_rates_are_a_box() -> None:
    named = Network(
        "{A} + {B} <-> {A,B} @ meet, part\n{A} <-> w{A} @ rest, wake",
        {"meet": 2.0, "part": 1.0, "rest": 0.5, "wake": 3.0},
    )
    real, reference = (
        Scenario(named, Team({"A": a, "B": b}), Query(free="{A} + {B}"))
        for a, b in ((2, 1), (1, 2))
    )
    coupling = greedy(Pairs.of(Solver(named), real, reference, "l1"))
    box = RateBox.of(real, 0.05)
    within = dict(misfit(coupling, 30.0))
    assert misfit_within(coupling, 30.0, named, box) == pytest.approx(within[0.05], rel=1e-9)
    one = RateBox.of(real, {"meet": (1.9, 2.1)})
    assert 0.5 < misfit_within(coupling, 30.0, named, one) < within[0.05]


def test_a_rate_counts_wherever_it_is_a_factor() -> None:
    """A rate law that says the same as mass action has the same bound."""
    found = []
    for way in ("rest", "[rest * {B}]", "[{B} * rest / 2 * 2]"):
        network = Network(
            f"{{A}} <-> w{{A}} @ rest, wake\n{{B}} <-> w{{B}} @ {way}, wake",
            {"rest": 1.0, "wake": 3.0},
        )
        real, reference = (
            Scenario(network, Team({"A": a, "B": b}), Query(free="{A} + {B}"))
            for a, b in ((2, 1), (1, 2))
        )
        coupling = greedy(Pairs.of(Solver(network), real, reference, "l1"))
        box = RateBox.of(real, {"rest": (0.8, 1.3)})
        found.append(misfit_within(coupling, 5.0, network, box))
    assert found == pytest.approx([found[0]] * 3, rel=1e-9)


def test_rates_of_a_product_are_off_together() -> None:
    laws = "[a * b * {A}], [c * w{A}]"
    text = f"{{A}} <-> w{{A}} @ {laws}\n{{B}} <-> w{{B}} @ 1, 1"
    network = Network(text, {"a": 1.0, "b": 2.0, "c": 1.0})
    scenario = Scenario(network, Team({"A": 2, "B": 0}), Query(free="{A} + {B}"))
    coupling = greedy(Pairs.of(Solver(network), scenario, scenario, "l1"))
    both = RateBox.of(scenario, {"a": (0.5, 2.0), "b": (1.0, 3.0)})
    one = RateBox.of(scenario, {"a": (0.25, 3.0)})
    assert misfit_within(coupling, 1.0, network, both) == misfit_within(coupling, 1.0, network, one)


@pytest.mark.parametrize(
    "law", ["min(most, 5) * {A}", "most * {A} / (1 + most)", "{A} * (most < 2.5)"]
)
def test_a_rate_that_is_no_factor_is_refused(law: str) -> None:
    """However it looks where it was tried."""
    text = f"{{A}} -> w{{A}} @ [{law}]\nw{{A}} -> {{A}} @ most\n{{B}} <-> w{{B}} @ 1, 1"
    ruled = Network(text, {"most": 2.0})
    scenario = Scenario(ruled, Team({"A": 2, "B": 0}), Query(free="{A} + {B}"))
    with pytest.raises(UnsupportedError, match="in proportion to most"):
        RateBox.of(scenario, {"most": (1.0, 3.0)})
    assert RateBox.of(scenario, {"most": (2.0, 2.0)}).rates
