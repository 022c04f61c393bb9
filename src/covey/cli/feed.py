"""`covey infer --series`: a line of beliefs for every line of a feed, as soon as it is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from covey.cli.arguments import Request
from covey.cli.printing import console, print_json, print_title
from covey.cli.streams import say, tell
from covey.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from covey.privacy.inference.series import Line
    from covey.privacy.inference.watch import Watch, Watched

_COLUMNS = 6  # hypotheses that are shown


class _Feed:
    """The lines of a series with what is believed after each; those that are wrong are told."""

    def __init__(self, watch: Watch, file: str, names: list[str]) -> None:
        self.watch, self.file, self.names = watch, file, names
        self.skipped: list[InputError] = []

    def __iter__(self) -> Iterator[tuple[Line, Watched]]:
        from covey.privacy.inference.series import read_series
        from covey.words import when

        for line in read_series(self.file, self.names):
            if isinstance(line, InputError):
                self._skip(line)
                continue
            try:
                found = self.watch.see(line.time, line.counts)
            except InputError as error:
                self._skip(InputError(error.message, file=self.file, line=line.number))
                continue
            if not found.possible:
                seen = ", ".join(f"{name} {count}" for name, count in line.counts.items())
                tell(
                    f"covey: {self.file}:{line.number}: {seen} {when(found.at)} is "
                    "impossible for this team and every neighbour that is left: left out"
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


def follow(request: Request, file: str, prior: Mapping[str, float] | None) -> None:
    """Prints what is believed after every line; of a file with --json, one object in the end."""
    from covey.privacy.inference.watch import watch

    scenario = request.scenario
    with request.progress() as progress:
        watched = watch(scenario, prior=prior, limits=request.limits, progress=progress)
    feed = _Feed(watched, file, list(scenario.query.groups(scenario.network)))
    if request.json and file == "-":
        for line, found in feed:
            print_json({"line": line.number, "time": line.time} | _told(found))
    elif request.json:
        print_json(_all(feed))
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


def _all(feed: _Feed) -> dict[str, Any]:
    rows = [(line, _told(found)) for line, found in feed]
    keys = ("posterior", "teams", "observed", "possible")
    return {
        "times": [line.time for line, _ in rows],
        "lines": [line.number for line, _ in rows],
        **{key: [told[key] for _, told in rows] for key in keys},
        "prior": feed.watch.prior,
        "skipped": [{"line": error.line, "why": error.message} for error in feed.skipped],
        "settled": feed.watch.stationary,
        "method": "filtering",
    }


def _print(feed: _Feed, watched: Watch) -> None:
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
