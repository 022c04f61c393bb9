"""What snapshots tell of every neighbour, by whichever way is open: the figures of a `stream`.

- A neighbour that nothing tells from the team is recognised, exactly (`indistinguishable`).
- Few snapshots are summed over all that can be seen (`exact`).
- Many are sampled and filtered exactly (`survey`).
- A team too large for that is approximated, with bounds beside it (`normal_approximation`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from covey.dynamics.hmm.hidden_markov import Schedule
from covey.dynamics.hmm.likelihood_ratio import Reports
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import TooLargeError, UnsupportedError
from covey.model.hypothesis import Hypothesis
from covey.model.observation.adversary import Moment
from covey.model.observation.release_table import ReleaseTable
from covey.model.team import Team
from covey.numbers import Ints
from covey.privacy.hypotheses import Star
from covey.privacy.snapshot.channel import Reporting, reported, reports_of, seen_through
from covey.privacy.snapshot.output_distributions import star_distributions
from covey.privacy.snapshot.published import released
from covey.privacy.stream.exact import exact_distributions, exactly_told
from covey.privacy.stream.indistinguishable import told_by_nothing
from covey.privacy.stream.large_teams.normal_approximation import approximated
from covey.privacy.stream.large_teams.simulated_paths import first_look
from covey.privacy.stream.problem import StreamProblem
from covey.privacy.stream.stream_row import never_falling, nothing_told
from covey.privacy.stream.survey import Sampled, Survey

_MOST_SURVEYED = 2_000_000  # states: too many for the few that can be filtered to hold their mass


@dataclass(frozen=True)
class Figures:
    """The figures of every neighbour.

    Attributes:
        pairs: Each hypothesis, and the figures of it.
        at: When the first snapshot is that the figures are about.
        method: "exact", "paths" or "normal".
        exact: Up to how many snapshots they are exact.
        states: Of the largest chain on which paths were drawn.
    """

    pairs: tuple[tuple[Hypothesis, Sampled], ...]
    at: Moment
    method: str
    exact: int = 0
    states: int | None = None


def too_large_to_follow(solver: Solver, start: Ints) -> bool:
    """Whether snapshots of a team are only approximated: its chain takes too much room, or time."""
    return _too_many(solver, start) or (solver.reach(start).states or 0) > _MOST_SURVEYED


def _too_many(solver: Solver, start: Ints) -> bool:
    return solver.reach(start).grows is not None or solver.too_many(start)


def figures(
    solver: Solver,
    problem: StreamProblem,
    hypotheses: Sequence[Hypothesis],
    progress: Progress | None = None,
) -> Figures:
    """What is told of every hypothesis, of those that are alike exactly nothing."""
    scenario, looks, table = problem.scenario, problem.looks, problem.scenario.release.mechanism
    plain, shown = scenario.watched.unpublished(), scenario.release.stand_in
    if shown is not None:
        solver = solver.at_rates(plain.network)
    problem = replace(problem, scenario=plain)
    star = Star(plain, tuple(hypotheses))
    one_each = table is not None and bool(table.teams)  # then tables may tell those that are alike
    same = [not one_each and told_by_nothing(solver, plain, one, looks.at) for one in hypotheses]
    coin = 0.0 if shown is None else shown.truth
    rows_ = tuple(nothing_told(n, len(problem.epsilons), coin) for n in looks.marks)
    nothing = Sampled(rows_, 0)
    if all(same) and problem.seen is None and table is None:
        # A channel has to be looked at, should it be wrong.
        pairs = tuple((one, nothing) for one in hypotheses)
        return Figures(pairs, looks.at, "exact", looks.count)
    found = _Finding(solver, problem, star, table, progress).found()
    rows = zip(found.pairs, same, strict=True)
    return replace(found, pairs=tuple((n, nothing if s else drawn) for (n, drawn), s in rows))


@dataclass(frozen=True)
class _Finding:
    solver: Solver
    problem: StreamProblem
    star: Star
    table: ReleaseTable | None
    progress: Progress | None

    def found(self) -> Figures:
        """What is told, whether or not the types are alike."""
        solver, scenario, looks = self.solver, self.problem.scenario, self.problem.looks
        table, epsilons = self.table, self.problem.epsilons
        seen = _channel(table, self.problem.seen, scenario.team)
        large = too_large_to_follow(solver, scenario.start)
        if looks.count > 1 and large:
            fits = not _too_many(solver, scenario.start)
            if seen is not None and not fits:
                raise solver.refusal(scenario.start)
            if seen is None and not (fits and solver.has_closed_form):
                return self._roughly(Figures((), looks.at, "exact"), looks)
        (one,) = star_distributions(solver, [self.star], [looks.at], self.progress)
        if seen is None:
            exact, reports = exact_distributions(solver, one, looks, self.progress), None
        else:
            published = one if table is None else one.published(table)
            exact = {1: seen_through(published, self.problem.seen)}
            reports = partial(self._reports, one.team.names)
        rows = zip(
            *(exactly_told(distributions, n, epsilons) for n, distributions in exact.items()),
            strict=True,
        )
        neighbours = [neighbour for neighbour, _ in one.neighbours]
        pairs = tuple((n, Sampled(r, 0)) for n, r in zip(neighbours, rows, strict=True))
        known = Figures(pairs, looks.at, "exact", max(exact))
        later = replace(looks, marks=tuple(n for n in looks.marks if n not in exact))
        if not later.marks:
            return known
        if seen is None and large:
            return self._roughly(known, later)
        survey = Survey(
            solver, replace(self.problem, looks=later), reports, self.progress,
            one_each=table is not None and bool(table.teams),
        )  # fmt: skip
        try:
            drawn = survey.estimates(
                neighbours, [r.rows[0].total_variation.value for _, r in pairs]
            )
        except TooLargeError:
            if seen is not None:
                raise
            return self._roughly(known, later)
        return replace(_joined(known, drawn), method="paths", states=survey.states or None)

    def _reports(self, names: tuple[str, ...], team: Team) -> Reports:
        """What is reported of a team."""
        channel = _channel(self.table, self.problem.seen, team)
        assert channel is not None
        held = self.table.held if self.table is not None and self.table.hold else None
        return Reports(partial(reports_of, channel, names), held)

    def _roughly(self, known: Figures, later: Schedule) -> Figures:
        """The approximation, after what is known exactly, if that is about the same moment."""
        neighbours = self.star.hypotheses
        at = first_look(self.solver, self.star, later.at, self.progress)
        if at != known.at or not known.pairs:
            known = Figures(tuple((n, Sampled((), 0)) for n in neighbours), at, "")
            later = self.problem.looks
        problem = replace(self.problem, looks=later)
        drawn = approximated(self.solver, problem, neighbours, at, self.progress)
        return replace(_joined(known, drawn), method="normal")


def _joined(known: Figures, drawn: list[Sampled]) -> Figures:
    """What is known exactly, and after it what was drawn; more snapshots never tell less."""
    both = zip(known.pairs, drawn, strict=True)
    pairs = ((n, Sampled(never_falling([*k.rows, *d.rows]), d.paths)) for (n, k), d in both)
    return replace(known, pairs=tuple(pairs))


def _channel(table: ReleaseTable | None, seen: Reporting | None, team: Team) -> Reporting | None:
    """What is reported of a team: through the mechanism first, where there is one."""
    if table is None:
        return seen
    if table.hold and seen is not None:
        raise UnsupportedError(
            "the mechanism holds its values, and whoever sees only some of them does not know the "
            "last one: such an observer cannot be followed"
        )
    publish = partial(released, table=table.for_team(team.types))
    return publish if seen is None else lambda distribution: reported(publish(distribution), seen)
