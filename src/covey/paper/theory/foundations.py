"""What the paper says on its way: of the model, of privacy, and of the methods to choose from.

Small systems decide these: the motivating example, for which everything is known exactly, the
first case study at random rates, and the task network with a few robots.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from covey.dynamics.limits import Limits
from covey.dynamics.mean_field.equilibrium import equilibrium_point
from covey.dynamics.mean_field.rate_equations import jacobian, mean_field
from covey.dynamics.solve import distribution
from covey.dynamics.ssa.simulation import end_points, event_log
from covey.dynamics.state_space.enumeration import explore
from covey.model.network import Network
from covey.model.observation.query import Query
from covey.model.scenario import Scenario
from covey.model.stoichiometry import Kinetics
from covey.model.structure.structure import Structure
from covey.model.team import Team
from covey.paper.readings import COLUMNS, smoothed_by, worst_readings
from covey.paper.scenarios import shared_resource, task_network, three_types
from covey.privacy.inference.posterior import infer
from covey.privacy.snapshot.leakage import Leakage, leakage
from covey.privacy.snapshot.output_distributions import team_distributions
from covey.study.fit.fit import fit

SEED = 2016
LEFT_OUT = 0.01  # of each distribution at most, by the authors' projection
TIGHT = 1e-9  # far below every ν
PROJECTED = (1e-3, 1e-5, 1e-8)
SAMPLES = 10_000
LOGGED = 20_000.0  # how long a mission is logged
_LATE = 50.0  # by when the motivating example is at its steady state
# The paper's M of the first case study, and where its complexes stand in covey's order.
_PRINTED = np.array([[1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
_COMPLEXES = [0, 2, 1, 3]
_SEVERAL = (1 / 9, 1.0, 9.0)  # prior odds
REPEATED = "{1} + {1} <-> {1,1} @ 1, 2"  # two robots of one type in a complex
ROBOTS = 6  # of that type


def numbers(draws: int) -> dict[str, float]:
    """Everything that the claims need; `draws` rates are tried where all are meant."""
    return {
        **_model(draws),
        **_equilibria(draws),
        **_kinetics(),
        **_corollary(),
        **_privacy(),
        **_methods(),
        **_tasks(draws),
    }


def _model(draws: int) -> dict[str, float]:
    alone = Network("a{1} <-> b{1} @ 1, 2\nb{1} -> c{1} @ 3\nc{1} -> a{1} @ 1")
    chance = np.random.default_rng(SEED)
    stable = sum(
        _stable(chance.integers(1, 301, 3).tolist(), chance.uniform(0.1, 2.0, 4).tolist())
        for _ in range(draws)
    )
    matrix = three_types().network.M[:, _COMPLEXES]
    scenario = shared_resource()
    log = event_log(scenario.network, scenario.start, LOGGED, seed=SEED)
    found = fit(scenario, log).scenario.network.rate_constants
    off = np.abs(found / scenario.network.rate_constants - 1)
    return {
        "lone complexes": sum(len(one) == 1 for one in alone.complexes),
        "lone species": len(alone.species),
        **_spread_of_transitions(10.0),
        "stable": stable,
        "rates from a log": float(off.max()),
        "rows of M": int((matrix == _PRINTED).all(axis=1).sum()),
        "rows of M in any order": sum(
            a == b for a, b in zip(sorted(matrix.tolist()), sorted(_PRINTED.tolist()), strict=True)
        ),
    }


def _equilibria(draws: int) -> dict[str, float]:
    """Where complexes are balanced, and where the motivating example comes to rest."""
    chance = np.random.default_rng(SEED)
    residual = 0.0
    for _ in range(draws):
        one = three_types(chance.integers(1, 301, 3).tolist(), chance.uniform(0.1, 2.0, 4).tolist())
        flows = one.network.psi(equilibrium_point(one.network, one.start))
        scale = np.abs(one.network.A) @ flows
        residual = max(residual, float((np.abs(one.network.A @ flows) / scale).max()))
    tasks = task_network().network
    zero = float(np.abs(tasks.A @ tasks.psi(np.zeros(len(tasks.species)))).max())
    scenario = shared_resource()
    network, structure = scenario.network, Structure(scenario.network)
    rest = equilibrium_point(network, scenario.start)
    starts = explore(network, scenario.start, max_states=1000).states.astype(np.int64)
    ends = np.array([mean_field(network, start, [_LATE])[0] for start in starts])
    return {
        "balance at the equilibrium": residual,
        "tasks at zero": zero,
        "motivating deficiency": structure.deficiency,
        "motivating reversible": bool(structure.weakly_reversible),
        "motivating ends": float(np.abs(ends / rest - 1).max()),
    }


def _kinetics() -> dict[str, float]:
    """How far the chain is from the product form, with both readings of mass action."""
    team, seen = Team({"1": ROBOTS}), Query(pairs="{1,1}")
    closed = distribution(Scenario(Network(REPEATED), team, seen), "steady").log_probabilities
    found = {}
    kinds: tuple[Kinetics, ...] = ("falling", "power")
    for kind in kinds:
        scenario = Scenario(Network(REPEATED, kinetics=kind), team, seen)
        observed = distribution(scenario, "steady", limits=Limits(method="stationary"))
        found[f"{kind} against the product form"] = float(
            np.abs(observed.log_probabilities - closed).max()
        )
    return found


def _stable(team: list[int], rates: list[float]) -> bool:
    """Whether all that is not conserved returns to the equilibrium after a small push."""
    scenario = three_types(team, rates)
    network = scenario.network
    sensitivities = np.linalg.eigvals(jacobian(network, equilibrium_point(network, scenario.start)))
    moving = sorted(sensitivities, key=abs)[-Structure(network).rank :]
    return bool(max(sensitivity.real for sensitivity in moving) < 0)


def _spread_of_transitions(jumps: float) -> dict[str, float]:
    """Variance over mean of the jumps of a chain of two states at rate 1: one way, and all of them.

    All are Poisson, and of n of them n/2, rounded up, go the first way.
    """
    counts = np.arange(200)
    chances = np.exp([n * math.log(jumps) - math.lgamma(n + 1) - jumps for n in counts])
    found = {}
    for name, ways in (("one way", (counts + 1) // 2), ("all", counts)):
        mean = float(chances @ ways)
        found[f"spread of transitions, {name}"] = float(chances @ (ways - mean) ** 2) / mean
    return found


def _corollary() -> dict[str, float]:
    """The motivating example by the chain, by the product form, and by the formula as printed."""
    scenario = shared_resource()
    chain, closed = (
        leakage(scenario, limits=Limits(method=method)).value
        for method in ("stationary", "product-form")
    )
    ours = _undivided(scenario, scenario.start)
    printed = 0.0
    for neighbour in scenario.team.neighbours():
        theirs = _undivided(scenario, scenario.start_of(neighbour.team))
        both = ours.keys() & theirs.keys()
        printed = max(printed, *(abs(math.log(ours[y] / theirs[y])) for y in both))
    return {"by the chain": chain, "by the product form": closed, "as printed": printed}


def _undivided(scenario: Scenario, start: np.ndarray) -> dict[tuple[int, ...], float]:
    """Poisson densities at the equilibrium, summed over the states of each observation."""
    network = scenario.network
    means = equilibrium_point(network, start).tolist()
    seen = scenario.query.matrix(network)
    found: dict[tuple[int, ...], float] = {}
    for state in explore(network, start, max_states=1000).states.astype(np.int64):
        y = tuple((seen @ state).tolist())
        logs = [
            (count * math.log(mean) if count else 0.0) - math.lgamma(count + 1) - mean
            for count, mean in zip(state.tolist(), means, strict=True)
        ]
        found[y] = found.get(y, 0.0) + math.exp(sum(logs))
    return found


def _privacy() -> dict[str, float]:
    """Of D and D', and how much what is seen and known can change the odds between them."""
    scenario, other = shared_resource(2, 1), shared_resource(1, 2)
    prior = {"team": 1.0, "A->B": 1.0, "B->A": 0.0}
    turned = 0.0
    for odds, busy in itertools.product(_SEVERAL, (0, 1, 2)):
        seen = {"free": 3 - busy, "busy": busy}
        after = infer(scenario, seen, prior={**prior, "team": odds}).posterior
        turned = max(turned, abs(math.log(after["team"] / after["A->B"] / odds)))
    seen = {"free": 2, "busy": 1}
    alike = infer(scenario, seen, prior=prior, knowing={"{A}": 2}).posterior
    mixed = infer(scenario, seen, prior=prior, knowing={"{A}": 1, "{B}": 1}).posterior
    here, there = leakage(scenario), leakage(other)
    return {
        "leakage of D": here.value,
        "leakage of D'": there.value,
        "D against D'": _against(here, "A"),
        "D' against D": _against(there, "B"),
        "turned by priors": turned,
        "belief in D, both idle being A": alike["team"],
        "belief in D, one of each idle": mixed["team"],
    }


def _against(found: Leakage, away: str) -> float:
    """The leakage against the neighbour that has one robot fewer of a type."""
    return next(pair.value for pair in found.pairs if pair.neighbour.about == away)


def _methods() -> dict[str, float]:
    """Errors of the leakage of D against ln 1.8: by sampled paths, and by the chain."""
    scenario = shared_resource()
    seen = scenario.query.matrix(scenario.network)
    distributions = []
    for number, team in enumerate([scenario.team, *(n.team for n in scenario.team.neighbours())]):
        ends = end_points(
            scenario.network, scenario.start_of(team), _LATE, samples=SAMPLES, seed=SEED + number
        )
        busy = (ends @ seen.T)[:, 1]
        distributions.append(np.bincount(busy, minlength=3) / SAMPLES)
    ours, *theirs = distributions
    drawn = max(float(np.abs(np.log(ours / other)).max()) for other in theirs)
    exact = leakage(scenario, limits=Limits(method="stationary")).value
    truth = math.log(1.8)
    found = {"error of paths": abs(drawn - truth), "error of the chain": abs(exact - truth)}
    return found | _projection()


def _projection() -> dict[str, float]:
    """The leakage with every state, and by projections with a loose and with a tight tolerance."""
    scenario = task_network((6, 6, 6), abandon=(1.0, 0.2, 2.0))
    found: dict[str, float] = {}
    for name, limits in (
        ("whole", Limits()),
        ("projected", Limits(method="projection", tolerance=LEFT_OUT)),
        ("tight", Limits(method="projection", tolerance=TIGHT)),
    ):
        (all_,) = team_distributions(scenario, limits=limits)
        others = [observed for _, observed in all_.neighbours]
        by = dict(zip(COLUMNS, worst_readings(all_.team, others).tolist(), strict=True))
        found |= {f"{name} at {nu:g}": by[smoothed_by(nu)] for nu in PROJECTED}
    return found


def _tasks(draws: int) -> dict[str, float]:
    chance = np.random.default_rng(SEED)
    balanced = 0
    for _ in range(draws):
        rates = chance.uniform(0.1, 2.0, 6).tolist()
        network = task_network((1, 1, 1), rates[:3], rates[3:]).network
        balanced += bool(Structure(network).complex_balanced)
    teams = itertools.permutations((3, 2, 1))
    orders = [leakage(task_network(team), smoothing=1e-5).value for team in teams]
    return {"tasks balanced": balanced, "tasks reordered": max(orders) - min(orders)}
