"""How much memory there is: read once for a question, before any is taken.

What a process may still take is the least of what the machine has free, what the process is allowed
(`ulimit -v`, `ulimit -d`), and what its control groups allow, in which containers and batch systems
run their work.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from covey.model.network import Network

_SHARE = 0.6  # of the memory that is free
_CONTROL_GROUPS = Path("/sys/fs/cgroup")
_UNLIMITED = 1 << 60  # version 1 of control groups says no limit by a number like this


def bytes_per_state(network: Network) -> int:
    """What a state costs at the most: its counts, its transitions, the solver's vectors.

    A transition has its source (4), the number of its rate (2, or 4), its share of a group of rows
    (3) and, while it is built and there are no vectors yet, its target (4) and the first two again;
    Chebyshev steps to a few times take the most vectors.
    """
    return 2 * len(network.species) + 15 * len(network.reactions) + 8 * 38


def fitting_states(network: Network, share: float = 1.0) -> int:
    """As many states as fit into a good part of the free memory, or into a `share` of that.

    In round numbers, of two digits, so that two runs mostly have the same limit.
    """
    most = max(1, int(share * _SHARE * free_memory()) // bytes_per_state(network))
    unit = int(10 ** max(len(str(most)) - 2, 0))
    return most // unit * unit


def free_memory() -> int:
    """Bytes that this process can still take."""
    import psutil  # noqa: PLC0415

    found = [int(psutil.virtual_memory().available)]
    found += _left_by_limits()
    if sys.platform.startswith("linux"):
        found += _left_by_control_groups()
    return max(min(found), 0)


def _left_by_limits() -> Iterator[int]:
    """What the limits of this process leave."""
    import psutil  # noqa: PLC0415

    try:
        import resource  # noqa: PLC0415  (Windows has none)
    except ImportError:
        return
    used = psutil.Process().memory_info()
    for limit, taken in ((resource.RLIMIT_AS, used.vms), (resource.RLIMIT_DATA, used.rss)):
        allowed, _ = resource.getrlimit(limit)
        if allowed != resource.RLIM_INFINITY:
            yield max(allowed - taken, 0)


def _left_by_control_groups() -> Iterator[int]:
    """What the control groups of this process leave, those that they are in included."""
    try:
        lines = Path("/proc/self/cgroup").read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return
    for line in lines:
        _, controllers, group = line.split(":", 2)
        if controllers == "":
            yield from _left_up_from(_CONTROL_GROUPS, group, "memory.max", "memory.current")
        elif "memory" in controllers.split(","):
            root, names = _CONTROL_GROUPS / "memory", ("limit_in_bytes", "usage_in_bytes")
            yield from _left_up_from(root, group, *(f"memory.{name}" for name in names))


def _left_up_from(root: Path, group: str, limit: str, used: str) -> Iterator[int]:
    # Inside a container the group's own path may not be there, and the root is the group.
    folder = root / group.strip("/")
    for place in (folder, *folder.parents):
        if not place.is_relative_to(root):
            return
        try:
            allowed = int((place / limit).read_text(encoding="ascii"))  # "max" is no limit
            taken = int((place / used).read_text(encoding="ascii"))
        except (OSError, ValueError):
            continue
        if allowed < _UNLIMITED:
            yield max(allowed - taken, 0)
