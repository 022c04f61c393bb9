"""Fleets that robots come to and go from: whose type is to be protected there.

Once such a fleet has settled, the robots of the start have left, whatever their types: a leakage of
0 about them is good news for nobody. At "steady" the question is about a robot that arrives, of one
type or of another, and is seen at an age s, all others being the settled fleet
(`dynamics.arrived`). What is given away depends on s, and the answer is that of the worst age.

    both types arrive                 a robot that arrives, of the one or of the other
    robots of one of them stay        the robots of the start, as in a fleet without arrivals
    else                              nobody: who left cannot be told, and who arrives has one type

At a time the question is about the robots of the start in any fleet. How probable it is that one
of them is still there then is told beside the answer.
"""

from __future__ import annotations

from collections.abc import Mapping

from covey.dynamics.monomolecular.arriving_robot import linear_form, still_there
from covey.dynamics.solver import Solver
from covey.errors import UnsupportedError
from covey.model.observation.adversary import Moment
from covey.model.scenario import Scenario
from covey.model.species import Species
from covey.model.structure.arrivals import comes, goes, sources
from covey.model.team import Neighbour


def is_open(scenario: Scenario) -> bool:
    """Whether robots of some protected type arrive."""
    return any(comes(scenario.network, name) for name in scenario.protected)


def arriving_types(scenario: Scenario) -> dict[str, Mapping[int, float]]:
    """The types that a robot which arrives may be of, and at which rates they arrive where."""
    network = scenario.network
    found = [name for name in scenario.protected if comes(network, name)]
    return {name: sources(network, name) for name in found} if len(found) > 1 else {}


def staying(scenario: Scenario) -> list[Neighbour]:
    """The neighbours in which a robot that never leaves has another type, or gets one."""
    network = scenario.network
    stay = [t for t in scenario.protected if not (comes(network, t) or goes(network, t))]
    neighbours = scenario.team.neighbours(scenario.protected)
    return [n for n in neighbours if n.from_type in stay or n.to_type in stay]


def nobody(scenario: Scenario) -> UnsupportedError:
    """The refusal where nobody's type can be confused at steady state."""
    (only,) = [name for name in scenario.protected if comes(scenario.network, name)]
    return UnsupportedError(
        "robots come and go: those of the start have left by the steady state, and of the "
        f"protected types only {only} arrives, so that there is nobody to confuse it with. Ask "
        "for a time instead: then the robots of the start are protected"
    )


def check_start(scenario: Scenario, at: Moment, what: str) -> None:
    """`UnsupportedError` where `what` asks about robots of the start that have left by then."""
    if at == "steady" and is_open(scenario):
        raise UnsupportedError(
            "robots come and go: those of the start have left by the steady state, and "
            f"{what} would tell nothing of them. Ask for a time instead; what is given away about "
            "a robot that arrives is told by leakage and profile at steady state"
        )


def outlook(solver: Solver, scenario: Scenario) -> str:
    """Whose type is protected at steady state, or why nobody's, where robots arrive; else empty."""
    if not is_open(scenario):
        return ""
    try:
        types, stay = arriving_types(scenario), staying(scenario)
        if not types and not stay:
            raise nobody(scenario)
        if types:
            linear_form(solver)
    except UnsupportedError as refusal:
        return f"What is given away at steady state is not computed here: {refusal.message}."
    who = " or ".join(types)
    arrives = f"a robot that arrives is protected ({who}), at its worst age" if types else ""
    stays = "robots that stay for ever are protected" if stay else ""
    return f"Robots come and go: at steady state {' and '.join(filter(None, (arrives, stays)))}."


def remaining(solver: Solver, scenario: Scenario, at: Moment) -> dict[str, float]:
    """For each type that leaves: how probably a robot of the start is still there at a time.

    Empty where that is not known, or not asked: at steady state.
    """
    found: dict[str, float] = {}
    for name in scenario.protected:
        place = scenario.initial[name]
        if at != "steady" and isinstance(place, Species) and goes(scenario.network, name):
            there = still_there(solver, scenario.network.index[place], at)
            if there is not None:
                found[name] = there
    return found
