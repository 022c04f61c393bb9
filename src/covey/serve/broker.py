"""An MQTT broker: its address as a URL, TLS, user and password, and trying again when it is away.

mqtt://host/uagv/v2/+/+/state     port 1883; mqtts:// is TLS, port 8883
mqtt://user@host:1884/a/topic     a password in a URL is refused: the list of processes shows it
"""

from __future__ import annotations

import logging
import os
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any
from urllib.parse import unquote, urlsplit

from covey.errors import InputError
from covey.files.bounded_file import read_text
from covey.serve.settings import Settings
from covey.serve.socket_address import is_host

_MAX_BYTES = 1_000_000
_EXAMPLE = "mqtt://localhost/uagv/v2/+/+/state is expected"
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0  # seconds between two tries


@dataclass(frozen=True)
class Broker:
    """One connection, and the topics that go through it.

    Attributes:
        host: Its name or address.
        port: Its port.
        tls: Whether it is spoken to with TLS.
        topics: Patterns, or the one topic that is published to.
        user: Who covey is there.
        password: And how that is proved.
        ca: The file of certificates that the broker's must come from.
        cert: The file of covey's own.
        key: And of its key.
    """

    host: str
    port: int
    tls: bool
    topics: tuple[str, ...]
    user: str | None = None
    password: str | None = None
    ca: str | None = None
    cert: str | None = None
    key: str | None = None

    @property
    def shown(self) -> str:
        """As it may be logged."""
        return f"{self.host}:{self.port}"

    def document(self) -> dict[str, Any]:
        """For the other process."""
        return asdict(self)

    @staticmethod
    def read(document: Mapping[str, Any]) -> Broker:
        """As `document` had it."""
        return Broker(**{**document, "topics": tuple(document["topics"])})

    def options(self) -> dict[str, Any]:
        """How aiomqtt connects to it."""
        quiet = logging.getLogger("covey.serve.mqtt")
        quiet.disabled = True  # topics name robots
        found: dict[str, Any] = {
            "hostname": self.host, "port": self.port, "username": self.user,
            "password": self.password, "logger": quiet, "timeout": 10,
        }  # fmt: skip
        if self.tls:
            try:
                context = ssl.create_default_context(cafile=self.ca)
                if self.cert is not None:
                    context.load_cert_chain(self.cert, self.key)
            except (OSError, ssl.SSLError) as error:
                raise InputError(f"the certificates for {self.shown}: {error.strerror}") from None
            found["tls_context"] = context
        return found


def brokers(urls: tuple[str, ...], settings: Settings) -> list[Broker]:
    """The brokers of some URLs, with all topics of each.

    Args:
        urls: As they were given.
        settings: What they share.
    """
    user = settings.mqtt_user or os.environ.get("COVEY_MQTT_USER")
    password = secret("COVEY_MQTT_PASSWORD", settings.mqtt_password_file, "password")
    found: dict[tuple[object, ...], Broker] = {}
    for url in urls:
        one = _parsed(url)
        one = replace(
            one, user=one.user or user, password=password, ca=settings.mqtt_ca,
            cert=settings.mqtt_cert, key=settings.mqtt_key,
        )  # fmt: skip
        if one.password and not one.user:
            raise InputError("there is a password for the broker and no user: --mqtt-user NAME")
        key = (one.host, one.port, one.tls, one.user)
        topics = found[key].topics + one.topics if key in found else one.topics
        found[key] = replace(one, topics=topics)
    return list(found.values())


def _parsed(url: str) -> Broker:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise InputError(f"the address of a broker cannot be read: {_EXAMPLE}") from None
    if parts.password:
        raise InputError(
            "the address of a broker has a password in it, which every list of processes shows: "
            "use --mqtt-password-file, or $COVEY_MQTT_PASSWORD"
        )
    topic = unquote(parts.path.removeprefix("/"))
    if url.endswith("#") and not parts.fragment:  # a pattern's #, which URLs have for fragments
        topic += "#"
    named = parts.hostname and is_host(parts.hostname)
    if parts.scheme not in ("mqtt", "mqtts") or not parts.hostname or not named or not topic:
        raise InputError(f"the address of a broker is {url[:80]!r}: {_EXAMPLE}")
    tls = parts.scheme == "mqtts"
    usual = 8883 if tls else 1883
    user = unquote(parts.username) if parts.username else None
    return Broker(parts.hostname, port or usual, tls, (topic,), user)


def secret(variable: str, file: str | None, what: str) -> str | None:
    """A password or token, of a file or of the environment; None where there is none.

    Args:
        variable: Of the environment.
        file: Which comes first.
        what: It is, for messages.
    """
    if file is None:
        return os.environ.get(variable) or None
    text = read_text(file, f"a file with the {what}", _MAX_BYTES).strip()
    if not text or len(text) > 4096 or "\n" in text:
        raise InputError(f"one line with the {what} is expected", file=file)
    return text


def pauses() -> Iterator[float]:
    """How long to wait before the next try, longer each time; start anew once it has worked."""
    pause = _FIRST_PAUSE
    while True:
        yield pause
        pause = min(2 * pause, _LONGEST_PAUSE)
