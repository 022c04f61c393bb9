"""A feed: its mechanism, its ledger, its clock, and what hears and publishes."""

from __future__ import annotations

import time as wall
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from covey.errors import InputError, did_you_mean, shown
from covey.files.atomic_file import check_writable
from covey.files.file_lock import alone_with
from covey.model.io.log_table import LogTable
from covey.model.scenario import Scenario
from covey.model.team import read_fleet
from covey.serve.feed_clock import FeedClock, iso, whole_start
from covey.serve.inside.counters import Counters
from covey.serve.inside.heard import Reader
from covey.serve.inside.hearing import Hearing
from covey.serve.inside.ledger import Ledger, open_ledger
from covey.serve.inside.mechanism import Mechanism, mechanism_of, own_scenario
from covey.serve.inside.team import LiveTeam
from covey.serve.inside.ticker import Ticker
from covey.serve.inside.times import Times
from covey.serve.settings import Settings

_START = 1.0  # seconds that the outside may take to begin
_LEAST_APART = 0.001  # seconds from one publication to the next


@dataclass(frozen=True)
class Feed:
    """What there is of a feed inside.

    Attributes:
        mechanism: What it is published by.
        clock: Its moments.
        ledger: What was published.
        hearing: Hears the fleet.
        ticker: Makes its values.
        stations: The count of each station, for GBFS.
    """

    mechanism: Mechanism
    clock: FeedClock
    ledger: Ledger
    hearing: Hearing
    ticker: Ticker
    stations: dict[str, str]

    def now(self) -> float:
        """The time by the wall's clock, in the unit of the model."""
        return self.clock.model(wall.time())


@contextmanager
def feed_of(settings: Settings, say: Callable[[str], None]) -> Iterator[Feed]:
    """The feed that the settings describe; nobody else may have its ledger meanwhile.

    Args:
        settings: All of them.
        say: Called with what is worth knowing; nothing of the team.
    """
    own = own_scenario(settings)
    mechanism = mechanism_of(settings, own)
    stations = _stations(settings.station, mechanism.names)
    counters, path = Counters(settings.stop_on_error), settings.state_file
    unit = mechanism.seconds / settings.speed
    if (apart := mechanism.every * unit) < _LEAST_APART:
        raise InputError(
            f"publications would lie {apart:g} seconds apart: at least {_LEAST_APART:g} are "
            "needed; choose a longer --every, or less --speed"
        )
    with ExitStack() as stack:
        if path is not None:
            check_writable(path, (".json",))
            stack.enter_context(alone_with(path))
        ledger = open_ledger(
            path, mechanism.digest, mechanism.every, mechanism.most, settings.history
        )
        try:
            publisher = mechanism.make(-mechanism.every, ledger.kept)
        except (KeyError, TypeError, ValueError):
            raise InputError("it was altered; remove it to begin anew", file=str(path)) from None
        team = LiveTeam(
            publisher, own, _fleet(settings.fleet), together=settings.together / unit,
            lost_after=None if settings.lost_after is None else settings.lost_after / unit,
            robots=bool(settings.mqtt), counters=counters,
        )  # fmt: skip
        if ledger.origin is None:  # only now, as making the publisher may take a while
            now = wall.time() + _START
            ledger.origin = now if settings.replay else whole_start(now, mechanism.every * unit)
        clock = FeedClock(ledger.origin, mechanism.every, unit, settings.delay)
        try:
            iso(clock.due(ledger.moments))
        except (OSError, OverflowError, ValueError):
            raise InputError(
                f"its moment {shown(ledger.moments)} is in no calendar: it was altered, or every "
                "is far too long",
                file=None if path is None else str(path),
            ) from None
        reader = _reader(settings, own, mechanism, clock)
        hearing = Hearing(reader, clock, team, counters, settings.trusting_log)
        ahead = (clock.cut(0) - clock.moment(0)) / unit if settings.polled else 0.0
        ticker = Ticker(
            clock, team, ledger, counters, ahead=ahead, by_moments=mechanism.by_moments, say=say
        )
        yield Feed(mechanism, clock, ledger, stack.enter_context(hearing), ticker, stations)


def _reader(
    settings: Settings, own: Scenario | None, mechanism: Mechanism, clock: FeedClock
) -> Reader:
    scenario = own or mechanism.scenario
    times = Times(
        clock,
        by_arrival=settings.times == "arrival",
        unit=mechanism.unit if settings.replay is not None else None,
    )
    if settings.mqtt and (own is None or not own.log.table()):
        raise InputError(
            "messages of robots need the team's own scenario, with a table [log] that says what "
            "they mean: --scenario FILE"
        )
    log = LogTable() if own is None else own.log
    network = None if scenario is None else scenario.network
    return Reader(network, log, mechanism.names if mechanism.seen else (), times)


def _fleet(path: str | None) -> dict[str, str]:
    return {} if path is None else {name: type_ for _, name, type_ in read_fleet(path)}


def _stations(given: tuple[str, ...], names: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in given:
        station, equals, name = text.partition("=")
        if not equals or not station or station in found or name not in names:
            hint = did_you_mean(name, names)
            raise InputError(
                f"station is {shown(text)}: ID=COUNT is expected, the count one of "
                f"{', '.join(names[:8])}.{hint}"
            )
        found[station] = name
    return found
