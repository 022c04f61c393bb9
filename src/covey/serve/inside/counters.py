"""What is counted inside: for the owner alone, since it depends on what the team does.

How many messages came, how many were refused and why, whether the team's state is known: each of
these moves with the real team. They are shown to whoever has the token, and in no log.
"""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest

from covey.study.fit.logs.robots.live_fleet import HARMLESS, NOT_YET

NEW_CONNECTION = "the connection to the broker is new"


USUAL = (  # what happens in any fleet, and is no error
    *HARMLESS, NOT_YET, "another topic", "messages may be missing", NEW_CONNECTION,
    "the last value was published again",
)  # fmt: skip


class StopError(Exception):
    """Something was not understood, and `stop_on_error` is set."""


class Counters:
    """Counts.

    Args:
        stop: Whether the first thing that is not understood ends everything.
    """

    def __init__(self, stop: bool = False) -> None:
        self._all, self._stop = CollectorRegistry(), stop
        self.messages = Counter(
            "covey_messages", "Messages and lines that came in", ["source"], registry=self._all
        )
        self._refused = Counter(
            "covey_refused", "What could not be used of them", ["reason"], registry=self._all
        )
        self.known = Gauge(
            "covey_team_known", "Whether it is known where everybody is", registry=self._all
        )
        self.waiting = Gauge(
            "covey_waiting", "Messages that wait for their moment", registry=self._all
        )
        self.last = Gauge(
            "covey_last_message_timestamp_seconds", "When the last one came", registry=self._all
        )
        self.ready = Gauge(
            "covey_ready_seconds",
            "How long before it is published the last value was ready",
            registry=self._all,
        )
        self.connected = Gauge(
            "covey_mqtt_connected", "Whether a broker is heard", ["broker"], registry=self._all
        )

    def refuse(self, reason: str, times: int = 1) -> None:
        """Something could not be used.

        Args:
            reason: A few words that tell nothing of the team, of a fixed set.
            times: How often.
        """
        self._refused.labels(reason).inc(times)
        if self._stop and reason not in USUAL:
            raise StopError(reason)

    def text(self) -> str:
        """As Prometheus reads it."""
        return generate_latest(self._all).decode()
