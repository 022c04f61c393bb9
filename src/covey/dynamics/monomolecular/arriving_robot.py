"""A settled fleet, and one robot more that arrived some time ago: what is seen of them.

Where robots come and go, those of the start have left by the steady state. The robot of whom
something can be learnt is one that arrives: the fleet is in its stationary distribution, which an
arrival at a constant rate does not know of, and one robot more enters where robots of its type do.
At the age s it is wherever its type leads a robot in that time, or gone.

Where robots move independently (`closed_form.linear`) the distribution of what is seen is that of
the fleet, with one robot more, whose distribution is q(s): exact, for a fleet of any size.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from covey.dynamics.distribution import Distribution
from covey.dynamics.monomolecular.ages import ages
from covey.dynamics.monomolecular.closed_form import LinearForm
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import UnsupportedError
from covey.model.observation.query import Query
from covey.numbers import SPACING, Ints, distinct_rows

_BETWEEN = (5e-4, 5e-3, 5e-2)  # by how much one robot's distribution may bend between two ages
_MOST_OUTCOMES = (
    20_000_000  # of all distributions together; 24 bytes each, and more in a comparison
)


@dataclass(frozen=True, eq=False)
class Arrived:
    """For each type, the distributions of what is seen of the fleet and one such robot, age by age.

    Attributes:
        ages: How long ago it arrived.
        distributions: At each of these ages, by type.
        between: At an age in between, the probability of any event is that of a mixture of both
            distributions beside it, up to this; and after the last, as much has changed at the
            most.
    """

    ages: tuple[float, ...]
    distributions: dict[str, tuple[Distribution, ...]]
    between: float


def linear_form(solver: Solver) -> LinearForm:
    """The solver's; `UnsupportedError` where robots need each other, and a method that has none."""
    why = "give a time: then the robots of the start are protected"
    if solver.limits.method not in (None, "linear"):
        raise UnsupportedError(
            f'the method "{solver.limits.method}" does not follow a robot that arrives: leave the '
            f"method out, or {why}"
        )
    if isinstance(solver.linear, UnsupportedError):
        raise UnsupportedError(
            "robots come and go: those of the start have left by the steady state, and what is "
            "given away about one that arrives is computed where robots move independently, but "
            f"{solver.linear.message}. Ask for another moment: {why}"
        )
    return solver.linear


def arrived(
    solver: Solver,
    start: Ints,
    query: Query,
    sources: Mapping[str, Mapping[int, float]],
    progress: Progress | None = None,
) -> Arrived:
    """The distributions for each type, at every age that is worth a look.

    Args:
        solver: Of the network.
        start: How the fleet started: who never leaves is still there.
        query: What is seen.
        sources: For each type, at which rate its robots arrive at each species.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    form = linear_form(solver)
    tolerance = solver.limits.tolerance_of("linear")
    fleet = form.prepare(start, "steady", query, tolerance).distribution()
    for between in _BETWEEN:
        listed = ages(form.robot, list(sources.values()), between)
        if len(fleet) * len(listed) * len(sources) <= _MOST_OUTCOMES:
            break
    total = len(listed) * len(sources)

    def distributions() -> Iterator[tuple[str, tuple[Distribution, ...]]]:
        for number, (type_, places) in enumerate(sources.items()):
            found = []
            for i, guest in enumerate(form.robot.after(places, listed)):
                if progress is not None:
                    progress(number * len(listed) + i, total, f"{type_} at age {listed[i]:.3g}")
                found.append(form.prepare(start, "steady", query, tolerance, guest).distribution())
            yield type_, tuple(found)

    return Arrived(tuple(listed), dict(distributions()), between * _blurring(fleet))


def _blurring(fleet: Distribution) -> float:
    """How much of a change in one robot's distribution is left, at most, in what the fleet shows.

    With π_g the fleet's distribution with one robot more in g, a sum that is seen or nowhere, and r
    a change that adds up to zero, ½ |Σ_g r_g π_g| ≤ ½ |r| max TV(π_g, π_h) ≤ ½ |r| max (t_g + t_h),
    where
    t_g is how far π_g is from π: the larger the fleet, the less.
    """
    shifts = [0.0]
    for column in range(fleet.outcomes.shape[1]):
        more = fleet.outcomes.copy()
        more[:, column] += 1
        _, place = distinct_rows(np.concatenate([fleet.outcomes, more]))
        change = np.concatenate([fleet.probabilities, -fleet.probabilities])
        shifts.append(float(np.abs(np.bincount(place, change)).sum()) / 2)
    error = fleet.truncated_mass + math.expm1(fleet.log_error) + SPACING * len(fleet)
    return min(sum(sorted(shifts)[-2:]) + 2 * error, 1.0)


def still_there(solver: Solver, species: int, at: float) -> float | None:
    """The probability that a robot which starts at a species has not left; None if not known."""
    if isinstance(solver.linear, UnsupportedError):
        return None
    there = solver.linear.robot.at(species, at).values
    return float(1.0 - there[-1] / there.sum())
