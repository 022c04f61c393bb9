"""What numbers say to the paper's propositions, and to what it takes for granted."""

from __future__ import annotations

import math
from collections.abc import Mapping

from covey.paper.claims import Claim, agrees, judge
from covey.paper.workspace import Table
from covey.words import rounded

_PART = "theory"
_METHOD = "Sec. Complex-Balanced Mechanisms"
_ROUNDING = 1e-9  # numbers that should be the same differ by no more


def claims(tables: Mapping[str, Table], draws: int) -> tuple[Claim, ...]:
    """One for each statement; `draws` rates, or teams and rates, were tried."""
    numbers = tables["numbers"]
    value = dict(zip(numbers["what"].tolist(), numbers["value"].tolist(), strict=True))
    return (
        _proposition_1(value),
        _linear(value),
        _product_form(value),
        _proposition_2(value, draws),
        _counts(value),
        _root(value, draws),
        _symmetry(value),
        _slower(tables["times"]),
    )


def _proposition_1(value: Mapping[str, float]) -> Claim:
    exact, index = value["leakage"], value["formula"]
    return judge(
        _PART, f"{_METHOD}, Proposition 1",
        "under the identity query the leakage at steady state is the formula's",
        [("the formula's number agrees with the exact leakage", agrees(index, exact))],
        f"three types, (6,5,4): the formula gives {index:.6g}, the exact leakage is "
        f"{'infinite' if math.isinf(exact) else f'{exact:.6g}'}",
        "the identity query shows how many robots of each type there are, so that no state is "
        "possible for two teams. The formula compares Poisson densities where they do not hold",
    )  # fmt: skip


def _linear(value: Mapping[str, float]) -> Claim:
    index, listed, spread = value["formula"], value["formula over states"], value["spread"]
    same = abs(index - listed) <= _ROUNDING * listed
    return judge(
        _PART, f"{_METHOD}, end",
        "the formula is linear in x, and its maximum can be found by integer linear programs",
        [
            ("the closed form and the maximum over all states listed are the same number", same),
        ],
        f"{index:.9g} by the closed form, {listed:.9g} over all states; over the states of one "
        f"team the formula varies by {spread:.1g}",
        "true, and more than that: it is the same for all states of a team, and no program is "
        "needed (proved in the theory)",
    )  # fmt: skip


def _product_form(value: Mapping[str, float]) -> Claim:
    systems = {k.split(": ")[1]: v for k, v in value.items() if k.startswith("irreducible")}
    mass = value["mass"]
    told = ", ".join(f"{name}: {'yes' if holds else 'no'}" for name, holds in systems.items())
    return judge(
        _PART, f"{_METHOD}, Eq. stationary distribution",
        "where the system is irreducible, the stationary distribution is a product of Poisson "
        "densities",
        [
            (
                "every state of the three systems, for small teams, leads back to the start",
                all(systems.values()),
            ),
            ("the densities add up to 1 over the team's states", abs(mass - 1) <= _ROUNDING),
        ],
        f"irreducible: {told}. Over the states of three types, (6,5,4), the densities add up to "
        f"{mass:.4g}",
        "the distribution is the product divided by that sum: robots are conserved, so that a "
        "team's states "
        "are never all of ℕⁿ",
    )  # fmt: skip


def _proposition_2(value: Mapping[str, float], draws: int) -> Claim:
    own = [value[f"balanced: {name}"] for name in ("three types", "the figure's")]
    other = value["balanced: two ways"]
    return judge(
        _PART, "Sec. Complex-Balanced Systems, Proposition 2",
        "every collaboration-DAG is complex-balanced",
        [
            ("the paper's two are at all rates that are drawn", min(own) == draws),
            ("so is one in which {1,2,3} is formed in two ways", other == draws),
        ],
        f"of {draws} random rates: three types {own[0]:.0f}, the figure's DAG {own[1]:.0f}, "
        f"{{1,2,3}} from {{1,2}} + {{3}} and from {{1}} + {{2,3}} {other:.0f}; the last has "
        f"deficiency {value['deficiency: two ways']:.0f}",
        "true if every compound has exactly one forming reaction. The proof takes each linkage "
        "class to have a compound of its own, which the definition does not say",
    )  # fmt: skip


def _counts(value: Mapping[str, float]) -> Claim:
    names = ("linkage classes", "complexes", "rank")
    found = [value[name] for name in names]
    states = value["elementary"], value["compound"]
    return judge(
        _PART, "Sec. Complex-Balanced Systems, Fig. collaboration-DAG",
        "4 linkage classes, 8 complexes and rank 4; three elementary and four compound states",
        [
            ("linkage classes, complexes and rank are 4, 8 and 4", found == [4, 8, 4]),
            ("elementary and compound states are three and four", states == (3, 4)),
        ],
        ", ".join(f"{name}: {value[name]:.0f}" for name in names)
        + f"; {states[0]:.0f} elementary and {states[1]:.0f} compound states",
        "the figure has five types, and each has an elementary state",
    )  # fmt: skip


def _root(value: Mapping[str, float], draws: int) -> Claim:
    return judge(
        _PART, "Sec. Complex-Balanced Systems, Eq. quartic",
        "of the four solutions of the quartic only one is all-positive: the equilibrium",
        [
            ("one is, for all teams and rates that are drawn", value["one positive root"] == draws),
            ("it is the equilibrium", value["root is the equilibrium"] == draws),
        ],
        f"exactly one all-positive solution for {value['one positive root']:.0f} of {draws} random "
        "teams, of 1 to 300 robots of each type, and rates; the equilibrium for "
        f"{value['root is the equilibrium']:.0f}",
        "a complex-balanced network has one equilibrium in each positive compatibility class",
    )  # fmt: skip


def _symmetry(value: Mapping[str, float]) -> Claim:
    return judge(
        _PART, "Sec. Complex-Balanced Systems, Evaluation",
        "types 1 and 2 are interchangeable: topology and equations stay the same",
        [
            (
                "the leakage of teams with N1 and N2 exchanged is the same number",
                value["swapped"] <= _ROUNDING,
            )
        ],
        f"it differs by at most {rounded(value['swapped'], '.1g', 'up')} between three teams and "
        "their mirror images",
        "the exchange maps the network, its rates, and what is seen of it onto themselves",
        "rates 1, ν = 1e-5",
    )  # fmt: skip


def _slower(times: Table) -> Claim:
    ratio, robots = times["ratio"], times["robots"]
    told = ", ".join(f"{r:.1f} × at {n:.0f}" for r, n in zip(ratio, robots, strict=True))
    return judge(
        _PART, f"{_METHOD}, end",
        "the Chemical Master Equation is at least one order of magnitude slower than the closed "
        "form",
        [
            ("it takes at least ten times as long for the largest team", bool(ratio[-1] >= 10)),
            ("so it does for every team", bool(ratio.min() >= 10)),
        ],
        f"the chain's steady state takes {told} robots of each type; the fastest of three runs "
        "each",
        "the closed form gains with the team: small chains are solved as fast. covey's solver of "
        "chains is not the authors', and the times are of the machine that computed them",
        "the teams are not said; three types with all rates 1 are taken",
    )  # fmt: skip
