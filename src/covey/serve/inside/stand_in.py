"""A stand-in as the publisher of a feed: it moves along with the team where that is known.

It begins alone, in its own distribution, and is coupled as soon as it is known where everybody is.
That changes nothing of what its distribution is: any coupling is as safe.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from covey.errors import InputError
from covey.model.io.stand_in_file import Reference
from covey.model.scenario import Scenario
from covey.remedy.stand_in.publishing.coupled_publisher import CoupledPublisher
from covey.remedy.stand_in.publishing.pair_file import SavedPair, read_pair


class ServedStandIn:
    """Publishes a stand-in.

    Args:
        public: The stand-in.
        own: The team's own scenario, which knows how many robots there are; None where nobody says.
        begin: When the feed begins, in the unit of the model.
        saved: What `saved` gave before a restart.
        polled: Whether whole states are told, and no events.
        random: Gives so many random bytes.
    """

    def __init__(
        self,
        public: Reference,
        own: Scenario | None,
        begin: float,
        saved: Mapping[str, Any] | None = None,
        *,
        polled: bool = False,
        random: Callable[[int], bytes] = os.urandom,
    ) -> None:
        network = public.scenario.network
        start = (own or public.scenario).start
        pair = None if saved is None else read_pair(saved, len(network.species))
        counts = dict(zip(map(str, network.species), start.tolist(), strict=True))
        self._publisher = CoupledPublisher(
            public, counts, begin, network=None if own is None else own.network, polled=polled,
            saved=pair, random=random,
        )  # fmt: skip
        self._random = random
        self._begun = not polled or (pair is not None and pair.real is not None)
        if pair is None and not polled:
            self._publisher.lose(begin, "the team was not heard of yet")
            self._publisher.notes.clear()

    @property
    def now(self) -> float:
        """Up to when it has moved."""
        return self._publisher.now

    @property
    def known(self) -> bool:
        """Whether the team's state is known."""
        return self._begun and self._publisher.known

    def event(self, time: float, reaction: int) -> None:
        """The team did something."""
        self._publisher.event(time, reaction)

    def state(self, time: float, counts: Mapping[str, int]) -> None:
        """Where the team is, as a whole."""
        if not self._begun:  # polled: paths are drawn from the first state that is told on
            alone = self._publisher.saved()
            since = max(time, alone.time)
            saved = SavedPair(alone.time, alone.stand_in, None, since, alone.truth)
            self._publisher = self._publisher.again(counts, self._random, saved)
            self._begun = True
            return
        self._publisher.state(time, counts)

    def lose(self, time: float, why: str) -> None:
        """It is not known any more where the team is."""
        if not self._publisher.polled:
            self._publisher.lose(time, why)

    def seen(self, time: float, counts: tuple[object, ...]) -> None:
        """Counts alone are not enough."""
        raise InputError("counts alone, and a stand-in needs every event or whole states")

    def published(self, time: float) -> dict[str, int] | None:
        """What is published at a time."""
        return self._publisher.published(max(time, self._publisher.now))

    def notes(self) -> list[str]:
        """What could not be used since the last time, in words that tell nothing of the team."""
        notes, self._publisher.notes = self._publisher.notes, []
        return [note.partition(":")[0] for note in notes]

    def saved(self) -> dict[str, Any]:
        """Where both are, for a restart. It tells of the team."""
        return asdict(self._publisher.saved())
