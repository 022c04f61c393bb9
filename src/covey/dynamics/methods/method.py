"""What a method is: a value that says whether it can answer, on how many states, and answers.

    plan      can it, how large, why: the plan, or the reason is raised; nothing is computed
    compute   what was planned, for several moments in one pass

Whatever planning prepares stays with the plan, and computing goes on from there: the plan and the
deed are one thing, run dry and run.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from covey.dynamics.chain import Chain
from covey.dynamics.distribution import Distribution
from covey.dynamics.limits import Limits, MethodName
from covey.dynamics.prepared_network import PreparedNetwork
from covey.dynamics.validation import Progress
from covey.errors import CoveyError, TooLargeError
from covey.model.observation.adversary import Moment
from covey.model.observation.query import Query
from covey.model.structure.reachability import Reach
from covey.numbers import Ints

ASKED = "asked for"
Refused = Mapping[MethodName, CoveyError]  # by the methods before, each with its reason


def no_closed_form(refused: Refused) -> str:
    """Why the steady state is not had in closed form: it is not, or nobody asked for it."""
    closed = refused.get("product-form")
    return ASKED if closed is None else f"no closed form: {closed.message}"


class GaveUpError(Exception):
    """In computing it turned out that a method cannot: the next one is tried."""

    def __init__(self, reason: CoveyError) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Problem:
    """What every method is asked: the distribution of what is seen of the team that starts so."""

    prepared: PreparedNetwork
    start: Ints
    query: Query
    progress: Progress | None = None

    @property
    def limits(self) -> Limits:
        """Which method was asked for, on how many states, to which tolerance."""
        return self.prepared.limits

    @cached_property
    def reached(self) -> Reach:
        """How many states there are, as far as they were counted."""
        return self.prepared.reach(self.start)

    @cached_property
    def too_many(self) -> bool:
        """Whether the states certainly cannot all be listed."""
        return self.reached.grows is not None or self.prepared.too_many(self.start)

    @property
    def certainly_fits(self) -> bool:
        """Whether it is certain that the states can all be listed, folded or not."""
        return self.reached.states is not None and self.reached.states <= self.prepared.max_states

    @property
    def how_many(self) -> str:
        """Why not all of the states are listed."""
        if self.reached.grows is not None:
            return f"infinitely many states: {self.reached.why}"
        if self.limits.method is not None:
            return ASKED
        return f"{self.reached.at_least:,} states or more do not fit in memory"

    def chain(self) -> Chain:
        """The chain on every state, folded; only listing them shows whether they fit."""
        try:
            return self.prepared.chain(self.start, folded=True, progress=self.progress)
        except TooLargeError as error:
            raise GaveUpError(error) from error


@dataclass(frozen=True)
class Plan:
    """How a distribution will be computed, or why it will not be.

    Attributes:
        at: For which moment.
        method: By which method; None where the question is refused.
        why: Why by this one, or why not at all.
        states: How many states the Markov chain has, where they are counted.
        certain: False where only the computation can show whether the states, or the tables, fit
            in memory.
        refusal: The error that `Solver.distributions` raises, where the question is refused.
        tolerance: The probability that may be left out; 0 where every outcome is computed.
        prepared: What planning has made ready for computing.
    """

    at: Moment
    method: MethodName | None
    why: str
    states: int | None
    certain: bool = True
    refusal: CoveyError | None = None
    tolerance: float = 0.0
    prepared: Any = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class Method(ABC):
    """One way to compute."""

    name: ClassVar[MethodName]

    @abstractmethod
    def plan(self, problem: Problem, at: Moment, refused: Refused) -> Plan:
        """How it would answer; the reason is raised where it cannot."""

    @abstractmethod
    def compute(self, problem: Problem, plans: Sequence[Plan]) -> list[Distribution]:
        """What was planned for several moments; `GaveUpError` where it turns out that it cannot."""
