"""How many states fit: decided before any memory is taken."""

from __future__ import annotations

from pathlib import Path

from covey.errors import TooLargeError
from covey.model.network import Network
from covey.model.reach import Reach

_SHARE = 0.6  # of the memory that is free now
_FALLBACK = 4 * 2**30  # where the system does not say what is free


def bytes_per_state(network: Network) -> int:
    """What a state costs at the most: its counts, its transitions, the solver's vectors."""
    return 2 * len(network.species) + 18 * len(network.reactions) + 8 * 24


def default_max_states(network: Network) -> int:
    """As many states as fit into a good part of the free memory."""
    return max(1, int(_SHARE * free_memory()) // bytes_per_state(network))


def free_memory() -> int:
    """Bytes that can still be taken, as the system tells: on Linux, within a container's limit."""
    found = []
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                found.append(1024 * int(line.split()[1]))
        limit = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
        used = Path("/sys/fs/cgroup/memory.current").read_text(encoding="ascii")
        found.append(int(limit) - int(used))
    except (OSError, ValueError):  # another system, no limit, or "max"
        pass
    return max(min(found, default=_FALLBACK), 0)


def refuse(network: Network, reached: Reach, max_states: int) -> TooLargeError:
    """The error for a chain that does not fit, with its size and what to do."""
    size = reached.at_least * bytes_per_state(network) / 2**30
    more = "" if reached.states is not None else "more than "
    return TooLargeError(
        f"the Markov chain has {more}{reached.at_least:,} states and would take {more}"
        f"{size:.1f} GiB; at most {max_states:,} states are allowed. Take a smaller team, allow "
        "more with --max-states, or ask for a projection or a simulation at a time",
        states=reached.at_least,
    )
