"""The headline: what is said first of what a team gives away, and in which order.

1  how often an observer is right after one snapshot: (1 + TV) / 2, a coin being right half the
time; 2  and after more snapshots, where that is known; 3  ε at δ: no event is more than e^ε times
as likely for one team as for the other, plus δ; 4  the worst case, with its probability.

The worst case comes last. Leakage is a maximum over everything that can be seen, and is mostly
attained by something that nobody will ever see: infinite because of an outcome of probability 1e-44
misleads as much as silence about one of 2 %. Every number is the end of its interval that is worse
for the team, and what is a bound is rounded outward.

A sentence is a tuple of words and quantities, so that a page can mark each number and a terminal
can print it: what is said is said here and nowhere else.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from covey.privacy.snapshot.bayes_success import binary_success
from covey.privacy.snapshot.comparison import Comparison
from covey.words import NOTHING, THIS_TEAM, Way, chance, number, odds, percent, rounded, shown

DELTA = 1e-6  # at which ε is given where nobody asks for another
RARE = 1e-9  # a case that is less probable than this is said to be


@dataclass(frozen=True)
class Quantity:
    """A number in a sentence.

    Attributes:
        value: The number.
        text: How it reads.
        name: The Python expression that gives it, from `leakage` and `profile`.
    """

    value: float
    text: str
    name: str

    def __str__(self) -> str:
        return self.text


Sentence = tuple[str | Quantity, ...]


@dataclass(frozen=True)
class OverTime:
    """How often an observer is right who looks again and again, or why that is not known.

    Attributes:
        pace: How often they look, such as "with a snapshot each 1".
        bayes_success: Numbers of snapshots, each with how often the observer is right after so
            many, at most.
        sampled: With what confidence that holds, and from how many sampled paths; empty where it is
            certain.
        every: The time from one snapshot to the next.
        why: Why it is not known; empty where it is.
    """

    pace: str = ""
    bayes_success: tuple[tuple[int, float], ...] = ()
    sampled: str = ""
    every: float | None = None
    why: str = ""


def spoken(sentence: Sentence) -> str:
    """The sentence as plain text."""
    return "".join(map(str, sentence))


def guess_sentence(
    snapshot: str, neighbour: str, total_variation: float, team: str = THIS_TEAM
) -> Sentence:
    """How often an observer is right after what they saw."""
    if total_variation < NOTHING:
        return (
            f"{snapshot} tells nothing: an observer who has to tell {team} from a neighbour is "
            "right half of the time, as a coin is.",
        )
    right = binary_success(total_variation)
    return (
        f"{snapshot}: an observer who has to tell {team} from one with {neighbour} is right at "
        "most ",
        Quantity(right, percent(right, "up"), "profile.bayes_success"),
        " of the time, where a coin is right 50%.",
    )


def later_sentence(found: OverTime) -> Sentence:
    """How often after more snapshots, or why that is not known."""
    if found.why:
        return (f"What more snapshots tell was not computed: {found.why}.",)
    parts: list[str | Quantity] = []
    if found.bayes_success and found.bayes_success[-1][1] == 0.5:
        # exactly, as where types are alike
        how = (
            f"the observer is right half of the time after {found.bayes_success[-1][0]:,} "
            "snapshots, too."
        )
        return (f"{found.pace[:1].upper()}{found.pace[1:]}, {how}",)
    for place, (snapshots, right) in enumerate(found.bayes_success):
        parts.append(", " if parts else ", the observer is right at most ")
        parts.append(Quantity(right, percent(right, "up"), f"over_time.bayes_success[{place}][1]"))
        parts.append(f"{'' if place else ' of the time'} after {snapshots:,}")
    sure = f" ({found.sampled})" if found.sampled else ""
    return (f"{found.pace[:1].upper()}{found.pace[1:]}", *parts, f" snapshots{sure}.")


def epsilon_sentence(
    epsilon: float, settled: float, truncated_mass: float, delta: float, between: float = 0.0
) -> Sentence:
    """ε at δ, in words; `between` ages, nothing holds below that.

    δ is added to a probability. It is not the probability of seeing what is more than e^ε times as
    likely for one of the teams: that is larger, as Σ (p − e^ε q)₊ counts only what p has beyond it.
    """
    name = f"profile.epsilon_interval({delta!r})[1]"
    if math.isinf(epsilon) and between > 0:
        return (
            f"At δ = {delta:g} no ε is known to hold: at ages that were not looked at, an event "
            f"may be {rounded(between, '.2g', 'up')} more probable.",
        )
    if math.isinf(epsilon):
        left_out = ", or was left out of the computation" if truncated_mass else ""
        return (
            f"At δ = {delta:g} no ε holds: with a probability of up to ",
            Quantity(settled, rounded(settled, ".3g", "up"), "profile.distinguishing_mass"),
            f" a snapshot shows what is possible for one of two such teams only{left_out}.",
        )
    figure = Quantity(epsilon, number(epsilon, "up"), name)
    if epsilon < NOTHING:
        return (f"At δ = {delta:g}, ε is ", figure, ".")
    factor = odds(epsilon, "up")
    plain = factor[0] != "e"  # else it is too large for a number
    return (
        f"At δ = {delta:g}, ε is ",
        figure,
        ": no event is more than ",
        Quantity(math.exp(epsilon), factor, f"exp({name})") if plain else factor,
        " times as likely for one of two such teams as for the other, plus δ.",
    )


def worst_sentence(
    worst: Comparison,
    interval: tuple[float, float],
    other: str,
    smoothing: float = 0.0,
    whose: str = "a robot's type",
    team: str = THIS_TEAM,
) -> Sentence:
    """The worst case, and how probable it is."""
    way: Way = "down" if math.isinf(interval[1]) else "nearest"  # "or more"
    value = Quantity(worst.value, number(worst.value, way), "leakage.value")
    if worst.value < NOTHING:
        if interval[1] < NOTHING:
            return ("No observation shifts the odds on ", f"{whose} (leakage ", value, ").")
        return (
            f"That some observation shifts the odds on {whose} is not proved, nor that none does "
            "(leakage ",
            value,
            " or more).",
        )
    seen = shown(worst.observation)
    if math.isinf(worst.value):
        ours = worst.speaks_for == "team"
        possible, not_so = ("possible", "not") if ours else ("not possible", "is")
        return (
            f"At worst a snapshot settles {whose} (leakage ",
            value,
            f"): {seen} is {possible} for {team}, and {not_so} for a team with {other}; ",
            *_probability(worst),
        )
    note = f", smoothed by {smoothing:g}" if smoothing else ""
    least = " or more" if math.isinf(interval[1]) else ""
    factor = odds(worst.value, way)
    plain = factor[0] != "e"
    return (
        f"At worst, {seen} shifts the odds on {whose} by a factor ",
        Quantity(math.exp(worst.value), factor, "exp(leakage.value)") if plain else factor,
        f"{least} (leakage ",
        value,
        f"{note}), against a team with {other}; ",
        *_probability(worst),
    )


def _probability(worst: Comparison) -> Sentence:
    """How likely the worst case is for the team that shows it more often."""
    log = max(worst.log_probability)
    place = worst.log_probability.index(log)
    figure = Quantity(math.exp(log), chance(log), f"leakage.probability[{place}]")
    if log < math.log(RARE):
        return ("that is rarer than once in 1e9 snapshots, of probability ", figure, ".")
    whose = "" if place == 0 else " there"
    return ("its probability is ", figure, f"{whose}.")
