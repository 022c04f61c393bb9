"""What numbers say to the paper's words on its model, on privacy, and on methods."""

from __future__ import annotations

from collections.abc import Mapping

from covey.paper.authors import PROJECTED as PUBLISHED
from covey.paper.claims import Claim, Criterion, agrees, judge
from covey.paper.theory.foundations import (
    LEFT_OUT,
    LOGGED,
    PROJECTED,
    REPEATED,
    ROBOTS,
    SAMPLES,
    TIGHT,
)
from covey.paper.workspace import Table
from covey.words import rounded

_PART = "theory"
_MODEL = "Sec. Model of Networked Robotic System"
_PRIVACY = "Sec. Differentially Private Robot Networks"
_METHOD = "Sec. Method, General Mechanisms"
_ROUNDING = 1e-9  # numbers that should be the same differ by no more

Value = Mapping[str, float]


def claims(table: Table, draws: int) -> tuple[Claim, ...]:
    """One for each statement; `draws` teams and rates were tried."""
    value = dict(zip(table["what"].tolist(), table["value"].tolist(), strict=True))
    return (
        _linear(value),
        _poisson(value),
        _calibration(value),
        _mass_action(value),
        _admits(value, draws),
        _stable(value, draws),
        _globally(value),
        _local(value),
        _side_information(value),
        _inferred(value),
        _corollary(value),
        _matrix(value),
        _paths(value),
        _projection(value),
        _tasks(value, draws),
    )


def _linear(value: Value) -> Claim:
    lone, species = value["lone complexes"], value["lone species"]
    return judge(
        _PART, f"{_MODEL}, System Dynamics",
        "where agents do not interact each state is a complex, and dynamics are linear",
        f"a cycle of {species:.0f} states has {lone:.0f} complexes of one state",
        Criterion([("lone robots have as many complexes of one state as states", lone == species)]),
        "Then M is the identity and ψ(x) = x, by definition.",
    )  # fmt: skip


def _poisson(value: Value) -> Claim:
    one, every = (value[f"spread of transitions, {which}"] for which in ("one way", "all"))
    return judge(
        _PART, f"{_MODEL}, Continuous-Time Markov Chain",
        "the number of transitions between two neighbouring states is Poisson distributed",
        f"all firings at a constant rate are; one way, variance over mean is {one:.2f}",
        Criterion(
            [("in a chain of two states the variance of the jumps one way agrees with their mean",
              agrees(one, 1.0))],
            [("that of all its jumps does", agrees(every, 1.0))],
            "confirmed with a correction",
        ),
        "Before the next transition the same way the chain has to come back. What is Poisson is "
        "how often a reaction fires while its rate stays the same. Both rates 1, time 10.",
    )  # fmt: skip


def _calibration(value: Value) -> Claim:
    off = value["rates from a log"]
    return judge(
        _PART, f"{_MODEL}, Continuous-Time Markov Chain",
        "rate constants can be calibrated by observing the number of transitions",
        f"four fitted rates are off by at most {rounded(off, '.2%', 'up')}",
        Criterion([("rates fitted to a simulated log agree with the simulation's",
                    agrees(1 + off, 1.0))]),
        f"The motivating example, from a log of {LOGGED:,.0f} units of time; how long to observe "
        "is not said. A rate is events over the chances for them: its maximum likelihood.",
    )  # fmt: skip


def _mass_action(value: Value) -> Claim:
    falling, power = (value[f"{kind} against the product form"] for kind in ("falling", "power"))
    return judge(
        _PART, f"{_MODEL}, Reaction set",
        "rates are κ ∏ x^ρ, with which the stationary distribution is of product form",
        f"with x(x − 1)… in place of x^ρ; as printed, ln p is off by {power:.2g}",
        Criterion(
            [("with x^ρ as printed the chain has the product form", power <= _ROUNDING)],
            [("with x(x − 1)… it has", falling <= _ROUNDING)],
            "confirmed with a correction",
        ),
        f"{REPEATED}, {ROBOTS} robots: with the falling factorial ln p differs by at most "
        f"{rounded(falling, '.1g', 'up')}. A robot does not meet itself. Where no complex has two "
        "robots of one state, as in the paper's own studies, both are the same.",
    )  # fmt: skip


def _admits(value: Value, draws: int) -> Claim:
    off, zero = value["balance at the equilibrium"], value["tasks at zero"]
    return judge(
        _PART, "Sec. Complex-Balanced Mechanisms, Lemma 1",
        "a system that admits A ψ(x̄) = 0 is complex-balanced",
        "with x̄ > 0: x̄ = 0 solves it for every network",
        Criterion(
            [("the task network, which is not complex-balanced, admits no x̄", zero > 0)],
            [("the first case study's positive equilibrium has A ψ(x̄) = 0, at all teams and rates "
              "drawn", off <= _ROUNDING)],
            "confirmed with a correction",
        ),
        f"Of {draws} random teams and rates the first case study leaves at most "
        f"{rounded(off, '.1g', 'up')} of its flows. At x̄ = 0 the task network leaves {zero:.1g}: "
        "without robots nothing flows.",
    )  # fmt: skip


def _stable(value: Value, draws: int) -> Claim:
    return judge(
        _PART, "Sec. Complex-Balanced Mechanisms, Lemma 1",
        "equilibria of complex-balanced systems are locally asymptotically stable",
        f"so at {value['stable']:.0f} of {draws} random teams and rates",
        Criterion([("every eigenvalue but the conserved ones has a negative real part",
                    value["stable"] == draws)]),
        "The first case study. A theorem that the paper quotes; that there is one equilibrium is "
        "the row of the quartic.",
    )  # fmt: skip


def _globally(value: Value) -> Claim:
    deficiency, off = value["motivating deficiency"], value["motivating ends"]
    return judge(
        _PART, "Sec. Motivating Example, footnote",
        "the motivating example has a unique, globally stable positive equilibrium",
        f"from all five states it ends within {rounded(off, '.1g', 'up')} of it",
        Criterion([
            ("it is weakly reversible and of deficiency zero, as the theorem asks",
             bool(value["motivating reversible"]) and deficiency == 0),
            ("from every state of D the mean field ends where that is", agrees(1 + off, 1.0)),
        ]),
        f"Deficiency {deficiency:.0f}. A theorem that the paper quotes; five beginnings do not "
        "prove all.",
    )  # fmt: skip


def _local(value: Value) -> Claim:
    ours, theirs = value["leakage of D"], value["leakage of D'"]
    pair = value["D against D'"], value["D' against D"]
    return judge(
        _PART, _PRIVACY,
        "the condition of differential privacy does not depend on the database itself",
        f"true of the condition; ℒ(D) is local: {ours:.3f} for D, {theirs:.3f} for D'",
        Criterion(
            [("the leakage of D agrees with that of D'", agrees(ours, theirs))],
            [("the condition on a pair is the same from either side",
              abs(pair[0] - pair[1]) <= _ROUNDING)],
            "confirmed with a correction",
        ),
        "Differential privacy is asked of all databases at once. ℒ(D) takes the maximum over the "
        "neighbours of one: it promises nothing for another team. Between D = (2 A, 1 B) and D' = "
        f"(1 A, 2 B) the condition is {pair[0]:.4f} from either side.",
    )  # fmt: skip


def _side_information(value: Value) -> Claim:
    leak, turned = value["leakage of D"], value["turned by priors"]
    known = value["belief in D, both idle being A"]
    return judge(
        _PART, _PRIVACY,
        "privacy is preserved whatever the side information, a prior over databases",
        f"log-odds move by at most {rounded(turned, '.3f', 'up')}, and ℒ(D) = {leak:.3f}",
        Criterion([("with any prior, what is seen changes the odds of D by at most exp ℒ(D)",
                    turned <= leak + _ROUNDING)]),
        "Knowing part of the *state* is not covered: who knows that both idle robots are A "
        f"believes in D with {known:.4f}. That is another query, with a leakage of its own.",
    )  # fmt: skip


def _inferred(value: Value) -> Claim:
    alike, mixed = value["belief in D, both idle being A"], value["belief in D, one of each idle"]
    return judge(
        _PART, "Sec. Motivating Example, text",
        "in the worst case, knowing the types of both idle robots, the third's can be inferred",
        "certain if both are A; with one of each chances are left",
        Criterion([("with both idle robots of type A there is no doubt", alike == 1)]),
        f"Between D and D', even odds before: D with {alike:.4f} if both are A, with {mixed:.4f} "
        "if one is A and one B. Two A are possible in D alone, which makes the third B.",
    )  # fmt: skip


def _corollary(value: Value) -> Claim:
    chain, closed, printed = (
        value[name] for name in ("by the chain", "by the product form", "as printed")
    )
    return judge(
        _PART, "Sec. Complex-Balanced Mechanisms, Corollary 1",
        "under a query of sums the leakage is that of the summed densities",
        f"with 1/Z: {closed:.4f}, as the chain has; as printed {printed:.4f}",
        Criterion(
            [("with the densities as printed it is the chain's", agrees(printed, chain))],
            [("with densities divided by their sum it is", abs(closed - chain) <= _ROUNDING)],
            "confirmed with a correction",
        ),
        f"Motivating example, {chain:.6f} by the chain. A team's densities do not add up to 1, nor "
        "to the same for its neighbours: the ratio of both sums is missing.",
    )  # fmt: skip


def _matrix(value: Value) -> Claim:
    rows, sorted_ = value["rows of M"], value["rows of M in any order"]
    return judge(
        _PART, "Sec. Complex-Balanced Systems, Eq. of the steady state",
        "the matrix M of the first case study, in the order of its state vector",
        f"{rows:.0f} of 5 rows; those of {{3}} and {{1,2}} are exchanged",
        Criterion(
            [("all five rows are those of the reactions", rows == 5)],
            [("they are in another order", sorted_ == 5)],
            "misprint",
        ),
        "Nothing that follows depends on it. The text also defines M and K by their transposes; "
        "the dynamics and every number here are of the reactions.",
    )  # fmt: skip


def _paths(value: Value) -> Claim:
    paths, chain = value["error of paths"], value["error of the chain"]
    return judge(
        _PART, _METHOD,
        "the master equation is more precise than stochastic simulation",
        f"off by {chain:.1g}; {SAMPLES:,} paths by {paths:.2g}",
        Criterion([("it is nearer to the leakage of the motivating example, ln 1.8",
                    chain < paths)]),
        "A path tells nothing of what it does not show, and the worst outcome is a rare one. The "
        "number of paths is not said.",
    )  # fmt: skip


def _projection(value: Value) -> Claim:
    def at(name: str, nu: float) -> tuple[float, float]:
        return value[f"{name} at {nu:g}"], value[f"whole at {nu:g}"]

    told = ", ".join(
        "{:.4g} for {:.4g} at ν = {:g}".format(*at("projected", nu), nu) for nu in PROJECTED
    )
    theirs = ", ".join(f"{a:.3g} for {b:.3g} at ν = {nu:g}" for nu, (a, b) in PUBLISHED.items())
    figure, *_, least = PROJECTED
    return judge(
        _PART, _METHOD,
        "finite state projection approximates the solution",
        f"the leakage, too, where its tolerance is ≪ ν: {PUBLISHED[figure][0]:.4f} for "
        f"{PUBLISHED[figure][1]:.4f} in the authors' figure, {PUBLISHED[least][0]:.1f} for "
        f"{PUBLISHED[least][1]:.1f} at ν = {least:g}",
        Criterion(
            [(f"with a tolerance of {LEFT_OUT:.0%} the leakage agrees at ν = {nu:g}",
              agrees(*at("projected", nu))) for nu in PROJECTED],
            [(f"with one of {TIGHT:g} it does at all three",
              all(agrees(*at("tight", nu)) for nu in PROJECTED)),
             (f"the authors' own agrees at the figure's ν = {figure:g}",
              agrees(*PUBLISHED[figure]))],
            "confirmed with a correction",
        ),
        f"covey's own projection, task network, (6,6,6), abandoned at rates (1, 0.2, 2), tolerance "
        f"{LEFT_OUT:.0%}: {told}. The authors', (10,10,10), for covey's with every state: "
        f"{theirs}. An outcome that is left out for one team and kept for another looks as if it "
        "told them apart, once ν is below what was left out. The paper does not say its "
        "tolerance; 1% is in the authors' code.",
    )  # fmt: skip


def _tasks(value: Value, draws: int) -> Claim:
    balanced, apart = value["tasks balanced"], value["tasks reordered"]
    return judge(
        _PART, "Sec. General Mechanisms",
        "the task network is not complex-balanced, and its three types are exchangeable",
        f"balanced at {balanced:.0f} of {draws} random rates; orders of (3,2,1) differ by "
        f"{apart:.1g}",
        Criterion([
            ("it is complex-balanced at no rates that are drawn", balanced == 0),
            ("the leakage of a team is the same in any order of its counts", apart <= _ROUNDING),
        ]),
        "Tasks are completed one way only: the network is not weakly reversible. Rates 1 and ν = "
        "1e-5 for the orders.",
    )  # fmt: skip
