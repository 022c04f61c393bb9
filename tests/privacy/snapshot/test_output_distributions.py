"""Distributions of neighbours beside each other: the same distributions, errors and news as one after the other."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from covey import Limits
from covey.dynamics.distribution import Distribution
from covey.dynamics.solver import Solver
from covey.errors import CoveyError, TooLargeError
from covey.paper.scenarios import task_network
from covey.privacy import distribution_cache as module
from covey.privacy.cases import Case, case_of
from covey.privacy.distribution_cache import DistributionCache, Key
from covey.privacy.snapshot.output_distributions import distributions_by

TEAM = task_network((4, 4, 4), (0.2, 0.5, 0.8), (0.8, 0.5, 0.2))


def _cases() -> list[Case]:
    return [case_of(TEAM), *(case_of(TEAM, neighbour) for neighbour in TEAM.team.neighbours())]


def _beside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SMALLEST", 2)


def test_distributions_beside_each_other_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    (alone,) = distributions_by(Solver(TEAM.network), TEAM)
    _beside(monkeypatch)
    (beside,) = distributions_by(Solver(TEAM.network), TEAM)
    assert [neighbour for neighbour, _ in beside.neighbours] == [n for n, _ in alone.neighbours]
    for (_, one), (_, other) in zip(alone.neighbours, beside.neighbours, strict=True):
        assert np.array_equal(one.log_probabilities, other.log_probabilities)
        assert np.array_equal(one.outcomes, other.outcomes)


def test_the_first_distribution_is_alone_and_the_others_are_beside(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _beside(monkeypatch)
    sizes: list[int] = []
    book = DistributionCache(Solver(TEAM.network), TEAM.query, [1.0])
    computed = book._computed

    def counted(starts: list[Key]) -> list[list[Distribution]]:
        sizes.append(len(starts))
        return computed(starts)

    monkeypatch.setattr(book, "_computed", counted)
    book.several(_cases())
    assert sizes == [1, 6]
    book.several(_cases())
    assert sizes == [1, 6]


def test_memory_for_all_of_them_or_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    _beside(monkeypatch)
    monkeypatch.setattr(module, "core_count", lambda: 4)
    (found,) = distributions_by(Solver(TEAM.network), TEAM)
    states = max(distribution.states or 0 for _, distribution in found.neighbours)
    book = DistributionCache(Solver(TEAM.network, Limits(max_states=3 * states)), TEAM.query, [1.0])
    book(case_of(TEAM))
    assert not book._worth_a_core_each()


def test_only_the_thread_that_asks_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    _beside(monkeypatch)
    told: list[str] = []
    tellers: set[threading.Thread] = set()

    def progress(done: float, total: float, text: str) -> None:
        tellers.add(threading.current_thread())
        told.append(text)

    distributions_by(Solver(TEAM.network), TEAM, None, progress)
    assert tellers == {threading.current_thread()}
    assert told[0].startswith("distribution 1: ")


def test_the_error_is_that_of_the_first_distribution_that_has_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _beside(monkeypatch)
    solver = Solver(TEAM.network)
    book = DistributionCache(solver, TEAM.query, [1.0])
    book(case_of(TEAM))
    starts: list[tuple[int, ...]] = []

    def distributions(start: tuple[int, ...], *_: object, **__: object) -> None:
        starts.append(start)
        raise TooLargeError(f"distribution of {start}", states=1)

    monkeypatch.setattr(solver, "distributions", distributions)
    cases = _cases()[1:]
    with pytest.raises(CoveyError) as caught:
        book.several(cases)
    assert f"distribution of {cases[0].start}" in str(caught.value)


def test_an_interruption_stops_the_distributions_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    _beside(monkeypatch)

    def interrupted(done: float, total: float, text: str) -> None:
        if not text.startswith("distribution 1:"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        distributions_by(Solver(TEAM.network), TEAM, None, interrupted)
