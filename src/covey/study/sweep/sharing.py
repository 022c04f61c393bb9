"""Which laws the cells of a sweep need, so that each is computed once.

Cells that differ only in their team, or in who looks, have the same network: the neighbours of one
are often the teams of others. They are planned by laws: a cell needs that of its team and those of
its neighbours, each named by its start, the least under the relabellings that change nothing. Cells
are taken in the order of these starts, so that a law's users follow each other closely.

Where every cell has a network of its own there is nothing to share, and a cell is one task.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from covey.errors import CoveyError, CoveyWarning
from covey.model.adversary import Adversary
from covey.model.scenario import Scenario
from covey.model.team import Team
from covey.privacy.laws import Moment, TeamLaws, neighbours_of, symmetries
from covey.study.sweep.axes import Axis, Value, changed
from covey.study.sweep.cells import Job, Laws, Unit
from covey.study.sweep.measures import Record, failed

Book = tuple[Value, ...]  # the values of all axes that change more than the team
Start = tuple[int, ...]

_TEAM_TABLES = ("types", "resources", "adversary")


@dataclass(frozen=True)
class LawTask:
    """The law of a start, in the network of a book, at several moments."""

    book: Book
    start: Start
    moments: tuple[Moment, ...]


@dataclass(frozen=True)
class Cell:
    """A cell and the laws it needs: its team's first, then its neighbours'."""

    index: int
    needs: tuple[LawTask, ...]
    error: str = ""  # where it needs none because it has no answer


class Sharing:
    """How the cells of a job share laws."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.design = job.design
        self._is_team = [_is_team(axis) for axis in self.design.axes]
        self._moments = _moments(job)
        self.scenario_of = lru_cache(maxsize=4)(self._scenario_of)
        self._images_of = lru_cache(maxsize=4)(self._symmetries_of)

    @property
    def pays(self) -> bool:
        """Whether cells have laws in common.

        Asked of the whole sweep, not of what is left of it: a law at several moments is computed
        in one pass, and must be the same after a restart.
        """
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

    def unit(self, task: LawTask) -> Unit:
        """A task as a worker gets it."""
        return self.job.laws_unit(self._book_changes(task.book), task.start, task.moments)

    def measure(self, cell: Cell, laws: Mapping[LawTask, Laws]) -> Record:
        """What is found for a cell when all the laws it needs are there."""
        if cell.error:
            return {"error": cell.error}
        found = []
        scenario = self._scenario(cell.index, self._book(cell.index))
        moment = scenario.adversary.at
        for need in cell.needs:
            law = laws[need]
            if isinstance(law, dict):
                return law
            found.append(law[need.moments.index(moment)])
        neighbours = zip(neighbours_of(scenario), found[1:], strict=True)
        team = TeamLaws(scenario, moment, found[0], tuple(neighbours))
        try:
            return self.job.measure.of(team, scenario.adversary.smoothing)
        except MemoryError:
            raise
        except Exception as error:  # as in `solve_cell`
            return failed(error)

    def _cell(self, index: int, book: Book) -> Cell:
        try:
            scenario = self._scenario(index, book)
            teams = [scenario.team, *(n.team for n in neighbours_of(scenario))]
        except CoveyError as error:
            return Cell(index, (), str(failed(error)["error"]))
        moment = scenario.adversary.at
        moments = self._moments if moment in self._moments else (moment,)
        images = self._images_of(book)
        starts = (_least(scenario.start_of(team), images) for team in teams)
        return Cell(index, tuple(LawTask(book, start, moments) for start in starts))

    def _book(self, index: int) -> Book:
        values = zip(self.design.values(index), self._is_team, strict=True)
        return tuple(value for value, is_team in values if not is_team)

    def _book_changes(self, book: Book) -> dict[str, Value]:
        pairs = zip(self.design.axes, self._is_team, strict=True)
        axes = (axis for axis, is_team in pairs if not is_team)
        return {name: value for axis, value in zip(axes, book, strict=True) for name in axis.names}

    def _scenario_of(self, book: Book) -> Scenario:
        return changed(self.job.scenario, self._book_changes(book))

    def _symmetries_of(self, book: Book) -> list[NDArray[np.intp]]:
        return symmetries(self.scenario_of(book))

    def _scenario(self, index: int, book: Book) -> Scenario:
        """The scenario of a cell: its book's, with another team and adversary."""
        base = self.scenario_of(book)
        tables: dict[str, dict[str, Any]] = {
            "types": dict(base.team.types),
            "resources": dict(base.team.resources),
            "adversary": vars(base.adversary).copy(),
        }
        for name, value in self.design.changes(index).items():
            table, _, key = name.partition(".")
            if table in tables:
                tables[table][key] = value
        return _remade(base, tables)


def _remade(base: Scenario, tables: dict[str, dict[str, Any]]) -> Scenario:
    """A scenario with another team and adversary; the network is not read again."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CoveyWarning)
        return Scenario(
            base.network,
            Team(tables["types"], tables["resources"]),
            base.query,
            Adversary(**tables["adversary"]),
            initial=base.initial,
            title=base.title,
        )


def _is_team(axis: Axis) -> bool:
    return all(name.partition(".")[0] in _TEAM_TABLES for name in axis.names)


def _moments(job: Job) -> tuple[Moment, ...]:
    """All times of a grid: a team is solved for them in one pass."""
    if job.design.sample is not None:
        return ()
    for axis in job.design.axes:
        if "adversary.at" in axis.names:
            return tuple(float(at) for at in axis.values if not isinstance(at, str))
    return ()


def _least(start: NDArray[np.int64], images: list[NDArray[np.intp]]) -> Start:
    return min(tuple(start[image].tolist()) for image in images)
