"""When one snapshot gives away most, and what snapshots give away that follow each other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from covey.app.answers.asked import Asked
from covey.errors import CoveyError
from covey.privacy.headline import DELTA, later_sentence, spoken
from covey.privacy.stream.pace import over_time, usual_pace
from covey.privacy.stream.stream import Stream
from covey.report.json_keys.stream import stream_keys
from covey.report.json_keys.trace import trace_keys
from covey.study.assessment import usual_trace, watched_stream
from covey.study.mix import mix
from covey.words import each

_ROUGHLY = 0.1  # how near the total variation is known at first


def time(asked: Asked) -> Iterator[tuple[str, Any]]:
    """The leakage over time, until `until` where that is given, else until the team has settled."""
    scenario = asked.scenario()
    found = usual_trace(asked.solver(scenario), scenario, asked.number("until"), asked.progress)
    delta = asked.number("delta")
    at = DELTA if delta is None else delta
    profiles = [one.profile for one in found.leakages]
    yield (
        "time",
        trace_keys(found)
        | {
            "total_variation": [profile.total_variation for profile in profiles],
            "guess": [profile.bayes_success for profile in profiles],
            "epsilon_at": {"delta": at, "epsilon": [p.epsilon_interval(at)[1] for p in profiles]},
            "settles": found.limit,
            "unit": found.unit,
            "said": str(found),
        },
    )


def snapshots(asked: Asked) -> Iterator[tuple[str, Any]]:
    """What many snapshots give away: where paths are drawn for it, first a few, then enough."""
    scenario = asked.scenario()
    solver = asked.solver(scenario)
    _, until = usual_pace(scenario)

    def part(found: Stream) -> dict[str, Any]:
        return stream_keys(found) | {
            "guess_lower": [one.lower for one in found.bayes_success],
            "guess_upper": [one.upper for one in found.bayes_success],
            "until": until,
            "usual": scenario.release.every is None,  # nobody said how often: a convention
            "said": str(found),
            "verdict": spoken(found.verdict),
            "each": each(found.every, found.unit),
            "later": spoken(later_sentence(over_time(scenario, found))),
        }

    found = watched_stream(solver, scenario, asked.progress, _ROUGHLY)
    if found.method == "exact":
        yield "snapshots", part(found) | {"rough": False}
        return
    yield "snapshots", part(found) | {"rough": True}
    found = watched_stream(solver, scenario, asked.progress)
    yield "snapshots", part(found) | {"rough": False}
    if scenario.release.is_stream:
        with suppress(CoveyError):  # what is not known soon is left out
            said = f"{found} {mix(scenario, solver.limits, asked.progress)}"
            yield "snapshots", part(found) | {"rough": False, "said": said}
