"""What numbers say to the paper's propositions, and to what it takes for granted."""

from __future__ import annotations

import math
from collections.abc import Mapping

from covey.paper.claims import Claim, Criterion, agrees, judge
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
    told = "infinite" if math.isinf(exact) else f"{exact:.4g}"
    return judge(
        _PART, f"{_METHOD}, Proposition 1",
        "under the identity query the leakage at steady state is the formula's",
        f"three types, (6,5,4): the formula gives {index:.4g}, the leakage is {told}",
        Criterion([("the formula's number agrees with the exact leakage", agrees(index, exact))]),
        "The identity query shows how many robots of each type there are, so that no state is "
        "possible for two teams. The formula compares Poisson densities where they do not hold. "
        "`covey index` prints it under a name of its own.",
    )  # fmt: skip


def _linear(value: Mapping[str, float]) -> Claim:
    index, listed, spread = value["formula"], value["formula over states"], value["spread"]
    same = abs(index - listed) <= _ROUNDING * listed
    return judge(
        _PART, f"{_METHOD}, end",
        "the formula is linear in x: integer linear programs find its maximum",
        f"no program is needed: over the states of a team it varies by {spread:.1g}",
        Criterion([("the closed form is the maximum over all states listed", same)]),
        f"{index:.9g} by the closed form, {listed:.9g} over all states. That the formula is the "
        "same for all states of a team is proved in the theory.",
    )  # fmt: skip


def _product_form(value: Mapping[str, float]) -> Claim:
    systems = {k.split(": ")[1]: v for k, v in value.items() if k.startswith("irreducible")}
    mass = value["mass"]
    return judge(
        _PART, f"{_METHOD}, Eq. stationary distribution",
        "the stationary distribution is a product of Poisson densities",
        f"with 1/Z before it: three types, (6,5,4), the densities add up to {mass:.2g}",
        Criterion(
            [("the densities add up to 1 over a team's states", abs(mass - 1) <= _ROUNDING)],
            [("every state of the three systems leads back to the start, as the theorem asks",
              all(systems.values()))],
            "confirmed with a correction",
        ),
        "Robots are conserved, so that a team's states are never all of ℕⁿ: the distribution is "
        "the product divided by its sum over them. Irreducible, for small teams: "
        f"{', '.join(name for name, holds in systems.items() if holds)}.",
    )  # fmt: skip


def _proposition_2(value: Mapping[str, float], draws: int) -> Claim:
    own = [value[f"balanced: {name}"] for name in ("three types", "the figure's")]
    other = value["balanced: two ways"]
    return judge(
        _PART, "Sec. Complex-Balanced Systems, Proposition 2",
        "every collaboration-DAG is complex-balanced",
        f"not where {{1,2,3}} is formed in two ways: {other:.0f} of {draws} random rates",
        Criterion([
            ("the paper's two DAGs are at all rates that are drawn", min(own) == draws),
            ("so is one in which {1,2,3} is formed in two ways", other == draws),
        ]),
        f"At {own[0]:.0f} and {own[1]:.0f} of {draws} random rates the paper's two are. "
        "{1,2,3} from {1,2} + {3} and from {1} + {2,3} has deficiency "
        f"{value['deficiency: two ways']:.0f}. True if every compound has one forming reaction: "
        "the proof takes each linkage class to have a compound of its own, which the definition "
        "does not say.",
    )  # fmt: skip


def _counts(value: Mapping[str, float]) -> Claim:
    found = [value[name] for name in ("linkage classes", "complexes", "rank")]
    states = value["elementary"], value["compound"]
    return judge(
        _PART, "Sec. Complex-Balanced Systems, Fig. collaboration-DAG",
        "4 linkage classes, 8 complexes, rank 4; three elementary and four compound states",
        f"{', '.join(f'{n:.0f}' for n in found)}; {states[0]:.0f} elementary and {states[1]:.0f} "
        "compound states",
        Criterion(
            [("elementary and compound states are three and four", states == (3, 4))],
            [("linkage classes, complexes and rank are 4, 8 and 4", found == [4, 8, 4])],
            "misprint",
        ),
        "The figure has five types, and each has an elementary state.",
    )  # fmt: skip


def _root(value: Mapping[str, float], draws: int) -> Claim:
    one, resting = value["one positive root"], value["root is the equilibrium"]
    return judge(
        _PART, "Sec. Complex-Balanced Systems, Eq. quartic",
        "of the quartic's four solutions one is all-positive: the equilibrium",
        f"so for {resting:.0f} of {draws} random teams and rates",
        Criterion([
            ("one is, for all teams and rates that are drawn", one == draws),
            ("it is the equilibrium", resting == draws),
        ]),
        "Teams have 1 to 300 robots of each type. A complex-balanced network has one equilibrium "
        "in each positive compatibility class.",
    )  # fmt: skip


def _symmetry(value: Mapping[str, float]) -> Claim:
    off = value["swapped"]
    return judge(
        _PART, "Sec. Complex-Balanced Systems, Evaluation",
        "types 1 and 2 are interchangeable",
        f"exchanged, three teams leak the same up to {rounded(off, '.1g', 'up')}",
        Criterion([("with N1 and N2 exchanged the leakage is the same", off <= _ROUNDING)]),
        "The exchange maps the network, its rates, and what is seen of it onto themselves. Rates "
        "1, ν = 1e-5.",
    )  # fmt: skip


def _slower(times: Table) -> Claim:
    ratio, robots = times["ratio"], times["robots"]
    told = ", ".join(f"{r:.1f} × at {n:.0f}" for r, n in zip(ratio, robots, strict=True))
    return judge(
        _PART, f"{_METHOD}, end",
        "the master equation is at least ten times slower than the closed form",
        f"{ratio[-1]:.0f} times, at {robots[-1]:.0f} robots of each type",
        Criterion(
            [("it is for the largest team, nearest to the paper's", bool(ratio[-1] >= 10))],
            failing="underdetermined",
        ),
        f"The chain's steady state takes {told} robots of each type; the fastest of three runs "
        "each. Small chains are solved as fast as the closed form. The paper's teams and solver "
        "are not said, and times are of the machine that took them.",
    )  # fmt: skip
