"""Paths between two known states, against the exact distribution of the state in between."""

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.stats import chisquare

from covey import Network, TooLargeError
from covey.dynamics.solver import Solver
from covey.dynamics.ssa import bridge
from covey.dynamics.ssa.bridge import Bridges
from covey.model.observation.query import Query
from covey.model.scenario import Scenario
from covey.model.team import Team
from covey.remedy.stand_in.pairs import Side

NETWORK = Network("{A} + {B} <-> {A,B} @ 2, 1\n{A} <-> w{A} @ 0.5, 3")
TEAM = Scenario(NETWORK, Team({"A": 3, "B": 2}), Query(free="{A} + {B}"))
SIDE = Side.of(Solver(NETWORK), TEAM)
BRIDGES = Bridges(SIDE.rates, SIDE.into)


def _generator() -> np.ndarray:
    """By rows: from a state to another."""
    found = np.zeros((len(SIDE), len(SIDE)))
    states, reactions = np.nonzero(SIDE.rates)
    np.add.at(found, (states, SIDE.into[states, reactions]), SIDE.rates[states, reactions])
    return found - np.diag(found.sum(axis=1))


@pytest.mark.parametrize(("ends", "span"), [((0, 0), 0.4), ((0, 5), 2.0), ((3, 1), 9.0)])
def test_the_state_in_between_has_its_exact_distribution(
    ends: tuple[int, int], span: float
) -> None:
    random = np.random.default_rng([len(SIDE), *ends]).random
    between, paths = span / 3, 2_000
    counts, events = np.zeros(len(SIDE)), 0
    for _ in range(paths):
        path = BRIDGES.path(ends, span, random)
        assert path is not None
        here, at = ends[0], ends[0]
        for time, reaction in path:
            assert 0 <= time <= span
            assert SIDE.rates[here, reaction] > 0
            here = int(SIDE.into[here, reaction])
            at = here if time <= between else at
        assert here == ends[1]
        counts[at] += 1
        events += len(path)
    k = _generator()
    first, second = expm(k * between), expm(k * (span - between))
    chances = first[ends[0]] * second[:, ends[1]] / expm(k * span)[ends]
    usual = chances * paths >= 5
    observed = np.append(counts[usual], paths - counts[usual].sum())
    expected = np.append(chances[usual], max(1 - chances[usual].sum(), 1e-9)) * paths
    assert chisquare(observed, expected, sum_check=False).pvalue > 1e-4
    assert events / paths == pytest.approx(_events(k, ends, span), rel=0.05)


def _events(k: np.ndarray, ends: tuple[int, int], span: float) -> float:
    """The mean number of events of a bridge: the integral of the conditioned rates."""
    size = len(k)
    moves = k - np.diag(np.diag(k))
    block = expm(np.block([[k, moves], [np.zeros_like(k), k]]) * span)  # ∫ e^(ks) moves e^(k(T-s))
    return float(block[ends[0], size + ends[1]] / expm(k * span)[ends])


def test_what_cannot_be_reached_has_no_path() -> None:
    one_way = Bridges(np.array([[1.0], [0.0]]), np.array([[1], [0]]))
    random = np.random.default_rng(1).random
    assert one_way.path((1, 0), 3.0, random) is None
    assert one_way.path((0, 1), 0.0, random) is None
    assert one_way.path((0, 0), 0.0, random) == []
    ((time, reaction),) = one_way.path((0, 1), 1e-9, random) or []
    assert 0 < time < 1e-9
    assert reaction == 0


def test_too_many_jumps_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridge, "MOST_CELLS", 1_000)
    with pytest.raises(TooLargeError, match="jumps between two states"):
        BRIDGES.path((0, 1), 1e3, np.random.default_rng(1).random)
