"""The motivating example: both Markov chains, what is seen of both, and the posterior."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from covey.dynamics.solve import distribution
from covey.model.scenario import Scenario
from covey.paper.claims import TOLERANCE, Claim, Criterion, agrees, judge
from covey.paper.scenarios import shared_resource
from covey.paper.workspace import Array, Part, Table, Workspace
from covey.privacy.inference.posterior import infer
from covey.privacy.snapshot.leakage import leakage
from covey.privacy.snapshot.profile import profile

TEAMS = {"D": (2, 1), "D'": (1, 2)}
SPECIES = ("{A}", "{B}", "{R}", "{A,R}", "{B,R}")  # the paper's order of the state vector
_SEEN = {"free": 2, "busy": 1}
_SECTION = "Sec. Motivating Example"
_PRINTED = {"4κ1", "κ2", "κ1", "2κ2", "2κ3", "κ4", "κ3", "2κ1", "4κ3", "2κ4"}  # in Fig. CTMC

Columns = Mapping[str, Sequence[Any] | Array]


def run(workspace: Workspace) -> Part:
    """The data of the figures, and the claims of the section."""
    settings = {"rates": [3, 1, 1, 1], "resources": 2, "teams": list(TEAMS.values())}
    tables = {
        "chains": workspace.table("motivating-chains", settings, _chains),
        "distributions": workspace.table("motivating-laws", settings, _distributions),
        "numbers": workspace.table("motivating-numbers", settings, _numbers),
    }
    return Part("motivating", tables, _claims(tables))


def _chains() -> Columns:
    """Every transition of both chains: between which states, and at which rate."""
    rows = [(name, *row) for name, team in TEAMS.items() for row in _transitions(team)]
    team, before, after, label, rate = zip(*rows, strict=True)
    return {"team": team, "from": before, "to": after, "label": label, "rate": rate}


def _transitions(team: tuple[int, int]) -> list[tuple[str, str, str, float]]:
    scenario = shared_resource(*team)
    order = [[str(s) for s in scenario.network.species].index(name) for name in SPECIES]
    reach = distribution(scenario, states=True).outcomes
    found = []
    for state in reach:
        for number, reaction in enumerate(scenario.network.reactions, 1):
            ways = _ways(scenario, state.tolist(), number - 1)
            if not ways:
                continue
            after = state.copy()
            for species, change in reaction.change().items():
                after[scenario.network.index[species]] += change
            label = f"{ways if ways > 1 else ''}κ{number}"
            rate = ways * float(scenario.network.rate_constants[number - 1])
            found.append((_name(state[order]), _name(after[order]), label, rate))
    return found


def _ways(scenario: Scenario, state: list[int], reaction: int) -> int:
    """In how many ways robots can be chosen for a reaction."""
    network = scenario.network
    parts = network.reactions[reaction].reactants
    return math.prod(math.perm(state[network.index[s]], n) for s, n in parts)


def _name(state: Array) -> str:
    return " ".join(map(str, state.tolist()))


def _distributions() -> Columns:
    rows = []
    for name, team in TEAMS.items():
        observed = distribution(shared_resource(*team))
        for outcome, p in zip(
            observed.outcomes.tolist(), observed.probabilities.tolist(), strict=True
        ):
            rows.append((name, *outcome, p))
    team_, free, busy, probability = zip(*rows, strict=True)
    return {"team": team_, "free": free, "busy": busy, "probability": probability}


def _numbers() -> Columns:
    scenario = shared_resource()
    pair = {"team": 1.0, "A->B": 1.0, "B->A": 0.0}
    snapshot = infer(scenario, _SEEN, prior=pair).posterior
    inside = infer(scenario, _SEEN, prior=pair, knowing={"{A}": 1, "{B}": 1}).posterior
    leak = leakage(scenario)
    found = {
        "posterior of D after y = (2,1)": snapshot["team"],
        "posterior of D' after y = (2,1)": snapshot["A->B"],
        "busy robot is A, knowing the idle ones": inside["team"],
        "busy robot is B, knowing the idle ones": inside["A->B"],
        "total variation": next(
            p.total_variation for p in profile(scenario).pairs if p.neighbour.about == "A"
        ),
        "leakage of D": leak.value,
        "leakage is at free": float(leak.observation["free"]),
    }
    return {"what": list(found), "value": list(found.values())}


def _claims(tables: Mapping[str, Table]) -> tuple[Claim, ...]:
    number = dict(zip(tables["numbers"]["what"], tables["numbers"]["value"], strict=True))
    return (
        _figure_of_chains(tables["chains"]),
        _figure_of_distributions(tables["distributions"], number),
        *_posteriors(number),
    )


def _figure_of_chains(chains: Table) -> Claim:
    sizes = [len(np.unique(chains.where(team=name)["from"])) for name in TEAMS]
    labels = set(chains["label"].tolist())
    return judge(
        "motivating", f"{_SECTION}, Fig. CTMC",
        "the chains of D and D' have five states each, with rates from κ1 to 4κ3",
        f"{sizes[0]} and {sizes[1]} states, {len(labels & _PRINTED)} of {len(_PRINTED)} labels",
        Criterion([
            ("both chains have five states", sizes == [5, 5]),
            ("the rates at their arrows are those of the figure", labels == _PRINTED),
        ]),
        "State by state: rates count the ways to choose a robot and a resource.",
    )  # fmt: skip


def _figure_of_distributions(distributions: Table, number: Mapping[str, float]) -> Claim:
    told = [
        "; ".join(
            f"{Fraction(p).limit_denominator(100)} at ({f:.0f},{b:.0f})"
            for f, b, p in zip(
                observed["free"], observed["busy"], observed["probability"], strict=True
            )
        )
        for observed in (distributions.where(team=name) for name in TEAMS)
    ]
    apart, leak = number["total variation"], number["leakage of D"]
    return judge(
        "motivating", f"{_SECTION}, Fig. PMF",
        "the observable distributions of D and D' differ significantly",
        f"total variation {apart:.3f}, leakage {leak:.4f} = ln 1.8",
        Criterion([(f"their total variation is above the tolerance of {TOLERANCE:.0%}",
                    apart > TOLERANCE)]),
        f"D: {told[0]}. D': {told[1]}. The leakage of D is at "
        f"({number['leakage is at free']:.0f},0). The figure prints no numbers, and how much is "
        "significant is not said.",
    )  # fmt: skip


def _posteriors(number: Mapping[str, float]) -> tuple[Claim, ...]:
    snapshot = number["posterior of D after y = (2,1)"], number["posterior of D' after y = (2,1)"]
    inside = (
        number["busy robot is A, knowing the idle ones"],
        number["busy robot is B, knowing the idle ones"],
    )
    d, other, a, b = (str(Fraction(p).limit_denominator(100)) for p in (*snapshot, *inside))
    return (
        judge(
            "motivating", f"{_SECTION}, text",
            "after y = (2,1) the more likely database is D'",
            f"D {d} = {snapshot[0]:.4f}, D' {other} = {snapshot[1]:.4f}",
            Criterion([("the posterior of D' is above that of D", snapshot[1] > snapshot[0])]),
            "Bayes' rule, even odds before, as the paper does not say the prior. With prior odds r "
            "of D to D' the posterior odds are 7r to 9.",
        ),
        judge(
            "motivating", f"{_SECTION}, text",
            "knowing that the idle robots are one A and one B, the busy one is A with 0.43, B with "
            "0.57",
            f"the other way round: A with {a} = {inside[0]:.3f}, B with {b} = {inside[1]:.3f}",
            Criterion([("both posteriors with that knowledge agree with 0.43 and 0.57",
                        agrees(inside[0], 0.43) and agrees(inside[1], 0.57))]),
            f"A takes the resource three times as fast. Without that knowledge, y = (2,1) alone "
            f"gives {d} and {other}, which round to {snapshot[0]:.2f} and {snapshot[1]:.2f}. "
            "0.43 and 0.57 may be 3/7 and 4/7, from 0.3 and 0.4 read off the figure of both "
            "distributions. Even odds before are taken.",
        ),
    )  # fmt: skip
