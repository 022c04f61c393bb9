"""What the stream of a scenario's [release] tells of the mix: how many robots of each type.

A range for each type is needed that nobody has said: a few robots more or fewer than there are.
"""

from __future__ import annotations

from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import UnsupportedError
from covey.model.scenario import Scenario
from covey.privacy.inference.estimate.estimate import Estimation, estimate
from covey.privacy.stream.problem import Sampling

_AROUND = {2: 3, 3: 1, 4: 1}  # by how many types there are, robots more or fewer
_QUICK_STATES = 300
_PATHS = 200


def mix(
    scenario: Scenario, limits: Limits | None = None, progress: Progress | None = None
) -> Estimation:
    """What a watcher of all that is published comes to know of the mix, where that is known soon.

    Args:
        scenario: The team, and how often it is published.
        limits: How to compute: on how many states.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    types = scenario.team.types
    if len(types) not in _AROUND:
        raise UnsupportedError(f"{len(types)} types: covey estimate takes ranges for some of them")
    if Solver(scenario.network, limits).reach(scenario.start).at_least > _QUICK_STATES:
        raise UnsupportedError("the team has too many states for a moment: ask covey estimate")
    more = _AROUND[len(types)]
    of = {f"types.{name}": (max(n - more, 0), n + more) for name, n in types.items()}
    sampling = Sampling(paths=_PATHS)
    return estimate(scenario, of, sampling=sampling, limits=limits, progress=progress)
