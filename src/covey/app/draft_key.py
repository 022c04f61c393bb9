"""A key for the drafts that a browser keeps, which only this user's covey knows.

A browser keeps drafts by the address, and another program, of another user perhaps, may listen
there tomorrow: its page can read what was kept. So drafts are sealed (AES-GCM, in the browser), by
a key for each file that covey derives from a secret of this user's, kept in a file of mode 0600.
"""

from __future__ import annotations

import base64
import hmac
import os
import secrets
from functools import cache
from pathlib import Path

_BYTES = 32


def draft_key(place: str) -> str:
    """The key for the drafts of a place, in base64."""
    found = hmac.digest(_secret(_file()), place.encode(), "sha256")
    return base64.b64encode(found).decode("ascii")


def _file() -> Path:
    state = os.environ.get("XDG_STATE_HOME", "")
    return (Path(state) if state else Path.home() / ".local" / "state") / "covey" / "drafts.key"


@cache
def _secret(file: Path) -> bytes:
    """This user's, made where there is none; for this run alone where none can be kept."""
    new = secrets.token_bytes(_BYTES)
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
            stream.write(new)
        return new
    except FileExistsError:
        pass
    except OSError:
        return new
    try:
        found = file.read_bytes()
    except OSError:
        return new
    return found if len(found) == _BYTES else new
