"""The headline: what is said first of what a team gives away, and in which order.

    verdict     for a manager: a word, and how often an observer of all snapshots is right,
                (1 + TV)/2, where guessing is right half of the time
    compared    which two possibilities, said once
    snapshots   the same after one, and after more, where that is known
    (ε, δ)      no event is more than e^ε times as likely for one team as for the other, plus δ
    worst case  with its probability

The worst case comes last. Leakage is a maximum over everything that can be seen, and is mostly
attained by something that nobody will ever see: infinite because of an outcome of probability 1e-44
misleads as much as silence about one of 2%. Every number is the end of its interval that is worse
for the team, and what is a bound is rounded outward.

A sentence is a tuple of words and quantities, so that a page can mark each number and a terminal
can print it: what is said is said here and nowhere else.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from covey.privacy.snapshot.bayes_success import binary_success
from covey.privacy.snapshot.comparison import Comparison
from covey.words import (
    NOTHING,
    THIS_TEAM,
    Way,
    chance,
    each,
    number,
    odds,
    percent,
    plain,
    rounded,
    shown,
    whole_percent,
)

DELTA = 1e-6  # at which ε is given where nobody asks for another
RARE = 1e-9  # a case that is less probable than this is said to be
MODERATE, HIGH = 0.6, 0.8  # from which Bayes success on a verdict is called so; below it is low
GUESSING = "50% is guessing"

Level = Literal["Low", "Moderate", "High"]


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
        pace: How often they look, such as "One snapshot every 5 minutes".
        bayes_success: Numbers of snapshots, each with how often the observer is right after so
            many, at most.
        sampled: With what confidence that holds, and from how many sampled paths; empty where it is
            certain.
        every: The time from one snapshot to the next.
        why: Why it is not known; empty where it is.
        unit: The unit of time, where it is known.
        told: What the observer of all of them tells, such as "one picker from a carrier".
        neighbour: The hypothesis that this is about, such as "one picker turned carrier".
    """

    pace: str = ""
    bayes_success: tuple[tuple[int, float], ...] = ()
    sampled: str = ""
    every: float | None = None
    why: str = ""
    unit: str | None = None
    told: str = ""
    neighbour: str = ""


def spoken(sentence: Sentence) -> str:
    """The sentence as plain text."""
    return "".join(map(str, sentence))


def level(bayes_success: float) -> Level:
    """How bad it is that an observer is right so often, in a word."""
    return "High" if bayes_success >= HIGH else "Moderate" if bayes_success >= MODERATE else "Low"


def verdict_sentence(
    told: str, total_variation: float, found: OverTime | None, how: str = "at most"
) -> Sentence:
    """The verdict, in one line: of all snapshots that are known, else of one.

    Args:
        told: What an observer of one snapshot tells, such as "one picker from a carrier".
        total_variation: Of one snapshot.
        found: What more snapshots tell.
        how: What the figure is: "at most", or "about" where it is an approximation.
    """
    right, name = binary_success(total_variation), "profile.bayes_success"
    word, who = f"{level(right)}, for one snapshot", "someone who takes it"
    if found is not None and found.bayes_success:
        last = len(found.bayes_success) - 1
        snapshots, right = found.bayes_success[last]
        name, told = f"over_time.bayes_success[{last}][1]", found.told or told
        every = "" if found.every is None else f", one {each(found.every, found.unit)},"
        many = f"{snapshots:,} snapshots{every}" if snapshots > 1 else "one snapshot"
        word, who = level(right), f"someone who takes {many}"
    if right < (1 + NOTHING) / 2:
        half = Quantity(right, "50%", name)
        return (f"{word}: {who} cannot tell {told}: right ", half, " of the time, as by guessing.")
    text = whole_percent(right, "up")
    if level(float(text[:-1]) / 100) != level(right):  # the word and the number must agree
        text = percent(right, "up")
    figure = Quantity(right, text, name)
    if figure.text == "100%":
        return (f"{word}: {who} nearly always tells {told} ({how} ", figure, f"; {GUESSING}).")
    return (f"{word}: {who} tells {told} {how} ", figure, f" of the time ({GUESSING}).")


def comparison_sentence(neighbour: str, team: str = THIS_TEAM, many: str = "") -> Sentence:
    """What every figure compares: said once, after the verdict.

    Args:
        neighbour: The hypothesis that one snapshot tells best.
        team: What it is compared with.
        many: The hypothesis that many snapshots tell best, where they were followed.
    """
    other = f"; after many snapshots, with {many}" if many not in ("", neighbour) else ""
    return (
        f"Compared: {team}, and the same with {neighbour}{other}. Both are equally likely "
        "beforehand, and everything else is known.",
    )


def snapshot_sentence(snapshot: str, total_variation: float) -> Sentence:
    """How often an observer is right after one snapshot, where it was said what is compared."""
    if total_variation < NOTHING:
        return (f"{snapshot} tells nothing: right 50% of the time.",)
    right = binary_success(total_variation)
    figure = Quantity(right, percent(right, "up"), "profile.bayes_success")
    return (f"{snapshot}: right at most ", figure, " of the time.")


def guess_sentence(
    snapshot: str, neighbour: str, total_variation: float, team: str = THIS_TEAM
) -> Sentence:
    """How often an observer is right after what they saw, in a sentence that stands by itself."""
    if total_variation < NOTHING:
        return (
            f"{snapshot} tells nothing: an observer tells {team} from a neighbour 50% of the time, "
            "as by guessing.",
        )
    right = binary_success(total_variation)
    return (
        f"{snapshot}: an observer tells {team} from one with {neighbour} at most ",
        Quantity(right, percent(right, "up"), "profile.bayes_success"),
        f" of the time ({GUESSING}).",
    )


def later_sentence(found: OverTime) -> Sentence:
    """How often after more snapshots, or why that is not known."""
    if found.why:
        return (f"More snapshots were not followed: {found.why}.",)
    if found.bayes_success and found.bayes_success[-1][1] == 0.5:
        # exactly, as where types are alike
        return (
            f"{found.pace}: right 50% of the time after {found.bayes_success[-1][0]:,} snapshots, "
            "too.",
        )
    parts: list[str | Quantity] = []
    for place, (snapshots, right) in enumerate(found.bayes_success):
        parts.append(", " if parts else ": right at most ")
        parts.append(Quantity(right, percent(right, "up"), f"over_time.bayes_success[{place}][1]"))
        parts.append(f"{'' if place else ' of the time'} after {snapshots:,}")
    sure = f" ({found.sampled})" if found.sampled else ""
    return (found.pace, *parts, f"{sure}.")


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
            f"(ε, δ): no finite ε is proved at δ = {plain(delta)}, because at ages that were not "
            f"looked at an event may be {rounded(between, '.2g', 'up')} more probable.",
        )
    if math.isinf(epsilon):
        left_out = ", or were left out of the computation" if truncated_mass else ""
        return (
            f"(ε, δ): no finite ε at δ = {plain(delta)}, because up to ",
            Quantity(settled, rounded(settled, ".3g%", "up"), "profile.distinguishing_mass"),
            f" of snapshots rule one possibility out{left_out}.",
        )
    figure = Quantity(epsilon, number(epsilon, "up"), name)
    if epsilon < NOTHING:
        return ("(ε, δ): ε = ", figure, f" at δ = {plain(delta)}.")
    factor = odds(epsilon, "up")
    finite = factor[0] != "e"  # else it is too large for a number
    return (
        "(ε, δ): ε = ",
        figure,
        f" at δ = {plain(delta)}: no event is more than ",
        Quantity(math.exp(epsilon), factor, f"exp({name})") if finite else factor,
        " times as likely for one possibility as for the other, plus δ.",
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
            return (
                "Worst case: no observation shifts the odds on ",
                f"{whose} (leakage ",
                value,
                ").",
            )
        return (
            f"Worst case: that an observation shifts the odds on {whose} is neither proved nor "
            "excluded (leakage ",
            value,
            " or more).",
        )
    seen = shown(worst.observation)
    if math.isinf(worst.value):
        ours = worst.speaks_for == "team"
        possible, not_so = ("possible", "impossible") if ours else ("impossible", "possible")
        return (
            f"Worst case: {seen} is {possible} for {team} and {not_so} with {other}, so it proves "
            f"{whose} (leakage ",
            value,
            "); ",
            *_probability(worst),
        )
    note = f", smoothed by {smoothing:g}" if smoothing else ""
    least = " or more" if math.isinf(interval[1]) else ""
    factor = odds(worst.value, way)
    finite = factor[0] != "e"
    return (
        f"Worst case: {seen} shifts the odds on {whose} by a factor ",
        Quantity(math.exp(worst.value), factor, "exp(leakage.value)") if finite else factor,
        f"{least} (leakage ",
        value,
        f"{note}), against {team} with {other}; ",
        *_probability(worst),
    )


def _probability(worst: Comparison) -> Sentence:
    """How likely the worst case is for the team that shows it more often."""
    log = max(worst.log_probability)
    place = worst.log_probability.index(log)
    figure = Quantity(math.exp(log), chance(log), f"leakage.probability[{place}]")
    if log < math.log(RARE):
        return ("in practice that never happens (probability ", figure, ").")
    whose = "" if place == 0 else " there"
    return ("its probability is ", figure, f"{whose}.")
