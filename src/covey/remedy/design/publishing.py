"""What is published, as a choice of a design: which counts, and through which mechanism.

    driving, charging               these counts of [observe], and no other
    driving + picking, charging     two of them as one number

Publishing less never gives away more, so it has to cost something. The loss is what the best reader
of what is published is off by, on average, about the counts that [observe] has,

    loss = Σ_z Σ_i min over v of Σ_y P(y) C(z|y) |y_i − v|,

where y are those counts and C(z|y) is how probably z is published: the best reader knows the team,
its rates and the mechanism, and takes the median of each count given what is published. Of the
truth it is 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from scipy import sparse

from covey.dynamics.distribution import Distribution
from covey.errors import InputError, did_you_mean, shown
from covey.model.observation.observed_sum import ObservedSum
from covey.model.observation.query import Query
from covey.model.observation.release_table import ReleaseTable
from covey.model.scenario import Scenario
from covey.model.structure.count_bounds import largest_counts
from covey.numbers import SPACING, Floats, Ints, distinct_rows
from covey.privacy.stream.confidence import Bounded

_MOST_COUNTS = 6  # of which every coarsening is tried: 877 of them


@dataclass(frozen=True)
class Coarsening:
    """Which counts of [observe] are published, each by itself or with others.

    Attributes:
        groups: For every number that is published, the names that it adds up.
    """

    groups: tuple[tuple[str, ...], ...]

    @classmethod
    def parse(cls, text: str, scenario: Scenario) -> Coarsening:
        """The coarsening that a text such as `driving + picking, charging` writes."""
        known = list(scenario.query.groups(scenario.network))
        groups = [[name.strip() for name in part.split("+")] for part in text.split(",")]
        names = [name for group in groups for name in group]
        for name in names:
            if name not in known:
                raise InputError(
                    f"{shown(name)} in {shown(text)} is not seen: counts of [observe] are "
                    f"expected, as {shown(', '.join(known[:3]))}.{did_you_mean(name, known)}"
                )
            if names.count(name) > 1:
                raise InputError(f"{name} is published twice in {shown(text)}: once is expected")
        ordered = [tuple(sorted(group, key=known.index)) for group in groups]  # as [observe] has it
        return cls(tuple(sorted(ordered, key=lambda group: known.index(group[0]))))

    @property
    def names(self) -> tuple[str, ...]:
        """What the published numbers are called."""
        found = ["_and_".join(group) for group in self.groups]
        for i, group in enumerate(self.groups):
            while len(group) > 1 and found.count(found[i]) > 1:  # a count of [observe] is called so
                found[i] += "_"
        return tuple(found)

    def query(self, scenario: Scenario) -> Query:
        """What is then seen of the team."""
        seen = scenario.query.groups(scenario.network)
        sums = [reduce(ObservedSum.plus, (seen[name] for name in group)) for group in self.groups]
        return Query(dict(zip(self.names, map(str, sums), strict=True)))

    def of(self, names: Sequence[str], outcomes: Ints) -> Ints:
        """The published numbers of each outcome of [observe]: (outcomes, groups)."""
        columns = [[names.index(name) for name in group] for group in self.groups]
        return np.stack([outcomes[:, column].sum(axis=1) for column in columns], axis=1)

    def __str__(self) -> str:
        return ", ".join(" + ".join(group) for group in self.groups)


def every_coarsening(scenario: Scenario) -> list[str]:
    """All that can be published of what is seen, all of it first, but for nothing at all."""
    seen = scenario.query.groups(scenario.network)
    names = list(seen)
    if len(names) > _MOST_COUNTS:
        raise InputError(
            f"observe=*: {len(names)} counts are seen, and every way to publish up to "
            f"{_MOST_COUNTS} is tried: list those that are wanted, as observe=a, b|a + b"
        )
    alone = {name for name, one in seen.items() if one.threshold is not None}  # never added up
    found = [
        groups
        for groups in _partitions(names)
        if groups and not any(len(group) > 1 and alone & {*group} for group in groups)
    ]
    found.sort(key=lambda groups: (-sum(map(len, groups)), -len(groups)))
    return [str(Coarsening(tuple(map(tuple, groups)))) for groups in found]


def _partitions(names: Sequence[str]) -> Iterator[list[list[str]]]:
    """Every way to leave names out and to put the others into groups."""
    if not names:
        yield []
        return
    *rest, last = names
    for groups in _partitions(rest):
        yield groups
        yield [*groups, [last]]
        for i, group in enumerate(groups):
            yield [*groups[:i], [*group, last], *groups[i + 1 :]]


def loss_of(
    scenario: Scenario,
    distribution: Distribution,
    coarsening: Coarsening | None,
    table: ReleaseTable | None,
) -> Bounded:
    """What the best reader loses; `distribution` is that of all counts of [observe]."""
    shown_as = (
        distribution.outcomes
        if coarsening is None
        else coarsening.of(distribution.names, distribution.outcomes)
    )
    seen, place = distinct_rows(shown_as)
    if table is None:
        chances = sparse.eye_array(len(seen), format="csr")
    else:
        rows, _ = table.rows_of(seen)
        totals = table.table.sum(axis=1, keepdims=True)
        chances = sparse.csr_array((table.table / totals)[rows])  # C(z | what is seen)
    size = (len(distribution), len(seen))
    weights = sparse.csr_array(
        (distribution.probabilities, (np.arange(len(distribution)), place)), shape=size
    )
    joint = (weights @ chances).T  # (published, outcomes)
    value = sum(_column_loss(joint, column) for column in distribution.outcomes.T)
    off = distribution.log_error + SPACING * (len(distribution) + len(seen) + 16)
    beyond = (
        distribution.truncated_mass * _largest(scenario) if distribution.truncated_mass else 0.0
    )
    return Bounded(value, value * math.exp(-off), value * math.exp(off) + beyond)


def _column_loss(joint: sparse.csr_array, counts: Ints) -> float:
    """Σ_z min over v of Σ_y P(y, z) |y_i − v|: only counts that occur can be medians."""
    values, place = np.unique(counts, return_inverse=True)
    which = sparse.csr_array((np.ones(len(counts)), (np.arange(len(counts)), place)))
    by_value: Floats = (joint @ which).toarray()  # (published, values)
    away = np.abs(values[:, None] - values[None, :]).astype(float)
    return float((by_value @ away).min(axis=1).sum())


def _largest(scenario: Scenario) -> float:
    """The most by which anybody can be off about all counts together."""
    most = largest_counts(scenario.network, scenario.start)
    groups = scenario.query.groups(scenario.network).values()
    total = 0.0
    for group in groups:
        bounds = [(most[species], weight) for species, weight in group.terms]
        reach = sum(math.inf if b is None else b * weight for b, weight in bounds)
        total += 1.0 if group.threshold is not None else reach
    return total
