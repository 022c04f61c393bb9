"""Two logs and no model: how well the runs of one can be told from those of the other, at least.

Runs of each log are independent draws from a distribution, P and Q. Of a run that is of either log
with equal odds, the best guess is right with probability g = (1 + TV(P, Q)) / 2. A classifier is
learnt from half of the runs, and tried on m others of each log, which it has not seen: each of n =
2m guesses is right with a probability whose mean over both sides is at most g. With S right, the
bound is Clopper and Pearson's [1]

    g ≥ the α-quantile of Beta(S, n − S + 1)

Sides may be guessed right at different probabilities. Among sums of n independent zeros and ones
with a given mean, the binomial one is most often above any whole number c from the mean on [2]. The
bound fails where S > c, for the smallest c with P(S > c) < α in the binomial case at g; that one
reaches its mean with probability above 1/4 [3], so that c is from the mean on where α ≤ 1/4 and
n > 2. It follows that TV ≥ 2g − 1, and that the leakage of a run is at least ln g/(1 − g), whatever
P and Q are. Nothing is assumed but that runs are independent.

Rows of one run are not: a single run is one draw, and refused. It may be cut into blocks that are
as far apart as they are long. Then the bound supposes that blocks are independent, and says so; the
first half of them is learnt from, and whether a block resembles the one before it is tested.

[1] Clopper, Pearson, The use of confidence or fiducial limits, Biometrika 26 (1934).
[2] Hoeffding, On the distribution of the number of successes in independent trials, Ann. Math.
    Statist. 27 (1956), theorem 4.
[3] Greenberg, Mohri, Tight lower bound on the probability of a binomial exceeding its expectation,
    Statist. Probab. Lett. 86 (2014).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.dynamics.validation import Progress
from covey.errors import InputError
from covey.numbers import Floats
from covey.privacy.stream.confidence import check_confidence, least_share
from covey.showing import Drawing
from covey.study.audit.classifiers import learn
from covey.study.audit.count_log import CountLog, CountRun, Files, read_counts, same_counts
from covey.study.audit.features import Features
from covey.study.audit.windows import Window, cut
from covey.tabular import Tabular, columns_of
from covey.words import percent

_LEAST_CONFIDENCE = 0.75
_TELLING = 5
_DIFFERENT = 0.5  # spreads: what is nearer than that is not worth a word
_SHUFFLES = 999


@dataclass(frozen=True)
class Telling:
    """What differs between the logs, by the runs that were learnt from.

    Attributes:
        what: In words.
        means: Of each log.
        apart: How far the means are apart, in spreads of one run.
    """

    what: str
    means: tuple[float, float]
    apart: float


@dataclass(frozen=True)
class Tried:
    """One run that the classifier was tried on.

    Attributes:
        log: Which log it is of, 0 or 1.
        run: Its name.
        score: Above 0 where it looks like the first log.
    """

    log: int
    run: str
    score: float

    @property
    def right(self) -> bool:
        """Whether the guess was right."""
        return (self.score > 0) == (self.log == 0)


@dataclass(frozen=True)
class LogAudit(Drawing, Tabular):
    """How well two logs can be told apart, from below and with a confidence.

    Attributes:
        logs: Their names.
        runs: How many runs, or blocks, there are of each.
        tried: Those that the classifier was tried on, as many of one log as of the other.
        confidence: With which the bounds hold together.
        bayes_success: An observer of one run is right at least this often.
        classifier: Which kind told them apart: logistic, transitions or boosting.
        telling: What differs most.
        length: For how long each run was looked at.
        every: How often.
        block: The length of blocks, where runs were cut.
        seed: Of how runs were divided.
        notes: What to know.
    """

    logs: tuple[str, str]
    runs: tuple[int, int]
    tried: tuple[Tried, ...]
    confidence: float
    bayes_success: float
    classifier: str
    telling: tuple[Telling, ...]
    length: float
    every: float
    block: float | None
    seed: int
    notes: tuple[str, ...]

    @property
    def right(self) -> int:
        """How many of those tried were guessed right."""
        return sum(one.right for one in self.tried)

    @property
    def total_variation(self) -> float:
        """Of the distributions of a run, at least."""
        return 2 * self.bayes_success - 1

    @property
    def leakage(self) -> float:
        """Of one run, at least: ln g/(1 − g)."""
        return math.log(self.bayes_success / (1 - self.bayes_success))

    @property
    def table_columns(self) -> dict[str, list[Any]]:
        """A row for each run that was tried."""
        return columns_of(
            {"log": self.logs[one.log], "run": one.run, "score": one.score, "right": one.right}
            for one in self.tried
        )

    def __str__(self) -> str:
        what = "run" if self.block is None else f"block of {self.block:g}"
        guessed = f"{self.right:,} of {len(self.tried):,} that it was tried on"
        if self.bayes_success <= 0.5:
            return (
                f"Nothing is proved: a classifier told {guessed} right, which a coin might. That "
                "does not say that the logs are alike: more runs may prove something."
            )
        return (
            f"With confidence {self.confidence:.4g} an observer of one {what} can say which log it "
            f"is of, and be right at least {percent(self.bayes_success, 'down')} of the time: a "
            f"classifier told {guessed} right. This is a lower bound."
        )


def audit_logs(
    real: Files | CountLog,
    other: Files | CountLog,
    *,
    block: float | None = None,
    confidence: float = 0.95,
    classifier: str | None = None,
    columns: Mapping[str, str] | None = None,
    unit: str | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> LogAudit:
    """How well the runs of two logs can be told apart, at least; no model is asked for.

    Args:
        real: A file of counts at times, a pattern such as `real/*.csv`, several of them, or a
            `CountLog`; a column `run` tells runs apart.
        other: The same of what it is compared with.
        block: Cut runs into blocks of this length, which are then taken to be independent.
        confidence: With which the bounds are to hold, from 0.75 to below 1.
        classifier: "logistic", "transitions" or "boosting"; by default the best of them, by
            cross-validation on the runs that it learns from.
        columns: What columns are called in the files: `{"time": "when", "run": "mission"}`.
        unit: What dates and epoch times are counted in; by default seconds.
        seed: Divides the runs into those that are learnt from and those that are tried.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    alpha = check_confidence(confidence)
    if confidence < _LEAST_CONFIDENCE:
        raise InputError(
            f"the confidence is {confidence:g}: from {_LEAST_CONFIDENCE} on is expected"
        )
    one, two = (
        log if isinstance(log, CountLog) else read_counts(log, columns, unit, progress)
        for log in (real, other)
    )
    logs = one, same_counts(one, two)
    if block is not None:
        logs = cut(logs[0], block), cut(logs[1], block)
    _check_enough(logs, alpha, block)
    random = np.random.default_rng(seed)
    learnt, kept = _divided(logs, random if block is None else None)
    window = Window.of(*learnt)
    sides = window.seen(learnt[0]), window.seen(learnt[1])
    if progress is not None:
        progress(0, 1, "learning")
    found = learn(one.names, sides, classifier, random)
    scores = [found.score(window.seen(runs)).tolist() for runs in kept]
    tried = tuple(
        Tried(side, run.name, score)
        for side in (0, 1)
        for run, score in zip(kept[side], scores[side], strict=True)
    )
    right = sum(one.right for one in tried)
    least = float(least_share(np.array([right]), len(tried), alpha)[0])
    notes = [*one.notes, *two.notes, *_window_notes(logs, window)]
    if block is not None:
        notes += _block_notes(block, scores, random)
    return LogAudit(
        (one.name, two.name), (len(logs[0].runs), len(logs[1].runs)), tried, confidence,
        max(least, 0.5), found.name, _telling(one.names, sides), window.length, window.every,
        block, seed, tuple(dict.fromkeys(notes)),
    )  # fmt: skip


def _check_enough(logs: tuple[CountLog, CountLog], alpha: float, block: float | None) -> None:
    """Refuses what cannot prove anything, whatever it shows."""
    tried = math.floor(math.log2(1 / alpha)) // 2 + 1  # of each: all right is more than a coin's
    while alpha ** (1 / (2 * tried)) <= 0.5:
        tried += 1
    least = 2 * max(tried, 2)
    for log in logs:
        have = len(log.runs)
        if have >= least:
            continue
        if block is not None:
            raise InputError(
                f"{have} block{'s' * (have != 1)} of {block:g} with as much left out between, "
                f"where at least {least} are needed: cut shorter blocks, or log for longer",
                file=log.name,
            )
        if have == 1:
            raise InputError(
                "a single run: its rows are not independent, so that it proves nothing, however "
                f"long it is. At least {least} runs are needed (a column run, or several files). "
                "Or cut it into blocks (--block D) that are so long that one says nothing of the "
                "next but one",
                file=log.name,
            )
        raise InputError(
            f"{have} runs, where at least {least} are needed: half of them are learnt from, and "
            f"fewer than {tried} to try prove nothing with this confidence",
            file=log.name,
        )


def _divided(
    logs: tuple[CountLog, CountLog], random: np.random.Generator | None
) -> tuple[list[list[CountRun]], list[list[CountRun]]]:
    """The runs of each log to learn from, and as many of each to try: the later ones of blocks."""
    tried = min(len(log.runs) for log in logs) // 2
    learnt, kept = [], []
    for log in logs:
        size = len(log.runs)
        order = np.arange(size) if random is None else random.permutation(size)
        learnt.append([log.runs[i] for i in order[: size - tried]])
        kept.append([log.runs[i] for i in order[size - tried :]])
    return learnt, kept


def _telling(names: tuple[str, ...], sides: tuple[Floats, Floats]) -> tuple[Telling, ...]:
    features = Features.of(names, np.concatenate(sides))
    found = []
    ours, theirs = (features.measured(side) for side in sides)
    for what, mine in ours.items():
        means = float(mine.mean()), float(theirs[what].mean())
        spread = math.sqrt((mine.var() + theirs[what].var()) / 2)
        if means[0] != means[1]:
            apart = abs(means[0] - means[1]) / spread if spread > 0 else math.inf
            found.append(Telling(what, means, apart))
    found.sort(key=lambda one: -one.apart)
    return tuple(one for one in found[:_TELLING] if one.apart >= _DIFFERENT)


def _window_notes(logs: tuple[CountLog, CountLog], window: Window) -> list[str]:
    usual = float(np.median([run.duration for log in logs for run in log.runs]))
    if window.length >= usual / 2:
        return []
    short = min((run for log in logs for run in log.runs), key=lambda run: run.duration)
    return [
        f"Runs are looked at for {window.length:g}, as long as the shortest that is learnt from; "
        f"half of them are longer than {usual:g}. Leave out runs that broke off, such as "
        f"{short.name} ({short.duration:g})."
    ]


def _block_notes(block: float, scores: list[list[float]], random: np.random.Generator) -> list[str]:
    """What the bound supposes of blocks, and whether they look like it."""
    notes = [
        f"The bound supposes that blocks of {block:g}, with as much left out between them, are "
        "independent: that is not proved. Runs of their own would not need it."
    ]
    alike = min(_chance_of_order(np.array(one), random) for one in scores)
    if 2 * alike <= 0.01:
        notes.append(
            "But a block resembles the one before it more than chance explains: the bound does not "
            "hold. Cut longer blocks."
        )
    return notes


def _chance_of_order(scores: Floats, random: np.random.Generator) -> float:
    """How often shuffled blocks resemble their neighbours as much as these."""
    centred = scores - scores.mean()
    found = float(centred[1:] @ centred[:-1])
    shuffled = random.permuted(np.tile(centred, (_SHUFFLES, 1)), axis=1)
    as_much = ((shuffled[:, 1:] * shuffled[:, :-1]).sum(axis=1) >= found - 1e-12).sum()
    return (1 + int(as_much)) / (1 + _SHUFFLES)
