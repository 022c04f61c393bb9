"""What all that [release] publishes gives away through a table that was made for one snapshot.

A table keeps its promise at every snapshot by itself; its draws are fresh each time, and many of
them average out. So wherever a scenario says that it is published again and again, a table is
judged by its stream as well (`stream`), and what an observer makes of all of it is said beside what
the table costs. A constant is the same whatever is there: any number of them tells nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.model.observation.release_table import ReleaseTable
from covey.model.scenario import Scenario
from covey.privacy.stream.pace import usual_stream
from covey.privacy.stream.schedule import schedule
from covey.words import percent


@dataclass(frozen=True)
class WholeStream:
    """How often somebody is right who has seen all that [release] publishes.

    Attributes:
        snapshots: How many that are.
        bayes_success: How often, at most.
        confidence: With which that holds; 1 where it is certain.
    """

    snapshots: int
    bayes_success: float
    confidence: float

    @property
    def sure(self) -> str:
        """How well that is known: empty where it is certain."""
        return "" if self.confidence == 1 else f" (confidence {self.confidence:g})"

    def __str__(self) -> str:
        return (
            f"After all {self.snapshots:,} snapshots that [release] publishes, an observer is "
            f"right at most {percent(self.bayes_success, 'up')} of the time{self.sure}."
        )


def whole_stream(
    solver: Solver,
    scenario: Scenario,
    table: ReleaseTable,
    *,
    quick: int,
    accuracy: float = 0.02,
    progress: Progress | None = None,
) -> WholeStream:
    """What the scenario's stream gives away through a table.

    Args:
        solver: For the scenario's network.
        scenario: With a [release] that says how often and how long.
        table: What is published instead of what is there.
        quick: Refused on more states than this, of the team and its neighbours together.
        accuracy: How near the total variation is to be known.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    if table.constant is not None:
        return WholeStream(schedule(scenario, None, None, None, None).marks[-1], 0.5, 1.0)
    published = scenario.unpublished().with_({"release.mechanism": table}, warn=False)
    found = usual_stream(solver, published, quick=quick, accuracy=accuracy, progress=progress)
    sure = 1.0 if found.method == "exact" else found.confidence
    return WholeStream(found.snapshots[-1], found.bayes_success[-1].upper, sure)
