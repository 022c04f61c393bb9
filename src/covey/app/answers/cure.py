"""What to publish instead, and how to run the team instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from covey.app.answers.asked import Asked
from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.errors import CoveyError, InputError, TooLargeError
from covey.model.io.mechanism_file import mechanism_text, read_mechanism
from covey.model.io.value_edit import with_values
from covey.model.observation.release_table import ReleaseTable
from covey.model.scenario import Scenario
from covey.privacy.headline import DELTA
from covey.remedy.design.design import Design
from covey.remedy.design.design import design as solve
from covey.remedy.mechanism.baselines import compared
from covey.remedy.mechanism.protect import protect as find
from covey.remedy.mechanism.public_set import THIS
from covey.remedy.mechanism.staleness import check_few
from covey.remedy.mechanism.whole_stream import whole_stream
from covey.remedy.publisher import Publisher
from covey.report.json_keys.design import design_keys
from covey.report.json_keys.mechanism import mechanism_keys
from covey.study.assessment import QUICK_STREAM

_STARTS = 4
_DRAWN = 60  # rows or columns beyond which the page draws no table; the mechanism has it


def protect(asked: Asked) -> Iterator[tuple[str, Any]]:
    """The mechanism that costs least at ε, or at the ε at which nobody is surer than `guess`."""
    scenario, epsilon = asked.scenario(), asked.promised()
    if epsilon is None:
        raise InputError("epsilon or guess is expected", key="epsilon")
    delta = asked.number("delta") or 0.0
    limits = Limits(max_states=asked.solver(scenario).max_states)
    teams = THIS if scenario.secret.teams is None else None
    found = find(scenario, epsilon, delta, teams=teams, limits=limits, progress=asked.progress)
    own = found.release.for_team(scenario.team.types).table
    part = {
        "mechanism": mechanism_text(found.release),
        "counts": list(found.counts),
        "outcomes": found.seen.tolist(),
        "instead": found.published.tolist(),
        "table": own.tolist() if max(own.shape) <= _DRAWN else None,
        "guess_before": max(leak.profile.bayes_success for leak in found.before),
        "guess": max(profile.bayes_success for profile in found.profiles),
        "said": str(found),
    }
    yield "protect", mechanism_keys(found, []) | part
    part |= _stream(asked, found.release)
    others = compared(found.compared, epsilon, "l1", delta or DELTA)
    yield "protect", mechanism_keys(found, others) | part


def _stream(asked: Asked, table: ReleaseTable) -> dict[str, Any]:
    """What all that [release] publishes gives away through the table: the promise is for one."""
    scenario = asked.scenario()
    if not scenario.release.is_stream:
        return {}
    try:
        solver, quick = asked.solver(scenario), QUICK_STREAM
        found = whole_stream(solver, scenario, table, quick=quick, progress=asked.progress)
    except CoveyError as error:
        return {"why_no_stream": error.message}
    said, wanted = str(found), asked.number("guess")
    if wanted is not None and found.bayes_success > wanted:
        said += f" {_cure_of_stream(solver, scenario, wanted)}"
    return {"stream_guess": found.bayes_success, "stream": said}


def _cure_of_stream(solver: Solver, scenario: Scenario, wanted: float) -> str:
    """What keeps all of a stream to it."""
    try:
        check_few(solver, scenario.unpublished())
    except TooLargeError as error:
        return error.message[0].upper() + error.message[1:] + "."
    return (
        f"covey protect --target guess={wanted:g} --only-this-team finds what keeps all of them "
        "to it."
    )


def publish(asked: Asked) -> Iterator[tuple[str, Any]]:
    """One draw through a mechanism."""
    text, counts = asked.options.get("mechanism"), asked.options.get("counts")
    if not isinstance(text, str) or not isinstance(counts, Mapping):
        raise InputError("the text of a mechanism, and counts by their names, are expected")
    table = read_mechanism(text)
    team = asked.scenario().team.types if table.teams else None
    publisher = Publisher(table, team=team)
    yield "publish", {"published": publisher.publish(counts), "unknown": publisher.unknown > 0}


def design(asked: Asked) -> Iterator[tuple[str, Any]]:
    """How to run the team instead: first from one start, then from several, each exact."""
    scenario, ranges, front = asked.scenario(), asked.ranges(needed=True), asked.front()
    for starts in (1, _STARTS):
        found = solve(
            scenario,
            ranges,
            keep=asked.shares(),
            minimise=asked.options.get("minimise"),
            front=front if starts == _STARTS else 0,
            starts=starts,
            workers=1,
            limits=Limits(max_states=asked.solver(scenario).max_states),
            progress=asked.progress,
        )
        yield "design", _found(found, asked.text) | {"rough": starts < _STARTS}


def _found(found: Design, text: str) -> dict[str, Any]:
    points = [
        {
            "values": dict(point.settings),
            "measures": point.measures,
            "text": with_values(text, point.settings),
        }
        for point in found.front
    ]
    new = with_values(text, found.values)
    return design_keys(found) | {"text": new, "front": points, "said": str(found)}
