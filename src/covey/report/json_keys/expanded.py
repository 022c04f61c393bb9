"""A network written out, as the paper writes its own: 𝒜⁽ˢ⁾, K, and where the mean field rests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from covey.dynamics.ctmc.transitions import build
from covey.dynamics.mean_field.equilibrium import equilibrium_point
from covey.dynamics.mean_field.rate_equations import equilibrium
from covey.dynamics.state_space.enumeration import explore
from covey.errors import TooLargeError, UnsupportedError
from covey.model.structure.structure import Structure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from covey.model.scenario import Scenario

MOST_STATES = 20
_EVALUATIONS = 20_000


def expanded_keys(scenario: Scenario) -> dict[str, Any]:
    """Reactions one by one, the states of each type, K of a small chain, and the equilibrium.

    `generator` is null where the team has more than `MOST_STATES` states, and `equilibrium` where
    the mean field comes to no rest.
    """
    network = scenario.network
    return {
        "expanded": str(network.expanded()).split("\n"),
        "type_states": {
            name: [str(one) for one in network.species if name in one.members]
            for name in scenario.team.types
        },
        "generator": _generator(scenario),
        "equilibrium": _equilibrium(scenario),
    }


def _generator(scenario: Scenario) -> dict[str, Any] | None:
    """States by the order of species, and K with K[j][i] the rate from state i to state j."""
    try:
        lattice = explore(scenario.network, scenario.start, max_states=MOST_STATES)
    except TooLargeError:
        return None
    matrix = build(scenario.network, lattice).csr().toarray()
    return {"states": lattice.states.tolist(), "K": matrix.tolist()}


def _equilibrium(scenario: Scenario) -> dict[str, float] | None:
    network, start = scenario.network, scenario.start
    try:
        if Structure(network).complex_balanced:
            point = equilibrium_point(network, start)
        else:
            point = equilibrium(network, start, max_evaluations=_EVALUATIONS)
    except (TooLargeError, UnsupportedError):
        return None
    return dict(zip(map(str, network.species), point.tolist(), strict=True))


def expanded_text(found: Mapping[str, Any]) -> Iterator[str]:
    """The same for people: reactions that read back as the network, and the rest as comments."""
    yield from found["expanded"]
    for name, states in found["type_states"].items():
        yield f"# states of type {name}: {', '.join(states)}"
    chain, rest = found["generator"], found["equilibrium"]
    if chain is None:
        yield f"# K is not shown: the team has more than {MOST_STATES} states"
    else:
        for number, state in enumerate(chain["states"], 1):
            yield f"# state {number}: {' '.join(map(str, state))}"
        for row in chain["K"]:
            yield f"# K: {' '.join(f'{rate:g}' for rate in row)}"
    if rest is None:
        yield "# the mean field comes to no rest"
    else:
        yield f"# mean field at rest: {', '.join(f'{s} = {x:.6g}' for s, x in rest.items())}"
