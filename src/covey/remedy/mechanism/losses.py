"""What it costs to publish z where y is there: a loss, by name, by weights, or as a table.

l1        Σ_i |y_i − z_i|: by how many the counts are off
squared   Σ_i (y_i − z_i)²
change    1 where anything is changed, else 0
weights   Σ_i weight_i |y_i − z_i|, as {"driving": 1, "picking": 5}
a table   {y: {z: loss}}; what it leaves out cannot be published
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from covey.errors import InputError, did_you_mean, shown
from covey.numbers import Floats, Ints, is_number, to_float

Loss = str | Mapping[Any, Any]  # a name, weights by count, or a table by outcomes
NAMES = ("l1", "squared", "change")


def losses_of(loss: Loss, names: tuple[str, ...], seen: Ints, published: Ints) -> Floats:
    """The loss of every published outcome where each seen one is there: (seen, published).

    Infinite where the one must not be published for the other.
    """
    if isinstance(loss, Mapping):
        if any(isinstance(key, tuple) for key in loss):
            return _by_table(loss, seen, published)
        return _distances(seen, published, weights_of(loss, names), 1)
    if loss not in NAMES:
        hint = did_you_mean(str(loss), NAMES) or f" Known: {', '.join(NAMES)}, or weights by count."
        raise InputError(f"the loss is {shown(loss)}, which is not known.{hint}", key="loss")
    if loss == "change":
        return (_distances(seen, published, np.ones(len(names)), 1) > 0).astype(float)
    return _distances(seen, published, np.ones(len(names)), 2 if loss == "squared" else 1)


def publishable(loss: Loss, outcomes: Ints, most: int) -> Ints | None:
    """All that could be published without being worse than something else; None where above `most`.

    Whole counts between the least and the most that can be there: a count beyond them costs more
    than the nearest of them, whatever is there. Where an error costs 1, what cannot be there is as
    bad as any other error; a table of losses says itself what can be published.
    """
    if isinstance(loss, Mapping) and any(isinstance(key, tuple) for key in loss):
        listed = {z for row in loss.values() if isinstance(row, Mapping) for z in row}
        rows = [z for z in listed if isinstance(z, tuple) and len(z) == outcomes.shape[1]]
        return np.array(sorted(rows), dtype=np.int64) if 0 < len(rows) <= most else None
    if loss == "change":
        return outcomes
    low, high = outcomes.min(axis=0), outcomes.max(axis=0)
    if math.prod((high - low + 1).tolist()) > most:
        return None
    axes = [np.arange(a, b + 1) for a, b in zip(low, high, strict=True)]
    return np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)


def _distances(seen: Ints, published: Ints, weights: Floats, power: int) -> Floats:
    total = np.zeros((len(seen), len(published)))
    for column, weight in enumerate(weights.tolist()):  # a column at a time: less memory
        away = np.abs(seen[:, column, None] - published[None, :, column]).astype(float)
        total += weight * away**power
    return total


def weights_of(loss: Mapping[Any, Any], names: tuple[str, ...]) -> Floats:
    """A weight for each count; 0 for those that are not named."""
    for name, weight in loss.items():
        if name not in names:
            hint = did_you_mean(str(name), names) or f" Seen are {', '.join(names[:8])}."
            raise InputError(f"the loss weighs {shown(name)}, which is not seen.{hint}", key="loss")
        if not _is_loss(weight):
            raise InputError(
                f"the loss weighs {name} by {shown(weight)}: a number from 0 on is expected",
                key="loss",
            )
    return np.array([float(loss.get(name, 0.0)) for name in names])


def _by_table(loss: Mapping[Any, Any], seen: Ints, published: Ints) -> Floats:
    costs = np.full((len(seen), len(published)), math.inf)
    column = {tuple(outcome): i for i, outcome in enumerate(published.tolist())}
    for i, outcome in enumerate(map(tuple, seen.tolist())):
        row = loss.get(outcome)
        if not isinstance(row, Mapping) or not row:
            raise InputError(
                f"the loss has no row for {outcome}: one is expected for every outcome, as "
                "{(2, 1): {(2, 1): 0, (1, 1): 1}, …}",
                key="loss",
            )
        for other, cost in row.items():
            if not _is_loss(cost):
                raise InputError(
                    f"the loss of {shown(other)} for {outcome} is {shown(cost)}: a number from 0 "
                    "on is expected",
                    key="loss",
                )
            if other in column:
                costs[i, column[other]] = float(cost)
    return costs


def _is_loss(value: object) -> bool:
    return is_number(value) and 0 <= to_float(value) < math.inf
