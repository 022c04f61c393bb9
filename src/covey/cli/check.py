"""`covey check`: what kind of network this is, and what can be computed on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from covey.cli.arguments import Request, scenario_verb
from covey.cli.printing import console, print_json, print_title, table

if TYPE_CHECKING:
    from rich.table import Table

    from covey.model.conservation import ConservationLaw
    from covey.model.finding import Finding
    from covey.model.reach import Reach
    from covey.model.scenario import Scenario
    from covey.model.structure import Structure

_MOST_LAWS = 20


@click.command(short_help="What kind of network is it, and what can be computed?")
@scenario_verb
def check(request: Request) -> None:
    """Check a scenario file, and say what its structure means for privacy.

    It counts the states, names what stays the same, and says whether the steady state has a
    closed form, with the reason.
    """
    from covey.model.reach import reach
    from covey.model.structure import Structure

    scenario = request.scenario
    structure = Structure(scenario.network)
    reached = reach(structure, scenario.start.tolist())
    if request.json:
        print_json(_as_json(scenario, structure, reached))
    else:
        _print(scenario, structure, reached)


def _as_json(scenario: Scenario, structure: Structure, reached: Reach) -> dict[str, Any]:
    network = scenario.network
    findings = _findings(structure)
    return {
        "title": scenario.title,
        "species": len(network.species),
        "reactions": len(network.reactions),
        "complexes": len(network.complexes),
        "linkage_classes": len(structure.linkage_classes),
        "strong_linkage_classes": len(structure.strong_linkage_classes),
        "rank": structure.rank,
        "deficiency": structure.deficiency,
        **{name: finding.holds for name, finding in findings.items()},
        "why": {name: finding.why for name, finding in findings.items()} | {"states": reached.why},
        "balanced_point": _balanced_point(structure),
        "conservation_laws": [law_in_words(law, scenario) for law in structure.laws],
        "finite": reached.finite,
        "states": reached.states,
        "species_names": [str(species) for species in network.species],
        "warnings": [str(warning) for warning in scenario.cautions],
    }


def _balanced_point(structure: Structure) -> dict[str, float] | None:
    """A positive c with A ψ(c) = 0, for each species; None where there is none."""
    if not structure.complex_balanced:
        return None
    import numpy as np

    with np.errstate(over="ignore", under="ignore"):
        c = np.exp(structure.balanced_point.log_c).tolist()
    return dict(zip(map(str, structure.network.species), c, strict=True))


def _findings(structure: Structure) -> dict[str, Finding]:
    return {
        "weakly_reversible": structure.weakly_reversible,
        "complex_balanced": structure.complex_balanced,
        "collaboration_dag": structure.collaboration_dag,
    }


def law_in_words(law: ConservationLaw, scenario: Scenario) -> str:
    """A law as a person says it: `robots of type A: {A} + {A,R}`."""
    if law.member in scenario.team.types:
        return f"robots of type {law.member}: {law}"
    if law.member in scenario.team.resources:
        return f"resource {law.member}: {law}"
    return f"constant: {law}"


def _print(scenario: Scenario, structure: Structure, reached: Reach) -> None:
    out = console()
    print_title(out, scenario)
    out.print(f"team: {str(scenario.team) or 'no robots of any type'}")
    out.print(f"seen: {scenario.query}\n")
    out.print(_counts_table(structure, reached))
    out.print()
    out.print(_findings_table(structure))
    out.print("\nwhat stays the same")
    for law in structure.laws[:_MOST_LAWS]:
        out.print(f"  {law_in_words(law, scenario)}")
    hidden = len(structure.laws) - _MOST_LAWS
    if hidden > 0:
        out.print(f"  and {hidden} more (--json has them all)")
    if not structure.laws:
        out.print("  nothing: robots come and go")
    out.print()
    for sentence in meaning(structure, reached):
        out.print(f"→ {sentence}")


def _counts_table(structure: Structure, reached: Reach) -> Table:
    network = structure.network
    rows = table("structure", "", "what it is")
    states = "?" if reached.states is None else f"{reached.states:,}"
    if reached.finite is False:
        states = "∞"
    for row in (
        ("species", len(network.species), "places a robot can be in, alone or with others"),
        ("reactions", len(network.reactions), "ways in which they change (each direction counts)"),
        ("complexes", len(network.complexes), "left and right sides of reactions"),
        ("linkage classes", len(structure.linkage_classes), "groups of connected complexes"),
        ("rank", structure.rank, "independent directions in which the team can change"),
        ("deficiency", structure.deficiency, "complexes − linkage classes − rank"),
        ("states", states, reached.why),
    ):
        rows.add_row(*map(str, row))
    return rows


def _findings_table(structure: Structure) -> Table:
    rows = table("finding", "", "why")
    for name, finding in _findings(structure).items():
        answer = ("yes", "green") if finding else ("no", "yellow")
        rows.add_row(name.replace("_", " "), _styled(*answer), finding.why)
    return rows


def _styled(text: str, style: str) -> Any:
    from rich.text import Text

    return Text(text, style=style)


def meaning(structure: Structure, reached: Reach) -> list[str]:
    """What the findings mean for somebody who wants to know what leaks."""
    network = structure.network
    repeated = any(n > 1 for r in network.reactions for _, n in r.reactants)
    if not structure.complex_balanced:
        steady = (
            "No closed form: the steady state is computed from the Markov chain, state by state."
        )
    elif network.kinetics == "power" and repeated:
        steady = (
            "Complex-balanced, but power kinetics with a repeated reactant has no closed form: "
            "the steady state is computed from the Markov chain."
        )
    else:
        steady = (
            "Closed form available: the steady state is exact without a Markov chain, "
            "also for teams of hundreds or thousands."
        )
    if reached.finite is False:
        size = (
            "Infinitely many states: at a time, the probabilities come with a rigorous bound "
            "on what was left out."
        )
    elif reached.states is None:
        many = "Finitely many states" if reached.finite else "Perhaps infinitely many states"
        size = f"{many}, {reached.why}: exploring them shows whether they fit in memory."
    else:
        states = "1 state" if reached.states == 1 else f"{reached.states:,} states"
        size = f"A snapshot at a time needs the Markov chain on {states}."
    return [steady, size]
