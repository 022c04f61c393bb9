"""`covey check`: what kind of network this is, and what can be computed on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from covey.cli.options.arguments import Request, computing_verb
from covey.cli.printing import console, print_json, print_title, table
from covey.cli.streams import say

if TYPE_CHECKING:
    from rich.table import Table

    from covey.dynamics.mean_counts import Means
    from covey.dynamics.methods.method import Plan
    from covey.dynamics.solver import Solver
    from covey.model.scenario import Scenario
    from covey.model.structure.conservation import ConservationLaw
    from covey.model.structure.finding import Finding
    from covey.model.structure.reachability import Reach
    from covey.model.structure.structure import Structure

_MOST_LAWS = 20
_SOME_TIME = 1.0  # plans are the same for all times


@click.command(short_help="What kind of network is it, and what can be computed?")
@click.option(
    "--expanded",
    is_flag=True,
    help="Print the reactions instead, every one by itself, and what the paper writes out of a "
    "system: the states of each type, K of a small chain, the mean field at rest.",
)
@computing_verb()
def check(request: Request, expanded: bool) -> None:
    """Check a scenario file, and say what its structure means for privacy.

    It counts the states, names what stays the same, and says how the distributions of this team and
    of its neighbours will be computed, or why they cannot be. Last it says how many of what is seen
    there are on average: where that is not what you know of your team, a rate is wrong.

    A family, such as {$i} <-> w{$i} @ a, b for i in types, is a line for many reactions;
    --expanded shows them. The text reads back as the same network: the rest of it is comments.
    """
    from covey.dynamics.solver import Solver

    plain: dict[str, Any] = {}
    if expanded:
        from covey.report.json_keys.expanded import expanded_keys, expanded_text

        plain = expanded_keys(request.scenario)
        if not request.json:
            say("\n".join(expanded_text(plain)), lines=True)
            return
    found = _Found.of(request.scenario, Solver(request.scenario.network, request.limits))
    if request.json:
        print_json(_as_json(request.scenario, found) | plain)
    else:
        _print(request.scenario, found)


@dataclass(frozen=True)
class _Found:
    """What is known of the wiring and of what will be computed, and what is quickly computed."""

    structure: Structure
    reached: Reach
    steady: list[Plan]  # of the team, then of its neighbours
    at_a_time: list[Plan]
    outlook: str  # on whom is protected at steady state, where robots come and go
    means: Means  # of what is seen when the adversary looks

    @classmethod
    def of(cls, scenario: Scenario, solver: Solver) -> _Found:
        from covey.dynamics.mean_counts import means
        from covey.model.structure.reachability import reach
        from covey.privacy.snapshot.arriving import outlook
        from covey.privacy.snapshot.output_distributions import plans_of

        at = scenario.adversary.at
        return cls(
            solver.structure,
            reach(solver.phases[-1].structure, scenario.start.tolist()),
            plans_of(solver, scenario, "steady"),
            plans_of(solver, scenario, _SOME_TIME if at == "steady" else at),
            outlook(solver, scenario) if len(scenario.protected) > 1 else "",
            means(solver, scenario.start, at, scenario.query),
        )


def _as_json(scenario: Scenario, found: _Found) -> dict[str, Any]:
    network, structure, reached = scenario.network, found.structure, found.reached
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
        "conservation_laws": [law_in_words(law, scenario) for law in structure.conservation_laws],
        "finite": reached.finite,
        "states": reached.states,
        "come_and_go": found.outlook or None,
        "means": found.means.keys(),
        "plans": {"steady": _plan(found.steady), "time": _plan(found.at_a_time)},
        "species_names": [str(species) for species in network.species],
        "reaction_names": [reaction.name for reaction in network.reactions],
        "control": {name: rule.table() for name, rule in network.control.items()},
        "warnings": [str(warning) for warning in scenario.cautions],
    }


def _plan(plans: list[Plan]) -> dict[str, Any]:
    """The plan that promises least."""
    from covey.dynamics.planner import hardest

    plan = hardest(plans)
    return {
        "method": plan.method,
        "certain": plan.certain,
        "why": plan.why,
        "states": plan.states,
        "tolerance": plan.tolerance,
    }


def _balanced_point(structure: Structure) -> dict[str, float] | None:
    """A positive c with A ψ(c) = 0, for each species; None where there is none."""
    if not structure.complex_balanced or structure.network.timetable:
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
        "mass_action": structure.mass_action,
    }


def law_in_words(law: ConservationLaw, scenario: Scenario) -> str:
    """A law as a person says it: `robots of type A: {A} + {A,R}`."""
    if law.member in scenario.team.types:
        return f"robots of type {law.member}: {law}"
    if law.member in scenario.team.resources:
        return f"resource {law.member}: {law}"
    return f"constant: {law}"


def _print(scenario: Scenario, found: _Found) -> None:
    out = console()
    structure, reached = found.structure, found.reached
    print_title(out, scenario)
    out.print(f"team: {str(scenario.team) or 'no robots of any type'}")
    out.print(f"seen: {scenario.query}")
    for name, rule in scenario.network.control.items():
        out.print(f"control: {name} at {rule}")
    for species, stages in scenario.network.stages.items():
        out.print(f"in stages: {species} lasts for {len(stages)}, which nobody sees")
    if scenario.network.timetable:
        out.print(f"timetable: {scenario.network.timetable}")
    out.print()
    out.print(_counts_table(structure, reached))
    out.print()
    out.print(_findings_table(structure))
    out.print("\nwhat stays the same")
    for law in structure.conservation_laws[:_MOST_LAWS]:
        out.print(f"  {law_in_words(law, scenario)}")
    hidden = len(structure.conservation_laws) - _MOST_LAWS
    if hidden > 0:
        out.print(f"  and {hidden} more (--json has them all)")
    if not structure.conservation_laws:
        out.print("  nothing: robots come and go")
    out.print()
    plans = steadily(found.steady), momentarily(found.at_a_time)
    for sentence in filter(None, (*plans, found.outlook, found.means.sentence(scenario.unit))):
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
        if name == "mass_action" and finding:
            continue  # as usual
        answer = ("yes", "green") if finding else ("no", "yellow")
        rows.add_row(name.replace("_", " "), _styled(*answer), finding.why)
    return rows


def _styled(text: str, style: str) -> Any:
    from rich.text import Text

    return Text(text, style=style)


_PARTLY = "on the states that carry the probability, with a rigorous bound on what was left out"


def steadily(plans: list[Plan]) -> str:
    """How the steady states of a team and its neighbours will be computed, in a sentence."""
    from covey.dynamics.planner import hardest

    plan = hardest(plans)
    if plan.method == "product-form":
        fits = "" if plan.certain else ", if the tables that it takes fit in memory"
        if plan.tolerance:
            return (
                "Closed form: the steady state without a Markov chain, for all but "
                f"{plan.tolerance:.2g} of the probability{fits}. Every outcome would take too long."
            )
        comma = "," if plan.certain else ""
        return f"Closed form: the steady state is exact{comma} without a Markov chain{fits}."
    if plan.method != "stationary":
        return _not_on_all_states("The steady state", plan)
    way = f"the steady state is computed from the Markov chain{_on(plan, plans[0])}"
    no_closed_form, _, reason = plan.why.partition(": ")
    if no_closed_form == "no closed form":
        return f"No closed form: {way} ({reason})."
    return f"{way[0].upper()}{way[1:]} ({plan.why})."


def momentarily(plans: list[Plan]) -> str:
    """How snapshots at a time will be computed, in a sentence."""
    from covey.dynamics.planner import hardest

    plan = hardest(plans)
    if plan.method != "transient":
        return _not_on_all_states("A snapshot at a time", plan)
    return f"A snapshot at a time needs the Markov chain{_on(plan, plans[0])}."


def _not_on_all_states(what: str, plan: Plan) -> str:
    if plan.method is None:
        return f"{what} cannot be had here: {plan.why}."
    if plan.method == "timetable":
        return f"{what} is computed from the Markov chain, phase after phase{_on(plan, plan)}."
    way = "had without a Markov chain" if plan.method == "linear" else f"computed {_PARTLY}"
    return f"{what} is {way} ({plan.why})."


def _on(plan: Plan, team: Plan) -> str:
    """On how many states, as far as that is known, and whose they are."""
    if plan.states is None:
        return " on all states, and exploring them shows whether they fit in memory"
    many = " on 1 state" if plan.states == 1 else f" on {plan.states:,} states"
    if team.states in (None, plan.states):
        return many
    return f"{many} for the largest neighbour, on {team.states:,} for the team"
