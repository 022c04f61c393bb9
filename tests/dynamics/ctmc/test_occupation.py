"""The time spent in each state: by long steps as by plain ones, and with its bound."""

from __future__ import annotations

from typing import Any

import mpmath as mp
import numpy as np
import pytest
from benchmarks.bench_stiff import UNTIL, mapk

from covey import Network, Query, performance
from covey.dynamics import chain as chain_module
from covey.dynamics import prepared_network
from covey.dynamics.chain import Chain
from covey.dynamics.ctmc import occupation as module
from covey.dynamics.ctmc.chebyshev.weights import integrals
from covey.dynamics.ctmc.generator import Generator
from covey.dynamics.ctmc.occupation import Occupation, occupation
from covey.dynamics.ctmc.uniformization import transient
from covey.dynamics.solver import Solver
from covey.errors import TooLargeError
from covey.numbers import UNIT, Floats
from covey.paper.scenarios import task_network


@pytest.fixture(scope="module")
def stiff() -> Chain:
    scenario = mapk(2)
    return Solver(scenario.network).chain(scenario.start)


@pytest.mark.parametrize("x", [0.3, 40.0])
def test_integrals_of_the_weights(x: float) -> None:
    found = integrals(x, 60)
    with mp.workdps(60):  # absolutely: the last of them are small
        for k in (0, 1, 25):
            true = mp.quad(lambda y, k=k: mp.exp(-y) * mp.besseli(k, y), mp.linspace(0, x, 5))
            assert abs(mp.mpf(found[k]) / ((2 - (k == 0)) * true) - 1) < 2_000 * UNIT


def test_long_steps_spend_the_time_that_plain_ones_do(stiff: Chain) -> None:
    long = occupation(stiff.generator, stiff.start, 5.0)
    plain = _by_plain_steps(stiff, 5.0)
    apart = np.abs(np.log(long.shares) - np.log(plain.shares))
    assert apart.max() <= long.log_error + plain.log_error + 1e-9 * (plain.lost + long.lost)
    assert long.log_error < 1e-8
    assert abs(long.shares.sum() - 1) < 1e-10


def test_the_distribution_at_the_end_is_met_on_the_way(stiff: Chain) -> None:
    found, alone = stiff.occupation(UNTIL).end, transient(stiff.generator, stiff.start, [UNTIL])
    assert found is stiff.at([UNTIL])  # nothing is computed again
    apart = np.abs(found.log_probabilities - alone.log_probabilities).max()
    assert apart <= found.log_error[0] + alone.log_error[0]
    assert found.log_error[0] < 1e-8


def test_one_pass_for_a_mean_and_an_average(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though the chain is too large to be kept: it is there for as long as it is held."""
    monkeypatch.setattr(prepared_network, "_KEPT_STATES", 0)
    scenario, ends = mapk(2), list[float]()

    def counted(generator: Generator, start: Floats, times: list[float], **how: Any) -> Any:
        ends.extend(times)
        return transient(generator, start, times, **how)

    monkeypatch.setattr(module, "transient", counted)
    monkeypatch.setattr(chain_module, "transient", counted)
    found = performance(scenario).measures
    assert max(ends) < UNTIL / 2  # the way there, and no second one to the end
    alone = Solver(scenario.network).distributions(scenario.start, [UNTIL], Query({"x": "kpp"}))[0]
    activated = found["activated"]
    assert activated.lower <= alone.mean["x"] <= activated.upper


def test_a_chain_that_comes_to_rest_stays_there() -> None:
    scenario = task_network((6, 6, 6), (0.2, 0.5, 0.8), (0.8, 0.5, 0.2))
    chain = Solver(scenario.network).chain(scenario.start)
    long, plain = occupation(chain.generator, chain.start, 400.0), _by_plain_steps(chain, 400.0)
    apart = np.abs(np.log(long.shares) - np.log(plain.shares)).max()
    assert apart <= long.log_error + plain.log_error + 1e-9


def test_robots_in_circles_are_followed_by_plain_steps() -> None:
    ring = "\n".join(f"s{i}{{A}} -> s{(i + 1) % 4}{{A}} @ 9" for i in range(4))
    network = Network(ring)
    start = np.array([20 if str(s) == "s0{A}" else 0 for s in network.species])
    chain = Solver(network).chain(start)
    found = occupation(chain.generator, chain.start, 12.0)
    plain = _by_plain_steps(chain, 12.0)
    assert np.abs(np.log(found.shares) - np.log(plain.shares)).max() <= (
        found.log_error + plain.log_error + 1e-9
    )


def test_steps_of_a_stiff_chain_become_longer(stiff: Chain) -> None:
    """Some √(qt) products in place of qt, which is 45,000 here; also of few states."""
    found = transient(stiff.generator, stiff.start, [30.0])
    jumps = float(stiff.generator.exits.max()) * 30.0
    assert found.products < jumps / 5
    assert found.log_error[0] < 1e-8


@pytest.mark.parametrize("span", [1e9, 1e300, 1e308])
def test_a_span_beyond_all_use_is_refused(stiff: Chain, span: float) -> None:
    with pytest.raises(TooLargeError, match="ask for a shorter span"):
        occupation(stiff.generator, stiff.start, span)


def _by_plain_steps(chain: Chain, span: float) -> Occupation:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_LONG_WAY", np.inf)
        return occupation(chain.generator, chain.start, span)
