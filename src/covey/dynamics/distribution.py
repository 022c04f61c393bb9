"""Distribution: the probability of every outcome, whether outcomes are states or observations.

Probabilities are kept as logarithms, because leakage lives where they are 1e-24 and below. Two
numbers say how far they can be trusted, for every outcome y:

    |ln p(y) − ln p_true(y)| ≤ log_error                     (relative, where nothing is lost)
    p(y) ≤ p_true(y) ≤ p(y) + truncated_mass                      (additive, up to log_error)

A method that computes every state has lost nothing, or less than 1e-280 to underflow; a projection
or a window leaves out up to its tolerance, and so does the closed form of a large team; then only
the second says something of rare outcomes.

What is possible is another question, and has an exact answer where every state was listed: at any
time t > 0 whatever can be reached, in the limit the closed classes. Outcomes that are possible but
too improbable for the arithmetic are `lost`; all others that are not listed are then impossible.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from covey.errors import InputError, TooLargeError, did_you_mean
from covey.model.observation.query import Query
from covey.numbers import SPACING, Floats, Ints, distinct_rows
from covey.showing import Drawing
from covey.tabular import Tabular

if TYPE_CHECKING:
    import xarray as xr

_MOST_LISTED = 10_000_000  # counts of a marginal, one by one


@dataclass(frozen=True, eq=False)
class Distribution(Drawing, Tabular):
    """Outcomes in lexicographic order, each with its probability.

    Attributes:
        names: What each column of `outcomes` counts.
        outcomes: Whatever has a probability above 0, (outcomes, names).
        log_probabilities: Ln p of each, (outcomes,).
        log_error: How far any of them may be off, in the sense above.
        truncated_mass: The probability of all that was left out.
        method: How it was computed.
        why: And why not in another way.
        states: How many states were computed.
        lost: Outcomes that are possible as well, each less probable than `truncated_mass`,
            (lost, names); None where it is not known which they are.
    """

    names: tuple[str, ...]
    outcomes: Ints  # (outcomes, names)
    log_probabilities: Floats  # (outcomes,)
    log_error: float
    truncated_mass: float = 0.0
    method: str = ""
    why: str = ""
    states: int | None = None
    lost: Ints | None = None  # (lost, names)

    @classmethod
    def merge(
        cls,
        names: Sequence[str],
        rows: NDArray[np.integer],
        log_probabilities: Floats,
        *,
        log_error: float,
        truncated_mass: float = 0.0,
        method: str = "",
        why: str = "",
        states: int | None = None,
        complete: bool = False,
    ) -> Distribution:
        """The distribution of rows that may repeat: equal ones add up, and rounding is counted.

        Args:
            names: What each column counts.
            rows: An outcome each, (rows, names).
            log_probabilities: Ln p of each row, (rows,).
            log_error: How far any of them may be off.
            truncated_mass: The probability of what is in no row.
            method: How they were computed.
            why: And why not in another way.
            states: How many states were computed.
            complete: Whether the rows are all that is possible, and each of them is: where ln p is
                −inf they are lost.
        """
        outcomes, group = distinct_rows(rows)
        peak = np.full(len(outcomes), -np.inf)
        np.maximum.at(peak, group, log_probabilities)
        shift = np.where(np.isfinite(peak), peak, 0.0)
        with np.errstate(under="ignore", divide="ignore"):
            total = np.bincount(group, np.exp(log_probabilities - shift[group]), len(outcomes))
            merged = shift + np.log(total)
        kept = np.isfinite(merged)
        merged = merged[kept]
        # One rounding a term of the longest sum, and those of exponents as large as these.
        terms = int(np.bincount(group).max(initial=0))
        rounding = SPACING * (terms + 2 * float(np.abs(merged).max(initial=0.0)) + 8)
        return cls(
            tuple(names), outcomes[kept], merged, log_error + rounding, truncated_mass,
            method, why, states, outcomes[~kept] if complete else None,
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.outcomes)

    @cached_property
    def probabilities(self) -> Floats:
        """(outcomes,): zero where they are below 1e-308; the logarithms still know them."""
        with np.errstate(under="ignore"):
            return np.exp(self.log_probabilities)

    @property
    def support_known(self) -> bool:
        """Whether whatever is neither among `outcomes` nor `lost` is impossible."""
        return self.lost is not None or self.truncated_mass == 0

    @property
    def support(self) -> tuple[Ints, Floats]:
        """All that is known to be possible, and ln p of each: −inf of what was lost."""
        if self.lost is None or not len(self.lost):
            return self.outcomes, self.log_probabilities
        logs = np.append(self.log_probabilities, np.full(len(self.lost), -np.inf))
        return np.concatenate([self.outcomes, self.lost]), logs

    def observe(self, query: Query) -> Distribution:
        """The distribution of what the query shows; columns that it does not name are summed over.

        Args:
            query: Sums of this distribution's names.
        """
        if query.is_identity:
            return self
        place = {name: column for column, name in enumerate(self.names)}
        for name, group in query.sums.items():
            for species in group.species:
                if str(species) not in place:
                    raise InputError(
                        f"{name} sees {species}, which is not among "
                        f"{', '.join(self.names[:8])}.{did_you_mean(str(species), place)}"
                    )
        columns = {s: place[str(s)] for one in query.sums.values() for s in one.species}
        return self.shown_as(tuple(query.sums), lambda outcomes: query.shown(outcomes, columns))

    def shown_as(self, names: Sequence[str], show: Callable[[Ints], Ints]) -> Distribution:
        """The distribution of what each outcome shows.

        Args:
            names: What is counted in what is shown.
            show: From outcomes, a row each, to what each of them shows, a row each.
        """
        outcomes, logs = self.support
        return Distribution.merge(
            names,
            show(outcomes),
            logs,
            log_error=self.log_error,
            truncated_mass=self.truncated_mass,
            method=self.method,
            why=self.why,
            states=self.states,
            complete=self.support_known,
        )

    def probability(self, **counts: int) -> float:
        """P(free = 2, busy = 1): the probability of all outcomes with these counts.

        Args:
            **counts: A count for some of the names; the others may be anything.
        """
        return math.exp(self.log_probability(**counts))

    def log_probability(self, **counts: int) -> float:
        """The logarithm of the same; −inf where there is no such outcome.

        Args:
            **counts: A count for some of the names; the others may be anything.
        """
        match = np.ones(len(self), dtype=np.bool_)
        for name, count in counts.items():
            match &= self.outcomes[:, self._column(name)] == count
        found = self.log_probabilities[match]
        return float(np.logaddexp.reduce(found)) if len(found) else -math.inf

    def marginal(self, name: str) -> tuple[Ints, Floats]:
        """The counts 0, 1, … of one column, and the probability of each.

        Args:
            name: The column: one of `names`.
        """
        column = self.outcomes[:, self._column(name)]
        most = int(column.max(initial=0))
        if most > _MOST_LISTED:
            raise TooLargeError(
                f"{name} goes up to {most:,}, and counts up to {_MOST_LISTED:,} can be listed: "
                "take a smaller team, or the outcomes as they are"
            )
        counts = np.arange(most + 1, dtype=np.int64)
        weights = np.bincount(column, self.probabilities, len(counts))
        return counts, weights.astype(np.float64, copy=False)

    @cached_property
    def mean(self) -> dict[str, float]:
        """The mean of every column."""
        total = self.probabilities.sum()
        return dict(
            zip(self.names, (self.probabilities @ self.outcomes / total).tolist(), strict=True)
        )

    @cached_property
    def variance(self) -> dict[str, float]:
        """The variance of every column."""
        found = {}
        for column, name in enumerate(self.names):
            deviation = self.outcomes[:, column] - self.mean[name]
            found[name] = float(self.probabilities @ deviation**2 / self.probabilities.sum())
        return found

    @property
    def sd(self) -> dict[str, float]:
        """The standard deviation of every column."""
        return {name: math.sqrt(value) for name, value in self.variance.items()}

    @property
    def table_columns(self) -> dict[str, Any]:
        """A column for each name, `probability` and `log_probability`."""
        counts = dict(zip(self.names, self.outcomes.T, strict=True))
        logs = {"probability": self.probabilities, "log_probability": self.log_probabilities}
        return counts | logs

    def to_xarray(self) -> xr.DataArray:
        """The probabilities over a grid with one axis for each name; 0 where nothing can be."""
        import xarray as xr  # noqa: PLC0415

        shape = tuple(int(top) + 1 for top in self.outcomes.max(axis=0))
        if math.prod(shape) > 50_000_000:
            raise InputError(
                f"a grid of {' × '.join(map(str, shape))} cells is too large: "
                "observe fewer columns, or take to_pandas()"
            )
        grid = np.zeros(shape)
        grid[tuple(self.outcomes.T)] = self.probabilities
        coordinates = {n: np.arange(size) for n, size in zip(self.names, shape, strict=True)}
        return xr.DataArray(grid, coordinates, self.names, name="probability")

    def _column(self, name: str) -> int:
        if name not in self.names:
            hint = did_you_mean(name, self.names) or f" Known: {', '.join(self.names[:8])}."
            raise InputError(f"{name} is not seen here.{hint}")
        return self.names.index(name)


@dataclass(frozen=True)
class Computed:
    """By what several distributions were computed: every method that any of them took.

    Attributes:
        method: As `transient`, or `transient and projection`.
        why: Why by this method, or by each of them; of the distribution that lost most.
        states: Of the largest, where they were counted.
        truncated_mass: Of the distribution that lost most.
    """

    method: str
    why: str
    states: int | None
    truncated_mass: float

    @classmethod
    def of(cls, distributions: Sequence[Distribution]) -> Computed:
        """The summary.

        Args:
            distributions: All distributions behind a result; the first is the team's own.
        """
        reasons = dict.fromkeys(
            (distribution.method, distribution.why) for distribution in distributions
        )
        methods = list(dict.fromkeys(method for method, _ in reasons))
        why = max(distributions, key=lambda distribution: distribution.truncated_mass).why
        if len(methods) > 1:
            why = "; ".join(
                f"{method} for {sum(one.method == method for one in distributions)} of "
                f"{len(distributions)} teams: "
                + next(why for named, why in reasons if named == method)
                for method in methods
            )
        return cls(
            " and ".join(methods),
            why,
            max(
                (
                    distribution.states
                    for distribution in distributions
                    if distribution.states is not None
                ),
                default=None,
            ),
            max(distribution.truncated_mass for distribution in distributions),
        )
