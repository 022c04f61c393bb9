"""What `covey protect --epsilon` answers: the tables, what they promise, and what else there is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from covey.cli.printing import begin_answer, print_json
from covey.cli.publication_tables import points_table
from covey.errors import CoveyError, TooLargeError

if TYPE_CHECKING:
    from covey.cli.options.arguments import Request
    from covey.dynamics.validation import Progress
    from covey.remedy.mechanism.losses import Loss
    from covey.remedy.mechanism.mechanism import Compared, Mechanism
    from covey.remedy.mechanism.whole_stream import WholeStream


def answer_table(
    request: Request, epsilon: float, asked: dict[str, Any], compare: bool, output: str | None
) -> None:
    """Finds the mechanism, saves it, and says what it promises.

    Args:
        request: The scenario, and how to answer.
        epsilon: The leakage that is allowed.
        asked: All else that `protect` takes.
        compare: Whether to say what else could be done.
        output: Where to save it.
    """
    from covey.privacy.headline import DELTA
    from covey.remedy.mechanism.protect import protect
    from covey.report.json_keys.mechanism import mechanism_keys

    began = time.perf_counter()
    with request.progress() as progress:
        found = protect(request.scenario, epsilon, **asked, progress=progress)
        if output is not None:  # before anything else is looked at, which may take longer
            found.save(output)
        at, left_out = asked["delta"] or DELTA, list[str]()
        others = _others(found, epsilon, asked["loss"], at, left_out) if compare else []
        whole, why = _whole(request, found, progress)
    if request.json:
        told = {} if whole is None else {"stream_guess": whole.bayes_success}
        print_json(mechanism_keys(found, others) | told | {"seconds": time.perf_counter() - began})
        return
    out = begin_answer(request.scenario, str(found))
    if whole is not None:
        out.print(f"That is for one snapshot. {whole}", style="bold")
    elif why:
        said = "That is for one snapshot; what all that [release] publishes gives away is not known"
        out.print(f"{said}: {why}.")
    if others:
        out.print()
        out.print(points_table([found.as_point(at), *others]))
    if left_out:
        out.print(f"\nnot compared, since it would take too much: {', '.join(left_out)}")
    if output is not None:
        out.print(f"\nsaved: {output}")


def _others(
    found: Mechanism, epsilon: float, loss: Loss, delta: float, left_out: list[str]
) -> list[Compared]:
    """What else could be published; where memory does not suffice for it, that is said."""
    from covey.remedy.mechanism.baselines import compared

    try:
        return compared(found.compared, epsilon, loss, delta, left_out)
    except (MemoryError, TooLargeError):
        left_out[:] = ["all other ways"]
        return []


def _whole(
    request: Request, found: Mechanism, progress: Progress | None
) -> tuple[WholeStream | None, str]:
    """What all that [release] publishes gives away through the table, or why that is not known."""
    from covey.dynamics.solver import Solver
    from covey.remedy.mechanism.whole_stream import whole_stream
    from covey.study.assessment import QUICK_STREAM

    scenario = request.scenario
    if not scenario.release.is_stream:
        return None, ""
    solver = Solver(scenario.network, request.limits)
    try:
        given = whole_stream(solver, scenario, found.release, quick=QUICK_STREAM, progress=progress)
    except CoveyError as error:
        return None, error.message
    return given, ""
