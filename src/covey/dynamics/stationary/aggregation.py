"""Sweeps for chains of groups that are hardly ever left: aggregation and disaggregation [1].

Sweeps soon know p within a group, but hardly ever weigh one group against another. So the groups
become the states of a small chain of their own,

    rate(I → J) = Σ p(x) rate(x → y) / Σ p(x)      over x in I and y in J,

whose distribution, by elimination, says what each group weighs. A few sweeps come between one such
step and the next, and reduced rank extrapolation after some of them, as in `sweeps`. Nothing is
subtracted. Groups come about by joining states where most flows (see `flow_tree`), and follow p.

[1] Koury, McAllister, Stewart, SIAM J. Algebraic Discrete Methods 5 (1984).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from covey.dynamics.ctmc.generator import Generator, Transitions
from covey.dynamics.stationary.elimination import eliminate
from covey.dynamics.stationary.flow_tree import flow_tree
from covey.dynamics.stationary.sweeps import extrapolate
from covey.numbers import Floats

if TYPE_CHECKING:
    from covey.dynamics.stationary.sweeps import Sweeps

_GROUPS = 500  # at most: their chain is one small matrix
_ROUNDS = 60  # of steps before an extrapolation
_STEPS = 8
_SWEEPS = 3  # in a step
_SETTLING = 6  # rounds in which the groups follow p,
_ANEW = 4  # and every so many later
_CLOSE = 1e-13  # a change of every p in a step that is rounding
_FAR = 200.0  # ln of a factor between two groups that their numbers do not take


def aggregate(sweeps: Sweeps) -> None:
    """Carries sweeps on until every group weighs what it should, or that is given up."""
    for number in range(_ROUNDS):
        if number < _SETTLING or number % _ANEW == 0:
            groups = _Groups(sweeps)
        history = [sweeps.distribution]
        while len(history) <= _STEPS:
            if groups.step():
                history.append(sweeps.distribution)
            else:  # in other units than before
                history = [sweeps.distribution]
        change = float(np.abs(history[-1] / history[-2] - 1).max())
        if sweeps.progress is not None:
            digits = math.log10(1 / max(min(change, 1.0), _CLOSE))
            sweeps.progress(digits, -math.log10(_CLOSE), "steady state by groups, digits")
        if change <= _CLOSE:
            return
        if number >= 2:
            sweeps.distribution = extrapolate(np.array(history[1:]), logarithmic=True)


class _Groups:
    """Groups of states that go well with where sweeps are now."""

    def __init__(self, sweeps: Sweeps) -> None:
        chain = sweeps.generator
        self.sweeps = sweeps
        self.group = flow_tree(sweeps).groups(_GROUPS)
        self.count = int(self.group.max()) + 1
        begins, ends = self.group[chain.indices], self.group[chain.targets]
        crossing = np.flatnonzero(begins != ends)
        self.source, self.rates = chain.indices[crossing], chain.rates[crossing]
        self.places = begins[crossing] * self.count + ends[crossing]

    def step(self) -> bool:
        """A few sweeps, and every group weighed; whether p is still in the same units."""
        sweeps, none = self.sweeps, np.zeros(len(self.group))
        sweeps.distribution = sweeps.cycle(sweeps.distribution, none, _SWEEPS)[-1]
        if sweeps.scaled_anew(sweeps.distribution):
            return False
        factors = self._factors()[self.group]
        if np.abs(factors).max() > _FAR:
            logs = sweeps.logs() + factors
            sweeps.scale(logs - logs.max())
            return False
        sweeps.distribution = sweeps.distribution * np.exp(factors)
        return not sweeps.scaled_anew(sweeps.distribution)

    def _factors(self) -> Floats:
        """The ln of what p is to be multiplied by in each group, so that they are in balance."""
        p, top = self.sweeps.distribution, np.zeros(self.count)
        if self.sweeps.depth is not None:
            top[:] = -np.inf
            np.maximum.at(top, self.group, self.sweeps.depth)
            with np.errstate(under="ignore"):
                p = np.ldexp(p, self.sweeps.depth - top[self.group].astype(np.int32))
        weights = np.bincount(self.group, p, self.count)
        flows = np.bincount(self.places, self.rates * p[self.source], self.count**2)
        flows = flows.reshape(self.count, self.count)
        logs = eliminate(_chain(flows / weights[:, None]))
        logs -= logs.max()
        with np.errstate(under="ignore"):
            logs -= math.log(np.exp(logs).sum())
        return np.asarray(logs - np.log(weights) - top * math.log(2.0))


def _chain(rates: Floats) -> Generator:
    """Of a matrix of rates from each state to each."""
    source, target = np.nonzero(rates)
    part = Transitions(source, target, rates[source, target])
    return Generator.from_transitions([part], rates.sum(axis=1))
