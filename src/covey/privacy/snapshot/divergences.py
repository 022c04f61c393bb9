"""How far two distributions are apart, by ln p and ln q of the same outcomes (−inf where zero).

    δ(ε)   = Σ max(0, p − e^ε q)                              the hockey-stick divergence
    ε(δ)   = the least ε ≥ 0 with δ(ε) ≤ δ                    its inverse
    TV     = δ(0) = ½ Σ |p − q|                               total variation
    D_α    = 1/(α−1) · ln Σ p^α q^(1−α)                       Rényi divergence [1]
    D_1    = KL = Σ p ln(p/q),     D_∞ = max ln(p/q)          its limits
    T(a)   = least type II error of a test of p against q     the trade-off curve [2]
             whose type I error is at most a

p and q add up to one. δ and D are sums of terms of one sign: with t = p/q, Σ p = Σ q allows to add
a multiple of p − q to each, so that every term has a double zero at t = 1 and nothing cancels,

    KL = Σ p (ln t − 1 + 1/t),      Σ p^α q^(1−α) − 1 = Σ p (t^(α−1) − 1) − (α−1)(p − q).

[1] van Erven, Harremoës, Rényi divergence and Kullback-Leibler divergence, IEEE T-IT 60 (2014).
[2] Dong, Roth, Su, Gaussian differential privacy, J. R. Stat. Soc. B 84 (2022).
"""

from __future__ import annotations

import math

import numpy as np

from covey.dynamics.distribution import Distribution
from covey.numbers import Bools, Floats, Ints, distinct_rows


def aligned(distribution: Distribution, other: Distribution) -> tuple[Ints, Floats, Floats]:
    """All outcomes of either one, and ln p of each under both; −inf where impossible or lost."""
    outcomes, logs, _ = _side_by_side(distribution, other)
    return outcomes, logs[0], logs[1]


def impossible(distribution: Distribution, other: Distribution) -> tuple[Bools, Bools]:
    """Which outcomes, of those that `aligned` lists, are certainly impossible under each."""
    _, _, possible = _side_by_side(distribution, other)
    return ~possible[0] & distribution.support_known, ~possible[1] & other.support_known


def _side_by_side(distribution: Distribution, other: Distribution) -> tuple[Ints, Floats, Bools]:
    """All outcomes; for both ln p, and whether each is known to be possible: (2, outcomes)."""
    (rows, log_p), (other_rows, log_q) = distribution.support, other.support
    outcomes, place = distinct_rows(np.concatenate([rows, other_rows]))
    logs = np.full((2, len(outcomes)), -np.inf)
    possible = np.zeros((2, len(outcomes)), dtype=np.bool_)
    for i, (where, known) in enumerate([(place[: len(rows)], log_p), (place[len(rows) :], log_q)]):
        logs[i, where] = known
        possible[i, where] = True
    return outcomes, logs, possible


def log_ratios(log_p: Floats, log_q: Floats) -> Floats:
    """`ln p/q`, ±inf where only one is possible, and 0 where neither is."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isneginf(log_p) & np.isneginf(log_q), 0.0, log_p - log_q)


def hockey_stick(log_p: Floats, log_q: Floats, epsilon: float) -> float:
    """δ(ε), for any real ε, or inf: the probability of what q rules out."""
    ratios = log_ratios(log_p, log_q)
    if epsilon == math.inf:
        return _total(log_p[np.isposinf(ratios)])
    over = ratios > epsilon
    with np.errstate(under="ignore"):
        return float(np.sum(np.exp(log_p[over]) * -np.expm1(epsilon - ratios[over])))


class HockeyStick:
    """δ(ε) of two distributions for many ε, and its inverse.

    Outcomes are kept by falling p/q: those that count for an ε, where p/q > e^ε, are the first.
    """

    def __init__(self, log_p: Floats, log_q: Floats) -> None:
        ratios = log_ratios(log_p, log_q)
        order = np.argsort(-ratios, kind="stable")
        self._ratios, self._log_q = ratios[order], log_q[order]
        self._rising = -self._ratios
        with np.errstate(under="ignore"):
            self._p = np.exp(log_p[order])

    def delta(self, epsilon: float) -> float:
        """δ(ε), for any real ε, or inf: the probability of what q rules out."""
        if epsilon == math.inf:
            return float(self._p[: self._rising.searchsorted(-math.inf, "right")].sum())
        over = int(self._rising.searchsorted(-epsilon))
        with np.errstate(under="ignore"):
            return float((self._p[:over] * -np.expm1(epsilon - self._ratios[:over])).sum())

    def epsilon(self, delta: float) -> float:
        """ε(δ): inf where q rules out outcomes of more probability than δ.

        Between two neighbouring ratios r_{k+1} < r_k the outcomes 1…k count, and

            δ(ε) = P_k − e^ε Q_k,      ε = r_k + ln(1 − (δ − δ(r_k)) / (e^{r_k} Q_k)).
        """
        if delta <= 0:  # told apart from a probability that is only too small for a number
            return max(float(self._ratios[:1].max(initial=0.0)), 0.0)
        if self.delta(0.0) <= delta:
            return 0.0
        if self.delta(math.inf) > delta:
            return math.inf
        begin = int(self._rising.searchsorted(-math.inf, "right"))
        # δ(r_low) ≤ delta, and δ(r_high) > delta or high is past the end
        low, high = begin, int(self._rising.searchsorted(0.0))
        while high - low > 1:
            middle = (low + high) // 2
            if self.delta(float(self._ratios[middle])) <= delta:
                low = middle
            else:
                high = middle
        edge = float(self._ratios[low])
        spare = delta - self.delta(edge)
        counted = self._log_q[: self._rising.searchsorted(-edge, "right")]
        log_sensitivity = edge + float(np.logaddexp.reduce(counted))
        drop = math.exp(math.log(spare) - log_sensitivity) if spare > 0 else 0.0
        return max(edge + math.log1p(-drop), 0.0) if drop < 1 else 0.0


def total_variation(log_p: Floats, log_q: Floats) -> float:
    """How much more probable the best chosen event is under p than under q."""
    return hockey_stick(log_p, log_q, 0.0)


def kullback_leibler(log_p: Floats, log_q: Floats) -> float:
    """KL(p‖q), in nats: what one observation is worth on average to whoever tests for p."""
    possible = log_p > -math.inf
    ratios = log_ratios(log_p, log_q)[possible]
    if np.isposinf(ratios).any():
        return math.inf
    with np.errstate(under="ignore", over="ignore"):
        p = np.exp(log_p[possible])
        # p/t = q, written so that a tiny p does not meet an infinite 1/t
        near = np.abs(ratios) < 1
        steady = np.where(near, p * (ratios + np.expm1(-np.where(near, ratios, 0.0))), 0.0)
        rest = np.where(near, 0.0, p * (ratios - 1) + np.exp(log_q[possible]))
    return max(float(np.sum(steady + rest)) + _total(log_q[~possible]), 0.0)


def renyi(log_p: Floats, log_q: Floats, alpha: float) -> float:
    """D_α(p‖q) in nats, for any order α > 0, 1 (KL) and inf (the largest ln p/q) included."""
    if not alpha > 0:
        raise ValueError(f"the order is {alpha}: it must be positive")
    if alpha == 1:
        return kullback_leibler(log_p, log_q)
    possible = log_p > -math.inf
    ratios = log_ratios(log_p, log_q)
    if alpha > 1 and np.isposinf(ratios).any():
        return math.inf
    if alpha == math.inf:
        return float(ratios[possible].max(initial=-math.inf))
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        terms = log_p[possible] + (alpha - 1) * ratios[possible]
        log_sum = float(np.logaddexp.reduce(terms)) if len(terms) else -math.inf
        if abs(log_sum) < 0.5:  # where 1 would drown what is looked for
            p = np.exp(log_p[possible])
            bent = p * np.expm1((alpha - 1) * ratios[possible])
            # -(α−1)(p − q), with p − q = −p (e^{−ln t} − 1) for t near 1
            flat = np.where(
                np.abs(ratios[possible]) < 1,
                p * np.expm1(-np.clip(ratios[possible], -1, 1)),
                np.exp(log_q[possible]) - p,
            )
            excess = float(np.sum(bent + (alpha - 1) * flat))
            log_sum = math.log1p(excess + (alpha - 1) * _total(log_q[~possible]))
    return max(log_sum / (alpha - 1), 0.0)


def trade_off(log_p: Floats, log_q: Floats) -> tuple[Floats, Floats]:
    """The corners of T: type I errors from 0 to 1, and the least type II error at each.

    The best test rejects p where q/p is largest (Neyman-Pearson), at a corner for whole outcomes,
    in between by a toss; so T is straight between corners, and convex.
    """
    ratios = log_ratios(log_p, log_q)
    order = np.argsort(ratios, kind="stable")
    ratios = ratios[order]
    last = np.append(ratios[1:] != ratios[:-1], True)  # equal ratios make one straight piece
    with np.errstate(under="ignore"):
        one = np.cumsum(np.exp(log_p[order]))[last]
        two = np.cumsum(np.exp(log_q[order][::-1]))[::-1]  # what is left, summed from the small end
    left = np.append(two[1:], 0.0)[last]
    if one[0] > 0:  # otherwise what p rules out can be rejected at no risk, and T begins below 1
        one, left = np.append(0.0, one), np.append(two[0], left)
    return np.minimum(one, 1.0), np.minimum(left, 1.0)


def _total(logs: Floats) -> float:
    with np.errstate(under="ignore"):
        return float(np.exp(logs).sum())
