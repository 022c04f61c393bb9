"""`covey infer --series`: a line of beliefs for every line of a feed, as soon as it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from covey.cli.options.arguments import Request
from covey.cli.printing import console, print_json, print_title
from covey.cli.streams import say, tell
from covey.errors import InputError

if TYPE_CHECKING:
    from covey.privacy.inference.change_watch import ChangeWatch
    from covey.privacy.inference.hidden_state import HiddenState
    from covey.privacy.inference.series import Line
    from covey.privacy.inference.watch import Watch, Watched

_COLUMNS = 6  # hypotheses that are shown


class _Believed(Protocol):
    @property
    def at(self) -> float | str: ...

    @property
    def possible(self) -> bool: ...


F = TypeVar("F", bound=_Believed)


class Feed(Generic[F]):
    """The lines of a series with what is believed after each; those that are wrong are told.

    Args:
        see: What is believed after a line, from its time and counts.
        file: The series, or `-`.
        names: What is seen.
        whom: For whom a line is impossible that is left out.
        activities: Where one robot is followed, what it may be doing, and how each is counted.
    """

    def __init__(
        self,
        see: Callable[[float, Mapping[str, int]], F],
        file: str,
        names: list[str],
        whom: str = "this team and every neighbour that is left",
        activities: Mapping[str, str] | None = None,
    ) -> None:
        self.activities = activities
        self.see, self.file, self.names, self.whom = see, file, names, whom
        self.skipped: list[InputError] = []

    def __iter__(self) -> Iterator[tuple[Line, F]]:
        from covey.privacy.inference.series import read_series
        from covey.words import when

        for line in read_series(self.file, self.names, self.activities):
            if isinstance(line, InputError):
                self._skip(line)
                continue
            try:
                found = self.see(line.time, line.counts)
            except InputError as error:
                self._skip(InputError(error.message, file=self.file, line=line.number))
                continue
            if not found.possible:
                seen = ", ".join(f"{name} {count}" for name, count in line.counts.items())
                tell(
                    f"covey: {self.file}:{line.number}: {seen} {when(found.at)} is "
                    f"impossible for {self.whom}: left out"
                )
            yield line, found

    def _skip(self, error: InputError) -> None:
        self.skipped.append(error)
        tell(f"covey: {error}: skipped")

    def check(self) -> None:
        """The end: exit code 2 where something had to be skipped."""
        if self.skipped:
            n = len(self.skipped)
            raise InputError(
                f"{n:,} line{'s' * (n > 1)} of the series could not be read and "
                f"{'were' if n > 1 else 'was'} skipped"
            )


def follow(
    request: Request, file: str, prior: Mapping[str, float] | None, *, changes: bool = False
) -> None:
    """Prints what is believed after every line; of a file with --json, one object in the end."""
    from covey.model.following import activities
    from covey.privacy.inference.change_watch import ChangeWatch
    from covey.privacy.inference.watch import watch

    scenario = request.scenario
    robot = activities(scenario) if scenario.adversary.follow else None
    with request.progress() as progress:
        watched: Watch | ChangeWatch
        if changes:
            watched = ChangeWatch(scenario, prior, limits=request.limits)
        else:
            watched = watch(scenario, prior=prior, limits=request.limits, progress=progress)
    feed = Feed(watched.see, file, watched.names, activities=robot)
    if request.json and file == "-":
        for line, found in feed:
            print_json({"line": line.number, "time": line.time} | _told(found))
    elif request.json:
        print_json(_all(feed, watched))
    else:
        print_title(console(), scenario)
        _print(feed, watched)
    feed.check()


def _told(found: Watched) -> dict[str, Any]:
    return {
        "posterior": found.robots,
        "teams": found.posterior,
        "observed": dict(found.observed),
        "possible": found.possible,
    }


def _all(feed: Feed[Watched], watched: Watch | ChangeWatch) -> dict[str, Any]:
    rows = [(line, _told(found)) for line, found in feed]
    keys = ("posterior", "teams", "observed", "possible")
    return {
        "times": [line.time for line, _ in rows],
        "lines": [line.number for line, _ in rows],
        **{key: [told[key] for _, told in rows] for key in keys},
        "prior": watched.prior,
        "skipped": [{"line": error.line, "why": error.message} for error in feed.skipped],
        "settled": watched.stationary,
        "method": "filtering",
    }


def _print(feed: Feed[Watched], watched: Watch | ChangeWatch) -> None:
    since = "the first line, the team having settled before" if watched.stationary else "the start"
    say(f"time since {since}; what is seen; the probability of every team after it")
    names = list(watched.prior)[:_COLUMNS]
    if len(watched.prior) > _COLUMNS:
        say(f"({len(watched.prior) - _COLUMNS} more teams are not shown; --json has them)")
    widths = {name: max(len(name), 8) for name in [*feed.names, *names]}
    say("  ".join([f"{'time':>8}", *(f"{name:>{widths[name]}}" for name in widths)]))
    for _, found in feed:
        seen = (f"{found.observed.get(name, ''):>{widths[name]}}" for name in feed.names)
        posterior = found.posterior
        beliefs = (f"{posterior[name]:>{widths[name]}.4g}" for name in names)
        note = [] if found.possible else ["impossible: left out"]
        say("  ".join([f"{found.at:>8g}", *seen, *beliefs, *note]))


def follow_state(request: Request, file: str) -> None:
    """Prints where robots are after every line; of a file with --json, one object in the end."""
    from covey.privacy.inference.hidden_state import StateWatch
    from covey.report.json_keys.hidden_state import state_keys

    scenario = request.scenario
    with request.progress() as progress:
        watched = StateWatch(scenario, limits=request.limits, progress=progress)
    names = list(scenario.query.groups(scenario.network))
    feed: Feed[HiddenState] = Feed(watched.see, file, names, "this team")
    if request.json and file == "-":
        for line, found in feed:
            print_json({"line": line.number, "time": line.time} | state_keys(found))
    elif request.json:
        rows = [(line, state_keys(found)) for line, found in feed]
        keys = ("places", "places_before", "counts", "observed", "possible", "error")
        print_json({
            "times": [line.time for line, _ in rows],
            "lines": [line.number for line, _ in rows],
            **{key: [told[key] for _, told in rows] for key in keys},
            "skipped": [{"line": error.line, "why": error.message} for error in feed.skipped],
            "settled": watched.stationary,
            "method": "filtering",
        })  # fmt: skip
    else:
        print_title(console(), scenario)
        since = "the first line" if watched.stationary else "the start"
        say(f"time since {since}; what is seen; where one robot of each type is most probably")
        for _, found in feed:
            seen = ", ".join(f"{name} {count}" for name, count in found.observed.items())
            note = "" if found.possible else "  (impossible: left out)"
            say(f"{found.at:>8g}  {seen}:  {'; '.join(_likeliest(found))}{note}")
    feed.check()


def _likeliest(found: HiddenState) -> list[str]:
    said = []
    for name, places in found.places.items():
        place = max(places, key=lambda one: places[one])
        said.append(f"{name} in {place} {places[place]:.4g}")
    return said
