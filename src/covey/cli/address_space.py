"""Room for the libraries, where the address space is limited (`ulimit -v`), before they are loaded.

What covey computes with is written in C, and does not raise `MemoryError` when it is loaded without
room: OpenBLAS ends the process, or waits for ever. So the room is tried first.
"""

from __future__ import annotations

import mmap
import os

from covey.errors import TooLargeError

# Megabytes, measured on two cores and rounded up; every core has threads of its own.
_LIGHT = (128, 16)
_ALL = (448, 32)
_NEEDED = {"new": (0, 0), "completion": (0, 0), "check": _LIGHT}


def check_room(verb: str | None) -> None:
    """Raises `TooLargeError` where what the verb loads would not fit."""
    limit = _limit()
    base, each = _NEEDED.get(verb or "", _ALL)
    needed = (base + each * (os.cpu_count() or 1)) * 2**20
    if limit is None or not needed:
        return
    try:
        mmap.mmap(-1, needed, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
    except (OSError, MemoryError):
        raise TooLargeError(
            f"the address space is limited to {limit // 2**20:,} MB, and the libraries that covey "
            f"computes with need {needed // 2**20:,} MB of it: allow more (ulimit -v)"
        ) from None


def _limit() -> int | None:
    """Bytes that this process may address; none where nothing is limited."""
    try:
        import resource  # Windows has none
    except ImportError:
        return None
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if limit == resource.RLIM_INFINITY else limit
