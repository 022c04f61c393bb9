"""What a run looks like, in numbers: its counts, how they change, and how long they stay.

Of every count: its mean, also in each quarter of the run, its spread, its first and its last value,
how long it is at most each of a few levels, how often it goes up and down and by how much, how long
it stays the same (its dwell times), and how it goes with itself one look later. Of every two
counts: how they go together. Each has words, so that what tells two logs apart can be said.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.numbers import Floats

_QUARTERS = 4
_LEVELS = 6
_MOST_PAIRED = 8  # counts of which every two are looked at together


@dataclass(frozen=True, eq=False)
class Features:
    """What is asked of a run.

    Attributes:
        names: What is counted.
        levels: Of each count, the values that it is held against.
    """

    names: tuple[str, ...]
    levels: tuple[Floats, ...]

    @classmethod
    def of(cls, names: tuple[str, ...], seen: Floats) -> Features:
        """Those for runs like these.

        Args:
            names: What is counted.
            seen: What was seen, (runs, points, counts).
        """
        levels = []
        for c in range(len(names)):
            values = np.unique(seen[:, :, c])[:-1]  # it is always at most the largest
            if len(values) > _LEVELS:
                shares = np.arange(1, _LEVELS + 1) / (_LEVELS + 1)
                values = np.unique(np.quantile(seen[:, :, c], shares, method="lower"))
            levels.append(values)
        return cls(names, tuple(levels))

    def measured(self, seen: Floats) -> dict[str, Floats]:
        """Every feature of every run, by its words: (runs,) each.

        Args:
            seen: What was seen, (runs, points, counts).
        """
        found: dict[str, Floats] = {}
        for c, name in enumerate(self.names):
            found |= _of_count(name, seen[:, :, c], self.levels[c])
        if seen.shape[1] > 1 and len(self.names) <= _MOST_PAIRED:
            centred = seen - seen.mean(axis=1, keepdims=True)
            for c, name in enumerate(self.names):
                for d in range(c):
                    together = (centred[:, :, c] * centred[:, :, d]).mean(axis=1)
                    found[f"how {self.names[d]} and {name} go together"] = together
            moves = (np.diff(seen, axis=1) != 0).any(axis=2)
            found["how often anything changes"] = moves.mean(axis=1)
        return found


def _of_count(name: str, x: Floats, levels: Floats) -> dict[str, Floats]:
    """Of one count: (runs, points)."""
    found = {f"mean {name}": x.mean(axis=1)}
    found |= {f"how long {name} is at most {v:g}": (x <= v).mean(axis=1) for v in levels}
    points = x.shape[1]
    if points == 1:
        return found
    steps = np.diff(x, axis=1)
    found |= {
        f"{name} at first": x[:, 0],
        f"{name} at last": x[:, -1],
        f"spread of {name}": x.std(axis=1),
        f"how often {name} goes up": (steps > 0).mean(axis=1),
        f"how often {name} goes down": (steps < 0).mean(axis=1),
        f"how far {name} moves": np.abs(steps).mean(axis=1),
        f"how long {name} stays the same": points / (1 + (steps != 0).sum(axis=1)),
        f"the longest that {name} stays the same": _longest(steps == 0),
        f"how {name} goes with itself a look later": _lagged(x),
    }
    if points >= 2 * _QUARTERS:
        for k, part in enumerate(np.array_split(x, _QUARTERS, axis=1), start=1):
            found[f"mean {name} in quarter {k} of a run"] = part.mean(axis=1)
    return found


def _longest(same: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> Floats:
    """The most steps in a row that are so: (runs,)."""
    longest = current = np.zeros(len(same))
    for column in same.T:
        current = np.where(column, current + 1, 0)
        longest = np.maximum(longest, current)
    return longest


def _lagged(x: Floats) -> Floats:
    centred = x - x.mean(axis=1, keepdims=True)
    return np.asarray((centred[:, 1:] * centred[:, :-1]).mean(axis=1))
