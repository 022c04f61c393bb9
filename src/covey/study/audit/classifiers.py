"""Telling two kinds of runs apart: a classifier is learnt from some runs, and tried on others.

    logistic     logistic regression on `features`, each counted in its own spread, with a penalty
                 on the squares of the weights: −Σ w ln P(side) + λ |β|², by Newton's method
    transitions  the ratio of likelihoods of two Markov chains of what is seen, from look to look,
                 one for each side: P(y → z) = (n(y, z) + k q(z)) / (n(y) + k), with q the shares
                 of both sides together. It is the best test where what is seen is a Markov chain,
                 and many runs say how it moves
    boosting     gradient-boosted trees on `features`, where scikit-learn is installed

Which of them, and with which λ or k, is chosen by cross-validation on the runs that it learns from:
the runs that it is tried on have no say. Sides count alike, however many runs each of them has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from covey.errors import InputError, shown
from covey.numbers import Floats, Ints
from covey.study.audit.features import Features

ClassifierName = Literal["logistic", "transitions", "boosting"]
CLASSIFIERS: tuple[str, ...] = get_args(ClassifierName)
_PENALTIES = (0.003, 0.03, 0.3, 3.0)
_PSEUDOCOUNTS = (1.0, 10.0)
_FOLDS = 5
_TREES = 100
_NEWTON_STEPS = 50

Score = Callable[[Floats], Floats]  # of runs (runs, points, counts): above 0 speaks for the first
Learner = Callable[[Floats, NDArray[np.bool_]], Score]


@dataclass(frozen=True, eq=False)
class Classifier:
    """One that has learnt.

    Attributes:
        name: Its kind.
        score: Of runs: above 0 where they look like the first side.
        expected: How often it was right in cross-validation.
    """

    name: str
    score: Score
    expected: float


def learn(
    names: tuple[str, ...],
    sides: tuple[Floats, Floats],
    kind: str | None,
    random: np.random.Generator,
) -> Classifier:
    """The classifier that cross-validation likes best.

    Args:
        names: What is counted.
        sides: What was seen of the runs of each side, (runs, points, counts).
        kind: Which kind; by default the best of all that are there.
        random: Shuffles the folds.
    """
    seen = np.concatenate(sides)
    first = np.arange(len(seen)) < len(sides[0])
    folds = np.empty(len(seen), dtype=np.int64)
    for side in (first, ~first):
        folds[side] = random.permutation(np.arange(side.sum()) % _FOLDS)
    learners = _learners(names, kind)
    rights = [_cross_validated(learner, seen, first, folds) for _, learner in learners]
    best = int(np.argmax(rights))
    name, learner = learners[best]
    return Classifier(name, learner(seen, first), rights[best])


def balanced_share(right: NDArray[np.bool_], first: NDArray[np.bool_]) -> float:
    """How often a guess is right where both sides come equally often."""
    return float(right[first].mean() + right[~first].mean()) / 2


def _learners(names: tuple[str, ...], kind: str | None) -> list[tuple[str, Learner]]:
    there = find_spec("sklearn") is not None
    if kind is not None and kind not in CLASSIFIERS:
        raise InputError(
            f"the classifier is {shown(kind)}: {', '.join(CLASSIFIERS[:-1])} or {CLASSIFIERS[-1]} "
            "is expected"
        )
    if kind == "boosting" and not there:
        raise InputError("boosting takes scikit-learn: install covey[audit]")
    found: list[tuple[str, Learner]] = []
    if kind in (None, "logistic"):
        found += [("logistic", _on_features(names, _Logistic(p))) for p in _PENALTIES]
    if kind in (None, "transitions"):
        found += [("transitions", _Transitions(k)) for k in _PSEUDOCOUNTS]
    if kind == "boosting" or (kind is None and there):
        found.append(("boosting", _on_features(names, _boosting)))
    return found


def _cross_validated(
    learner: Learner, seen: Floats, first: NDArray[np.bool_], folds: Ints
) -> float:
    right = np.zeros(len(seen), dtype=bool)
    for fold in range(_FOLDS):
        out = folds == fold
        kept = ~out
        if not out.any():
            continue
        if not first[kept].any() or first[kept].all():
            return 0.5
        right[out] = (learner(seen[kept], first[kept])(seen[out]) > 0) == first[out]
    return balanced_share(right, first)


Fitter = Callable[[Floats, NDArray[np.bool_], Floats], Callable[[Floats], Floats]]


def _on_features(names: tuple[str, ...], fit: Fitter) -> Learner:
    """Learns from features, each in units of its own spread."""

    def learner(seen: Floats, first: NDArray[np.bool_]) -> Score:
        features = Features.of(names, seen)
        raw = _columns(features.measured(seen))
        centre, spread = raw.mean(axis=0), raw.std(axis=0)
        varies = spread > 1e-12 * (1 + np.abs(centre))
        weights = np.where(first, 0.5 / first.sum(), 0.5 / (~first).sum())

        def scaled(columns: Floats) -> Floats:
            return np.asarray((columns[:, varies] - centre[varies]) / spread[varies])

        decide = fit(scaled(raw), first, weights)
        return lambda runs: decide(scaled(_columns(features.measured(runs))))

    return learner


def _columns(measured: Mapping[str, Floats]) -> Floats:
    return np.column_stack(list(measured.values()))


@dataclass(frozen=True)
class _Logistic:
    """Logistic regression with a penalty on the squares of the weights, not on the constant."""

    penalty: float

    def __call__(
        self, x: Floats, first: NDArray[np.bool_], weights: Floats
    ) -> Callable[[Floats], Floats]:
        from scipy.special import expit  # noqa: PLC0415

        signs = np.where(first, 1.0, -1.0)
        # The penalty does not mind a rotation, so that no more weights are needed than runs.
        places, sizes, axes = np.linalg.svd(x, full_matrices=False)
        design = np.column_stack([places * sizes, np.ones(len(x))])
        penalties = np.append(np.full(len(sizes), self.penalty / max(x.shape[1], 1)), 0.0)

        def loss(beta: Floats) -> float:
            margins = signs * (design @ beta)
            return float(weights @ np.logaddexp(0.0, -margins) + penalties @ beta**2)

        beta = np.zeros(design.shape[1])
        value = loss(beta)
        for _ in range(_NEWTON_STEPS):
            wrong = expit(-signs * (design @ beta))
            slope = design.T @ (-weights * signs * wrong) + 2 * penalties * beta
            bends = (design.T * (weights * wrong * (1 - wrong))) @ design + np.diag(2 * penalties)
            bends[-1, -1] += 1e-12  # where every guess is certain, the constant is free
            step = np.linalg.solve(bends, slope)
            while (after := loss(beta - step)) > value and np.abs(step).max() > 1e-9:
                step /= 2
            beta -= step
            if value - after <= 1e-9:
                break
            value = after
        weights_of = axes.T @ beta[:-1]
        return lambda other: np.asarray(other @ weights_of + beta[-1])


def _boosting(x: Floats, first: NDArray[np.bool_], weights: Floats) -> Callable[[Floats], Floats]:
    from sklearn.ensemble import GradientBoostingClassifier  # noqa: PLC0415

    if not x.shape[1]:
        return lambda other: np.zeros(len(other))
    model = GradientBoostingClassifier(
        n_estimators=_TREES, max_depth=2, subsample=0.8, max_features="sqrt", random_state=0
    )
    model.fit(x, first, sample_weight=weights * len(x))
    return lambda other: np.asarray(model.decision_function(other))


@dataclass(frozen=True)
class _Transitions:
    """The ratio of the likelihoods of two Markov chains, shrunk towards what they share."""

    pseudocount: float

    def __call__(self, seen: Floats, first: NDArray[np.bool_]) -> Score:
        known, places = np.unique(seen.reshape(-1, seen.shape[2]), axis=0, return_inverse=True)
        numbers = {row.tobytes(): i for i, row in enumerate(known)}
        paths = places.reshape(seen.shape[:2])
        ratios = self._ratios(_moves(paths), first, len(known))

        def score(runs: Floats) -> Floats:
            flat = np.ascontiguousarray(runs.reshape(-1, runs.shape[2]))
            where = [numbers.get(row.tobytes(), -1) for row in flat]
            moves = _moves(np.array(where, dtype=np.int64).reshape(runs.shape[:2]))
            return np.array(
                [sum(ratios.get(move, 0.0) for move in path) for path in moves], dtype=float
            )

        return score

    def _ratios(
        self, moves: Sequence[Sequence[tuple[int, int]]], first: NDArray[np.bool_], size: int
    ) -> dict[tuple[int, int], float]:
        """The logarithm of P(z | y) of the first side over that of the second."""
        counts: dict[tuple[int, int], Floats] = {}
        leaving = np.zeros((size + 1, 2))  # the last row is where every run begins
        weights = {True: 0.5 / first.sum(), False: 0.5 / (~first).sum()}
        for path, side in zip(moves, first.tolist(), strict=True):
            for move in path:
                counts.setdefault(move, np.zeros(2))[0 if side else 1] += 1
                leaving[move[0], 0 if side else 1] += 1
        fair = np.array([weights[True], weights[False]])
        found = {}
        for (y, z), n in counts.items():
            shared = (n * fair).sum() / (leaving[y] * fair).sum()
            p, q = (n + self.pseudocount * shared) / (leaving[y] + self.pseudocount)
            found[y, z] = float(np.log(p / q))
        return found


def _moves(paths: Ints) -> list[list[tuple[int, int]]]:
    """From where to where each run goes; it begins at −1. What was never seen is left out."""
    found = []
    for path in paths.tolist():
        steps = zip([-1, *path], path, strict=False)
        unknown = -1
        found.append(
            [(y, z) for k, (y, z) in enumerate(steps) if z != unknown and (y != unknown or k == 0)]
        )
    return found
