"""What numbers say to the paper's words on its model, on privacy, and on methods."""

from __future__ import annotations

from collections.abc import Mapping

from covey.paper.authors import PROJECTED as PUBLISHED
from covey.paper.claims import Claim, agrees, judge
from covey.paper.theory.foundations import LEFT_OUT, LOGGED, PROJECTED, REPEATED, ROBOTS, SAMPLES
from covey.paper.workspace import Table
from covey.words import rounded

_PART = "theory"
_MODEL = "Sec. Model of Networked Robotic System"
_PRIVACY = "Sec. Differentially Private Robot Networks"
_METHOD = "Sec. Method, General Mechanisms"
_ROUNDING = 1e-9  # numbers that should be the same differ by no more


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


def _linear(value: Mapping[str, float]) -> Claim:
    lone, species = value["lone complexes"], value["lone species"]
    return judge(
        _PART, f"{_MODEL}, System Dynamics",
        "where agents do not interact each state is a complex, and the dynamics are linear",
        [("lone robots have as many complexes of one state as they have states", lone == species)],
        f"{lone:.0f} complexes of one state, {species:.0f} states, in a cycle of three states",
        "then M is the identity and ψ(x) = x, by definition",
    )  # fmt: skip


def _poisson(value: Mapping[str, float]) -> Claim:
    spread = value["spread of transitions"]
    return judge(
        _PART, f"{_MODEL}, Continuous-Time Markov Chain",
        "the number of transitions between two neighbouring states is Poisson distributed",
        [("the variance of that number agrees with its mean, in a chain of two states",
          agrees(spread, 1.0))],
        f"variance over mean is {spread:.4f} over a time of 10, both rates being 1",
        "before the next transition the chain has to come back. All jumps of that chain are "
        "Poisson, those from one state to the other are every second of them",
    )  # fmt: skip


def _calibration(value: Mapping[str, float]) -> Claim:
    off = value["rates from a log"]
    return judge(
        _PART, f"{_MODEL}, Continuous-Time Markov Chain",
        "rate constants can be calibrated by observing the number of transitions",
        [("rates fitted to a simulated log agree with those of the simulation",
          agrees(1 + off, 1.0))],
        "the four rates of the motivating example are off by at most "
        f"{rounded(off, '.2%', 'up')}, from a log of "
        f"{LOGGED:,.0f} units of time",
        "a rate is estimated by events over the chances for them, which is its maximum likelihood",
        "how long to observe is not said",
    )  # fmt: skip


def _mass_action(value: Mapping[str, float]) -> Claim:
    falling, power = (value[f"{kind} against the product form"] for kind in ("falling", "power"))
    return judge(
        _PART, f"{_MODEL}, Reaction set",
        "rates are mass-action, κ ∏ x^ρ, with which the stationary distribution is of product form",
        [
            ("with x(x − 1)… in place of x^ρ the chain has the distribution of the product form",
             falling <= _ROUNDING),
            ("with x^ρ as printed it has it, too", power <= _ROUNDING),
        ],
        f"{REPEATED}, {ROBOTS} robots: ln p differs from the product form by at most "
        f"{rounded(falling, '.1g', 'up')}, and by {power:.3g} with x^ρ",
        "a robot does not meet itself. Where no complex has two robots of one state, as in the "
        "paper's own studies, both are the same",
    )  # fmt: skip


def _admits(value: Mapping[str, float], draws: int) -> Claim:
    off, zero = value["balance at the equilibrium"], value["tasks at zero"]
    return judge(
        _PART, "Sec. Complex-Balanced Mechanisms, Lemma 1",
        "a system that admits A ψ(x̄) = 0 is complex-balanced",
        [
            ("A ψ(x̄) = 0 at the equilibrium of the first case study, at all teams and rates drawn",
             off <= _ROUNDING),
            ("the task network, which is not complex-balanced, admits no x̄ as printed", zero > 0),
        ],
        f"of {draws} random teams and rates the first leaves at most {rounded(off, '.1g', 'up')} "
        "of its flows; at "
        f"x̄ = 0 the task network leaves {zero:.1g}",
        "x̄ > 0 is missing: without robots nothing flows, and x̄ = 0 solves it for every network",
    )  # fmt: skip


def _stable(value: Mapping[str, float], draws: int) -> Claim:
    return judge(
        _PART, "Sec. Complex-Balanced Mechanisms, Lemma 1",
        "equilibria of complex-balanced systems are locally asymptotically stable",
        [("at all teams and rates that are drawn every eigenvalue but the conserved ones has a "
          "negative real part", value["stable"] == draws)],
        f"so at {value['stable']:.0f} of {draws} random teams and rates of the first case study",
        "a theorem that the paper quotes; that there is one equilibrium is the row of the quartic",
    )  # fmt: skip


def _globally(value: Mapping[str, float]) -> Claim:
    deficiency, off = value["motivating deficiency"], value["motivating ends"]
    return judge(
        _PART, "Sec. Motivating Example, footnote",
        "the motivating example has a unique, globally asymptotically stable positive equilibrium",
        [
            ("it is weakly reversible and of deficiency zero, as the theorem asks",
             bool(value["motivating reversible"]) and deficiency == 0),
            ("from every state of D the mean field comes to an end that agrees with it",
             agrees(1 + off, 1.0)),
        ],
        f"deficiency {deficiency:.0f}; from all five states it ends within "
        f"{rounded(off, '.1g', 'up')} of the "
        "equilibrium",
        "a theorem that the paper quotes; five beginnings do not prove all",
    )  # fmt: skip


def _local(value: Mapping[str, float]) -> Claim:
    ours, theirs = value["leakage of D"], value["leakage of D'"]
    return judge(
        _PART, _PRIVACY,
        "the condition of differential privacy does not depend on the database itself",
        [("the leakage of D agrees with that of D'", agrees(ours, theirs))],
        f"motivating example: {ours:.4f} for D = (2 A, 1 B), {theirs:.4f} for D' = (1 A, 2 B)",
        "true of differential privacy, which is asked of all databases. The paper's leakage ℒ(D) "
        "takes the maximum over the neighbours of one: it is local to D, and a guarantee for it "
        "alone",
    )  # fmt: skip


def _side_information(value: Mapping[str, float]) -> Claim:
    leak, turned = value["leakage of D"], value["turned by priors"]
    known = value["belief in D, both idle being A"]
    return judge(
        _PART, _PRIVACY,
        "privacy is preserved in the presence of arbitrary side information",
        [
            ("with any prior, what is seen of D changes its odds against D' by at most exp ℒ(D)",
             turned <= leak + _ROUNDING),
            ("so it does where the types of the idle robots are known", known < 1),
        ],
        f"the log of the odds moves by at most {rounded(turned, '.4f', 'up')} where ℒ(D) = "
        f"{leak:.4f}; who knows "
        f"that both idle robots are A believes in D with {known:.4f}",
        "a prior on the database is what the definition covers. Knowing part of the state is to "
        "see more: that is another query, with a leakage of its own",
    )  # fmt: skip


def _inferred(value: Mapping[str, float]) -> Claim:
    alike, mixed = value["belief in D, both idle being A"], value["belief in D, one of each idle"]
    return judge(
        _PART, "Sec. Motivating Example, text",
        "an adversary who knows the types of both idle robots can directly infer that of the third",
        [
            ("with both idle robots of type A there is no doubt", alike == 1),
            ("with one of each there is none, either", mixed in (0.0, 1.0)),
        ],
        f"between D and D', even odds before: D with {alike:.4f} if both are A, and with "
        f"{mixed:.4f} if one is A and one B",
        "two A are possible in D alone, which makes the third B. One of each is possible in both, "
        "and chances are left, as the paper's own example says",
        "the prior is not said: even odds are taken",
    )  # fmt: skip


def _corollary(value: Mapping[str, float]) -> Claim:
    chain, closed, printed = (
        value[name] for name in ("by the chain", "by the product form", "as printed")
    )
    return judge(
        _PART, "Sec. Complex-Balanced Mechanisms, Corollary 1",
        "under a query of sums the leakage at steady state is that of the summed densities",
        [
            ("with densities that are divided by their sum, it is that of the chain",
             abs(closed - chain) <= _ROUNDING),
            ("so it is with the Poisson densities as they are printed", agrees(printed, chain)),
        ],
        f"motivating example: {chain:.6f} by the chain, {closed:.6f} with the sum divided out, "
        f"{printed:.6f} as printed",
        "a team's densities do not add up to 1, nor to the same for its neighbours: the ratio of "
        "both sums is missing",
    )  # fmt: skip


def _matrix(value: Mapping[str, float]) -> Claim:
    rows = value["rows of M"]
    return judge(
        _PART, "Sec. Complex-Balanced Systems, Eq. of the steady state",
        "the matrix M of the first case study, in the order of its state vector",
        [("all five rows are those of the reactions", rows == 5)],
        f"{rows:.0f} of 5 rows are",
        "those of {3} and {1,2} are exchanged. The text also defines M and K by their transposes; "
        "the dynamics and every number here are of the reactions",
    )  # fmt: skip


def _paths(value: Mapping[str, float]) -> Claim:
    paths, chain = value["error of paths"], value["error of the chain"]
    return judge(
        _PART, _METHOD,
        "evaluating the Chemical Master Equation is more precise than stochastic simulation",
        [("it comes nearer to the leakage of the motivating example, ln 1.8", chain < paths)],
        f"off by {chain:.1g}, and by {paths:.2g} from {SAMPLES:,} paths of each team",
        "a path tells nothing of what it does not show, and the worst outcome is a rare one",
        "the number of paths is not said",
    )  # fmt: skip


def _projection(value: Mapping[str, float]) -> Claim:
    pairs = [(nu, value[f"projected at {nu:g}"], value[f"whole at {nu:g}"]) for nu in PROJECTED]
    told = ", ".join(f"{cut:.4g} for {whole:.4g} at ν = {nu:g}" for nu, cut, whole in pairs)
    left = value["left of the distribution"]
    theirs = ", ".join(
        f"{cut:.3g} for covey's {whole:.3g} at ν = {nu:g}" for nu, (cut, whole) in PUBLISHED.items()
    )
    return judge(
        _PART, _METHOD,
        "finite state projection keeps the statistically relevant states, and approximates the "
        "solution",
        [
            (f"with up to {LEFT_OUT:.0%} of each distribution left out, what is left agrees with "
            "it",
             agrees(left, 1.0)),
            *((f"the leakage agrees at ν = {nu:g}", agrees(cut, whole))
              for nu, cut, whole in pairs),
        ],
        f"task network, (6,6,6), abandoned at rates (1, 0.2, 2): {left:.4f} of each distribution "
        "or more is "
        f"left; the leakage is {told}",
        "the distribution is approximated, a ratio in its tails is not: an outcome that is left "
        "out for one "
        "team and kept for another looks as if it told them apart. How much depends on which are "
        "left out: here the rarest outcomes, as many as may be. The authors' projection did not "
        "hurt at ν = 1e-3",
        f"what the authors left out is not in the paper: {LEFT_OUT:.0%}, as in their code",
        authors=f"(10,10,10), the same rates: {theirs}",
    )  # fmt: skip


def _tasks(value: Mapping[str, float], draws: int) -> Claim:
    balanced, apart = value["tasks balanced"], value["tasks reordered"]
    return judge(
        _PART, "Sec. General Mechanisms",
        "the task network is not complex-balanced, and its three types are exchangeable",
        [
            ("it is complex-balanced at no rates that are drawn", balanced == 0),
            ("the leakage of a team is the same in any order of its counts", apart <= _ROUNDING),
        ],
        f"complex-balanced at {balanced:.0f} of {draws} random rates; over the orders of (3,2,1) "
        f"the leakage differs by {apart:.1g}",
        "tasks are completed one way only: the network is not weakly reversible",
        "rates 1 and ν = 1e-5 for the orders",
    )  # fmt: skip
