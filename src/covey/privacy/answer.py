"""The answer in one call: what one snapshot gives away, and what more of them tell.

More snapshots are followed where that is known in a moment, on few states, or on more where the
scenario's [release] says how often they are published. Where they are not followed, the answer
says why.
"""

from __future__ import annotations

from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import CoveyError, UnsupportedError
from covey.model.scenario import Scenario
from covey.privacy.headline import DELTA, OverTime
from covey.privacy.snapshot.channel import Reporting, seen_through
from covey.privacy.snapshot.leakage import Headline, leakage_of
from covey.privacy.snapshot.output_distributions import distributions_by
from covey.privacy.stream.pace import over_time, usual_stream

_QUICK_STATES, _QUICK_STATES_IF_PUBLISHED = 300, 10_000  # of the team and its neighbours together


def headline(
    scenario: Scenario,
    *,
    delta: float = DELTA,
    seen: Reporting | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Headline:
    """What `covey leakage` says: its `leakage` of one snapshot, and `over_time` of more.

    Args:
        scenario: The team, its network, what is seen of it, and when.
        delta: The probability at which ε is given.
        seen: What is reported of what is there, as `seen_through` takes it; by default all.
        limits: How to compute: which method, on how many states, to which tolerance.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    solver = Solver(scenario.network, limits)
    (distributions,) = distributions_by(solver, scenario, progress=progress)
    found = leakage_of(seen_through(distributions, seen), scenario.adversary.smoothing)
    return found.headline(delta, _later(solver, scenario, seen, progress))


def _later(
    solver: Solver, scenario: Scenario, seen: Reporting | None, progress: Progress | None
) -> OverTime:
    published = scenario.release.every is not None
    quick = _QUICK_STATES_IF_PUBLISHED if published else _QUICK_STATES
    try:
        if seen is not None:
            raise UnsupportedError(
                "an observer who does not see everything is followed where that is asked for: "
                "covey stream --seen"
            )
        return over_time(scenario, usual_stream(solver, scenario, quick=quick, progress=progress))
    except CoveyError as error:
        return OverTime(why=error.message)
