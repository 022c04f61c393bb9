"""What was seen, and what is known besides: counts of sums of species that hold in one state.

The sums may overlap: `free = {A} + {B}` is seen, `{A}` is known. Species that look alike in all of
them need not be told apart, so the distribution of one count for each class of such species has
all that is needed (`Query.classes`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from covey.dynamics.distribution import Distribution
from covey.errors import InputError, did_you_mean
from covey.model.observation.observed_sum import ObservedSum
from covey.model.observation.query import Query
from covey.model.observation.release_table import ReleaseTable
from covey.model.scenario import Scenario
from covey.model.team import Team, check_count
from covey.numbers import SPACING, Floats, Ints
from covey.words import rounded, shown

_NAMED = 3  # possible observations that are named where an impossible one was given


@dataclass(frozen=True)
class Evidence:
    """Counts that are seen and counts that are known, with the species that each one sums."""

    observed: dict[str, int]
    known: dict[str, int]
    query: Query  # of the observed, then of the known
    table: ReleaseTable | None = None  # by which all sums are published that are seen; these first

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """(sums,): the counts that were seen and are known, as the query has them."""
        return np.array([*self.observed.values(), *self.known.values()], dtype=np.int64)

    def refined(self, scenario: Scenario) -> Scenario:
        """The scenario in which the classes of species are seen that look alike."""
        return scenario.unpublished(self.query.classes[0])

    def sums_of(self, outcomes: Ints) -> Ints:
        """(outcomes, sums): every sum in each outcome of a distribution of classes."""
        return self.query.compared(outcomes @ self.query.classes[1])

    def for_team(self, team: Team) -> Evidence:
        """The same, as it is published of one team."""
        return self if self.table is None else replace(self, table=self.table.for_team(team.types))

    def log_likelihood(self, distribution: Distribution) -> float:
        """`ln` of the probability of what was seen and is known; −inf where it is impossible."""
        chances = self.chances(self.sums_of(distribution.outcomes))
        found = distribution.log_probabilities[chances > 0] + np.log(chances[chances > 0])
        return float(np.logaddexp.reduce(found)) if len(found) else -math.inf

    def chances(self, sums: NDArray[np.int64]) -> Floats:
        """For each outcome, how probable it is to show this: 0 or 1 where the truth is shown.

        Args:
            sums: What the query counts in each outcome: (outcomes, sums).
        """
        if self.table is None:
            return np.asarray((sums == self.counts).all(axis=1), dtype=float)
        seen = len(self.table.counts)
        known = (sums[:, seen:] == list(self.known.values())).all(axis=1)
        return np.where(known, self.table.chances(sums[:, :seen], self.observed), 0.0)

    def not_excluded(self, distribution: Distribution) -> bool:
        """Whether it is possible, however improbable, or not known to be impossible."""
        rows = self.sums_of(distribution.support[0])
        return not distribution.support_known or bool((self.chances(rows) > 0).any())

    def bounds(self, distribution: Distribution) -> tuple[float, float]:
        """Between which logarithms that probability certainly lies."""
        if not self.not_excluded(distribution):
            return -math.inf, -math.inf
        log = self.log_likelihood(distribution)
        lost = (
            math.log(distribution.truncated_mass) if distribution.truncated_mass > 0 else -math.inf
        )
        terms = len(distribution) + sum(
            abs(value) for value in (log, lost) if not math.isinf(value)
        )
        error = distribution.log_error + SPACING * (terms + 8)
        return log - error, float(np.logaddexp(log + error, lost + error))

    def refuse(self, distributions: Iterable[Distribution], when: str) -> NoReturn:
        """`InputError` for what no distribution allows, naming what comes nearest."""
        listed = list(distributions)
        if self.table is not None:
            raise InputError(
                f"{self._shown(self.counts.tolist())} is never published {when}, by this team or "
                "by any neighbour it is weighed against: the mechanism publishes other counts",
                key="observed",
            )
        rows = np.unique(
            np.concatenate([self.sums_of(distribution.outcomes) for distribution in listed]), axis=0
        )
        away = np.abs(rows - self.counts).sum(axis=1)
        nearest = rows[np.argsort(away, kind="stable")[:_NAMED]]
        possible = "; ".join(self._shown(row.tolist()) for row in nearest)
        lost = max(
            (
                distribution.truncated_mass
                for distribution in listed
                if self.not_excluded(distribution)
            ),
            default=0.0,
        )
        note = (
            f" (or less probable than {rounded(lost, '.1g', 'up')}, which was not computed)"
            if lost > 0
            else ""
        )
        raise InputError(
            f"{self._shown(self.counts.tolist())} is impossible {when}, for this team and for "
            f"every neighbour it is weighed against{note}. Nearest to it are {possible}",
            key="observed",
        )

    def _shown(self, counts: list[int]) -> str:
        named = zip([*self.observed, *self.known], counts, strict=True)
        pairs = list(named)
        seen, known = dict(pairs[: len(self.observed)]), dict(pairs[len(self.observed) :])
        return " with ".join(shown(part) for part in (seen, known) if part)


def read_evidence(
    scenario: Scenario, observed: Mapping[str, int], knowing: Mapping[str, int]
) -> Evidence:
    """The evidence, its names looked up: those observed in the query, those known anywhere."""
    if not observed and not knowing:
        raise InputError("nothing was observed: give at least one count", key="observed")
    groups = scenario.query.groups(scenario.network)
    for name in observed:
        if name not in groups:
            hint = did_you_mean(name, groups) or f" What is seen: {', '.join(list(groups)[:8])}."
            raise InputError(f"{name[:40]} is not seen here.{hint}", key=f"observed.{name}")
    table = scenario.release.of_one_snapshot
    return Evidence(
        {name: check_count(count, f"observed.{name}") for name, count in observed.items()},
        {name: check_count(count, f"knowing.{name}") for name, count in knowing.items()},
        _together(
            *(groups[name] for name in (observed if table is None else groups)),
            *(_known(name, scenario, groups) for name in knowing),
        ).with_stages(scenario.network),
        table,
    )


def _together(*sums: ObservedSum) -> Query:
    return Query({f"sum{i}": str(one) for i, one in enumerate(sums)})


def _known(name: str, scenario: Scenario, groups: Mapping[str, ObservedSum]) -> ObservedSum:
    """What a count that is known counts: one of the query's sums, or any sum written out."""
    if name in groups:
        return groups[name]
    key = f"knowing.{name}"
    everything = [*groups, *map(str, scenario.network.species)]
    try:
        sum_ = ObservedSum.parse(name, "what is known")
    except InputError as error:
        raise InputError(f"{error.message}.{did_you_mean(name, everything)}", key=key) from None
    for one in sum_.species:
        if one not in scenario.network.index:
            hint = did_you_mean(str(one), everything) or (
                f" Known are {', '.join(everything[:8])}, and sums of species."
            )
            raise InputError(f"{one} is in no reaction and not seen.{hint}", key=key)
    return sum_
