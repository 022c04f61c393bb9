"""The measures of a scenario's [performance], each expected at the moment that it is meant at."""

from __future__ import annotations

from collections.abc import Mapping

from covey.dynamics.chain import Chain
from covey.dynamics.expectation import Expected, average, chain_of_all, expected
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.model.observation.adversary import Moment
from covey.model.performance import Measure
from covey.model.scenario import Scenario


def expected_measures(
    solver: Solver,
    scenario: Scenario,
    measures: Mapping[str, Measure],
    progress: Progress | None = None,
) -> dict[str, Expected]:
    """What is expected of each measure, by its name; those of one moment are computed together.

    Args:
        solver: For the scenario's network.
        scenario: Whose team it is.
        measures: The measures.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    moments = {name: moment_of(scenario, one) for name, one in measures.items()}
    found: dict[str, Expected] = {}
    chain: Chain | None = None
    # Averages first: the distribution at their end is often met on the way, and stays with the
    # chain, which is held here, however large.
    for moment in sorted(dict.fromkeys(moments.values()), key=lambda one: one[0] == "at"):
        together = [name for name, own in moments.items() if own == moment]
        weights = [measures[name].weights(scenario.network, scenario.query) for name in together]
        kind, when = moment
        if kind == "at":
            (values,) = expected(solver, scenario.start, [when], weights, progress)
        else:
            chain = chain or chain_of_all(solver, scenario.start, progress)
            values = average(chain, float(when), weights, progress)
        found |= zip(together, values, strict=True)
    return found


def moment_of(scenario: Scenario, measure: Measure) -> tuple[str, Moment]:
    """When a measure is meant: "at" a moment, or "until" a time, on average."""
    if measure.until is not None:
        return "until", measure.until
    return "at", scenario.adversary.at if measure.at is None else measure.at
