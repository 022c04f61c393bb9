"""Windows of a chain: what they lose bounds how far what is seen may be off."""

from __future__ import annotations

import numpy as np
import pytest

from covey.dynamics.hmm import hidden_markov as module
from covey.dynamics.hmm.hidden_markov import Schedule, WatchedChain, watched_chain
from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.errors import TooLargeError
from covey.model.scenario import Scenario
from covey.numbers import Floats
from tests.privacy.small_teams import shared_resource


def _watched(scenario: Scenario, snapshots: Schedule, tolerance: float) -> WatchedChain:
    solver = Solver(scenario.network, Limits())
    return watched_chain(solver, scenario.start, scenario.query, snapshots, tolerance=tolerance)


def _distribution_of_two(chain: WatchedChain, snapshots: int) -> dict[tuple[int, ...], float]:
    """Of what is seen at the first snapshot and at the last of so many."""
    joint: Floats = np.diag(chain.distribution)
    for kind in chain.steps[1:snapshots]:
        joint = joint @ chain.moves[kind]
    shown = np.repeat(np.arange(len(chain.outcomes)), chain.states_of)
    distribution: dict[tuple[int, ...], float] = {}
    for i, j in np.ndindex(*joint.shape):
        key = (*chain.outcomes[shown[i]].tolist(), *chain.outcomes[shown[j]].tolist())
        distribution[key] = distribution.get(key, 0.0) + float(joint[i, j])
    return distribution


@pytest.mark.parametrize("at", ["steady", 0.4])
@pytest.mark.parametrize("tolerance", [0.2, 0.01])
def test_a_window_is_off_by_what_it_says(
    monkeypatch: pytest.MonkeyPatch, at: float, tolerance: float
) -> None:
    scenario = shared_resource(8, 7).with_({"resources.R": 9})
    snapshots = Schedule(at, 0.2, (5,))
    whole = _watched(scenario, snapshots, tolerance)
    monkeypatch.setattr(module, "_ALL", 1)
    monkeypatch.setattr(module, "_WORTH_IT", 1.0)
    window = _watched(scenario, snapshots, tolerance)
    assert len(window) < len(whole)
    assert window.errors[-1] <= tolerance + 1e-9
    assert (np.diff(window.errors) >= 0).all()
    for n in (1, 3, 5):
        ours, theirs = _distribution_of_two(window, n), _distribution_of_two(whole, n)
        apart = sum(abs(ours.get(y, 0.0) - theirs.get(y, 0.0)) for y in ours | theirs) / 2
        assert apart <= window.errors[n - 1]
    assert whole.errors[-1] < 1e-9


def test_a_window_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_STATES", 10)
    with pytest.raises(TooLargeError, match=r"\d+ of \d+ states would take") as caught:
        _watched(
            shared_resource(8, 7).with_({"resources.R": 9}), Schedule("steady", 0.2, (5,)), 1e-3
        )
    assert caught.value.states is not None
