"""The paper's systems as scenarios, with rates and teams as its studies vary them."""

from __future__ import annotations

from collections.abc import Sequence

from covey.model.network import Network
from covey.model.observation.adversary import Adversary
from covey.model.observation.query import Query
from covey.model.scenario import Scenario
from covey.model.team import Team

Rates = tuple[float, float, float]

TASK_TIME = 10.0


def shared_resource(a: int = 2, b: int = 1) -> Scenario:
    """The motivating example: κ1 = 3, all other rates 1, two resources."""
    network = Network("{A} + {R} <-> {A,R} @ 3, 1\n{B} + {R} <-> {B,R} @ 1, 1")
    seen = Query(free="{A} + {B}", busy="{A,R} + {B,R}")
    return Scenario(network, Team({"A": a, "B": b}, resources={"R": 2}), seen)


def three_types(
    team: Sequence[int] = (220, 220, 200), rates: Sequence[float] = (1.0, 1.0, 1.0, 1.0)
) -> Scenario:
    """The first case study: types 1 and 2 pair up, then type 3 joins. Rates κ1 to κ4."""
    k1, k2, k3, k4 = map(repr, map(float, rates))
    network = Network(
        f"{{1}} + {{2}} <-> {{1,2}} @ {k1}, {k2}\n{{1,2}} + {{3}} <-> {{1,2,3}} @ {k3}, {k4}"
    )
    seen = Query(alone="{1} + {2} + {3}", pairs="{1,2}", triples="{1,2,3}")
    return Scenario(network, _team(team), seen)


def collaboration_dag(rates: Sequence[float] = (1.0,) * 8) -> Network:
    """The network of the paper's figure of a collaboration-DAG: rates κ1 to κ8."""
    return Network(DAG.format(*map(float, rates)))


def task_network(
    team: Sequence[int] = (10, 10, 10),
    encounter: Sequence[float] = (1.0, 1.0, 1.0),
    abandon: Sequence[float] = (1.0, 1.0, 1.0),
) -> Scenario:
    """The second case study. Each type has one rate of encountering tasks, one of abandoning.

    Encountering: κ1 κ7 κ9 κ19, κ3 κ11 κ13 κ20, κ5 κ15 κ17 κ21 of types 1, 2, 3; abandoning: κ2 κ8
    κ10, κ4 κ12 κ14, κ6 κ16 κ18.
    """
    rates = {f"m{i}": float(rate) for i, rate in enumerate(encounter, 1)}
    rates |= {f"g{i}": float(rate) for i, rate in enumerate(abandon, 1)}
    network = Network(_TASKS.splitlines(), rates)
    seen = Query(
        exploring="e{1} + e{2} + e{3}",
        waiting="w{1} + w{2} + w{3}",
        in_twos="w{1,2} + w{1,3} + w{2,3}",
    )
    start = {name: f"e{{{name}}}" for name in "123"}
    return Scenario(network, _team(team), seen, initial=start, adversary=Adversary(TASK_TIME))


def _team(counts: Sequence[int]) -> Team:
    return Team({str(i): int(count) for i, count in enumerate(counts, 1)})


DAG = """{{1}} + {{2}} <-> {{1,2}} @ {}, {}
{{1}} + {{1,2}} <-> {{1,1,2}} @ {}, {}
{{3}} + {{4}} + {{5}} <-> {{3,4,5}} @ {}, {}
{{1,2}} + {{3,4,5}} <-> {{1,2,3,4,5}} @ {}, {}"""
_TASKS = """e{1} <-> w{1} @ m1, g1
e{2} <-> w{2} @ m2, g2
e{3} <-> w{3} @ m3, g3
e{1} + w{2} <-> w{1,2} @ m1, g1
e{1} + w{3} <-> w{1,3} @ m1, g1
e{2} + w{1} <-> w{1,2} @ m2, g2
e{2} + w{3} <-> w{2,3} @ m2, g2
e{3} + w{1} <-> w{1,3} @ m3, g3
e{3} + w{2} <-> w{2,3} @ m3, g3
e{1} + w{2,3} -> e{1} + e{2} + e{3} @ m1
e{2} + w{1,3} -> e{1} + e{2} + e{3} @ m2
e{3} + w{1,2} -> e{1} + e{2} + e{3} @ m3"""
