"""What is seen of independent robots: for each species they start at, the share of each group.

Groups are the sums of a query, and `nowhere`. Two groups belong together where some robot can be in
either. Unless `nowhere` is among those that belong together, they hold a fixed number of robots:
then one of them need not be followed, being what the others leave of that number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from covey.dynamics.ctmc.uniformization import SCALE
from covey.dynamics.monomolecular.convolution import DIGIT, Kinds
from covey.dynamics.monomolecular.one_robot import OneRobot, Whereabouts
from covey.errors import NoStationaryDistributionError
from covey.model.observation.adversary import Moment
from covey.model.observation.query import Query
from covey.numbers import UNIT, Floats, Ints

_SCALE_POWER = round(math.log2(SCALE))


@dataclass(frozen=True, eq=False)
class SeenRobots:
    """Robots that can be in several groups, as kinds; and what is fixed.

    Attributes:
        names: Of the groups.
        species: Where the robots of each kind start; -1 for one that arrived.
        kinds: How many there are, and their shares of `nowhere` (or of a group that is what the
            others leave) and of the groups that are followed.
        means: Of those that arrive, in each group that is followed.
        free: The groups that are followed.
        fixed: What surely is in each group.
        left: For a group that is not followed, those that belong to it: it has as many fewer.
        robots_error: Of ln of any product of all robots' shares.
        means_error: Of ln of a mean.
        lost: How often something is left out, being below all accuracy.
        key: What the groups, and which of them are followed, depend on.
    """

    names: tuple[str, ...]
    species: tuple[int, ...]
    kinds: Kinds
    means: Floats
    free: tuple[int, ...]
    fixed: Ints
    left: dict[int, tuple[int, ...]]
    robots_error: float
    means_error: float
    lost: int
    key: object

    @property
    def reach(self) -> Ints:
        """How many robots can be in each group that is followed: (free,)."""
        able = self.kinds.parts[:, 1:] > 0
        return np.asarray(self.kinds.counts @ able)

    def outcomes(self, rows: Ints) -> Ints:
        """Every group's count, from the counts of those that are followed: (outcomes, names)."""
        found = np.tile(self.fixed, (len(rows), 1))
        for column, group in enumerate(self.free):
            found[:, group] += rows[:, column]
        for group, others in self.left.items():
            for other in others:
                found[:, group] -= rows[:, self.free.index(other)]
        return found


def see(
    robot: OneRobot, start: Ints, at: Moment, query: Query, guest: Whereabouts | None = None
) -> SeenRobots:
    """The robots of a start at a moment, as a plain query shows them; and a guest, wherever it is.

    Raises `NoStationaryDistributionError` where ever more come to be seen.
    """
    groups, index = query.groups(robot.network), robot.network.index
    members = tuple(tuple(index[s] for s in group.species) for group in groups.values())
    present = np.flatnonzero(start)
    counts = start[present]
    places = [robot.at(s, at) for s in present.tolist()]
    if guest is not None:
        present, counts, places = np.append(present, -1), np.append(counts, 1), [*places, guest]
    values = np.array([place.values for place in places]).reshape(len(places), robot.gone + 1)
    of_group = np.zeros((robot.gone + 1, len(groups) + 1))
    of_group[:, 0] = 1.0
    for group, columns in enumerate(members, start=1):
        of_group[columns, :] = 0.0
        of_group[columns, group] = 1.0
    shares = values @ of_group  # (species, nowhere and groups)
    came = robot.arrived(at)
    means = _means(robot, came.values, members)
    together = _together(shares, means)
    # One of those that belong together is what the others leave: `nowhere`, or the first of them.
    chosen = np.array([together.index(label) for label in together])
    free = [g for g in range(1, len(together)) if chosen[g] != g]
    first = (shares > 0).argmax(axis=1)
    moving = (shares > 0).sum(axis=1) > 1
    fixed = np.zeros(len(together), dtype=np.int64)
    np.add.at(fixed, np.where(moving, chosen[first], first), counts)
    columns = np.column_stack([chosen[first], np.tile(free, (len(first), 1))])[moving]
    parts, powers = np.frexp(np.take_along_axis(shares[moving], columns.astype(np.intp), axis=1))
    digits = np.ceil((powers - 1 - _SCALE_POWER) / DIGIT).astype(np.int64)  # so that parts are < 2
    parts = np.ldexp(parts, powers - _SCALE_POWER - DIGIT * digits)
    errors = np.array([place.log_error for place in places]) + UNIT * (robot.gone + 1)
    return SeenRobots(
        names=tuple(groups),
        species=tuple(present[moving].tolist()),
        kinds=Kinds(counts[moving], parts, digits),
        means=means[[g - 1 for g in free]],
        free=tuple(g - 1 for g in free),
        fixed=fixed[1:],
        left={int(h) - 1: tuple(g - 1 for g in free if chosen[g] == h) for h in {*chosen} - {0}},
        robots_error=float(counts @ errors),
        means_error=came.log_error + UNIT * (robot.gone + 1),
        lost=came.lost + sum(n * p.lost for n, p in zip(counts.tolist(), places, strict=True)),
        key=(members, tuple(free)),
    )


def _means(robot: OneRobot, values: Floats, members: tuple[tuple[int, ...], ...]) -> Floats:
    """Of each group."""
    for columns in members:
        for column in columns:
            if math.isinf(values[column]):
                raise NoStationaryDistributionError(
                    f"there is no steady state of what is seen: robots arrive that stay at "
                    f"{robot.network.species[column]} or lead there again and again, so that "
                    "their number grows without end. Let them leave, or observe only the others"
                )
    return np.array([values[list(columns)].sum() for columns in members])


def _together(shares: Floats, means: Floats) -> list[int]:
    """For `nowhere` and each group the number of those that it belongs together with."""
    label = list(range(shares.shape[1]))
    links = [np.flatnonzero(row).tolist() for row in shares]
    links += [[0, g + 1] for g in np.flatnonzero(means).tolist()]
    for linked in links:
        merged = {label[g] for g in linked}
        least = min(merged)
        label = [least if each in merged else each for each in label]
    return label
