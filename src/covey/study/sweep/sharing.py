"""Which distributions the cells of a sweep need, so that each is computed once.

Cells that differ only in their team, or in who looks, have the same network: the neighbours of one
are often the teams of others. They are planned by distributions: a cell needs that of its team and
those of its neighbours, each named by its start, the least under the relabellings that change
nothing. Cells are taken in the order of these starts, so that a distribution's users follow each
other closely.

Where every cell has a network of its own there is nothing to share, and a cell is one task.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from covey.dynamics.state_space.symmetry import Symmetries
from covey.errors import CoveyError
from covey.files.journal import Record
from covey.model.observation.adversary import Moment
from covey.model.scenario import Scenario
from covey.privacy.cases import cases_of
from covey.privacy.hypotheses import hypotheses_of
from covey.privacy.snapshot.arriving import is_open
from covey.privacy.snapshot.output_distributions import TeamDistributions
from covey.study.sweep.axes import Axis, Value
from covey.study.sweep.cells import Distributions, DistributionsTask, Job, answered
from covey.study.sweep.measures import failed, measured

Book = tuple[Value, ...]  # the values of all axes that change more than the team
Start = tuple[int, ...]

_TEAM_TABLES = ("types", "resources", "adversary")
_BOOKS = 4  # networks that are kept


@dataclass(frozen=True)
class Need:
    """A distribution that is needed: of a start, in the network of a book, at several moments."""

    book: Book
    start: Start
    moments: tuple[Moment, ...]


@dataclass(frozen=True)
class Cell:
    """A cell and the distributions it needs: its team's first, then its neighbours'."""

    index: int
    needs: tuple[Need, ...]
    error: str = ""  # where it needs none because it has no answer


class Sharing:
    """How the cells of a job share distributions."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.design = job.design
        self._is_team = [_is_team(axis) for axis in self.design.axes]
        self._moments = _moments(job)
        self._known: dict[Book, tuple[Scenario, Symmetries]] = {}

    @property
    def pays(self) -> bool:
        """Whether cells have distributions in common.

        Asked of the whole sweep, not of what is left of it: a distribution at several moments is
            computed in one pass, and must be the same after a restart. What a team achieves is its
            own: then a cell is one task.
        """
        followed = self.job.scenario.adversary.follow is not None  # in another network
        if followed or not self.job.scenario.secret.is_default:  # it asks for more than neighbours
            return False
        if any(measure.achieved for measure in self.job.measures):
            return False
        table = self.job.scenario.release.mechanism
        if table is not None and table.teams:  # starts that look alike have tables of their own
            return False
        if is_open(self.job.scenario) and _some_steady(self.job):  # not about teams of the start
            return False
        if self.design.sample is not None:
            return all(self._is_team)
        pairs = zip(self._is_team, self.design.axes, strict=True)
        return any(is_team and len(axis.values) > 1 for is_team, axis in pairs)

    def plan(self, cells: Iterable[int]) -> list[Cell]:
        """The cells in a good order, with their needs."""
        by_book: dict[Book, list[Cell]] = {}
        for index in cells:
            book = self._book(index)
            by_book.setdefault(book, []).append(self._cell(index, book))
        return [
            cell
            for planned in by_book.values()
            for cell in sorted(
                planned, key=lambda c: (c.needs[0].start if c.needs else (), c.index)
            )
        ]

    def task(self, need: Need) -> DistributionsTask:
        """A distribution that is needed, as a worker gets it."""
        return DistributionsTask(
            self._prepared(need.book)[0], need.start, need.moments, self.job.limits
        )

    def measure(self, cell: Cell, distributions: Mapping[Need, Distributions]) -> Record:
        """What is found for a cell when all the distributions it needs are there."""
        if cell.error:
            return {"error": cell.error}
        found = []
        scenario = self._scenario(cell.index, self._book(cell.index))
        moment = scenario.adversary.at
        for need in cell.needs:
            distribution = distributions[need]
            if isinstance(distribution, dict):
                return distribution
            found.append(distribution[need.moments.index(moment)])
        neighbours = zip(hypotheses_of(scenario), found[1:], strict=True)
        team = TeamDistributions(scenario, moment, found[0], tuple(neighbours))
        return answered(lambda: measured(self.job.measures, team, scenario.adversary.smoothing))

    def _cell(self, index: int, book: Book) -> Cell:
        try:
            scenario = self._scenario(index, book)
            cases = cases_of(scenario, hypotheses_of(scenario))
        except CoveyError as error:
            return Cell(index, (), str(failed(error)["error"]))
        moment = scenario.adversary.at
        moments = self._moments if moment in self._moments else (moment,)
        alike = self._prepared(book)[1]
        starts = (alike.least(np.array(case.start)) for case in cases)
        return Cell(index, tuple(Need(book, start, moments) for start in starts))

    def _book(self, index: int) -> Book:
        values = zip(self.design.values(index), self._is_team, strict=True)
        return tuple(value for value, is_team in values if not is_team)

    def _book_changes(self, book: Book) -> dict[str, Value]:
        pairs = zip(self.design.axes, self._is_team, strict=True)
        axes = (axis for axis, is_team in pairs if not is_team)
        return {name: value for axis, value in zip(axes, book, strict=True) for name in axis.names}

    def _prepared(self, book: Book) -> tuple[Scenario, Symmetries]:
        """The scenario of a book, and which of its teams are alike; a few of them are kept."""
        if book not in self._known:
            while len(self._known) >= _BOOKS:
                del self._known[next(iter(self._known))]
            scenario = self.job.scenario.with_(self._book_changes(book), warn=False)
            alike = Symmetries(scenario.network).keeping(scenario.query)
            self._known[book] = scenario, alike
        return self._known[book]

    def _scenario(self, index: int, book: Book) -> Scenario:
        """The scenario of a cell: its book's, with another team and adversary."""
        changes = self.design.changes(index)
        own = {name: v for name, v in changes.items() if name.partition(".")[0] in _TEAM_TABLES}
        return self._prepared(book)[0].with_(own, warn=False)


def _is_team(axis: Axis) -> bool:
    return all(name.partition(".")[0] in _TEAM_TABLES for name in axis.names)


def _some_steady(job: Job) -> bool:
    """Whether the adversary of some cell comes at steady state."""
    for axis in job.design.axes:
        if "adversary.at" in axis.names:
            return "steady" in axis.values
    return job.scenario.adversary.at == "steady"


def _moments(job: Job) -> tuple[Moment, ...]:
    """All times of a grid: a team is solved for them in one pass."""
    if job.design.sample is not None:
        return ()
    for axis in job.design.axes:
        if "adversary.at" in axis.names:
            return tuple(float(at) for at in axis.values if not isinstance(at, str))
    return ()
