"""Reactions from matrices of coefficients, as other tools have them: (reactions, species)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from covey.errors import InputError, shown
from covey.model.complex import Complex
from covey.model.reaction import Reaction
from covey.model.species import Species
from covey.numbers import Ints


def reactions_of(
    reactants: ArrayLike,
    products: ArrayLike,
    rates: Sequence[float | str],
    species: Sequence[str | Species],
) -> list[Reaction]:
    """A reaction a row: what it takes, what it gives, and how fast."""
    columns = [one if isinstance(one, Species) else Species.parse(one) for one in species]
    for one in columns:
        if columns.count(one) > 1:
            raise InputError(f"the species {one} is there twice: one column each is expected")
    sides = [
        _checked(name, matrix, (len(rates), len(columns)))
        for name, matrix in (("reactants", reactants), ("products", products))
    ]
    for column, one in enumerate(columns):
        if not any(side[:, column].any() for side in sides):
            raise InputError(f"{one} is in no reaction: leave its column out")
    found = []
    for number, rate in enumerate(rates):
        left, right = (
            Complex(tuple((columns[i], int(side[number, i])) for i in np.flatnonzero(side[number])))
            for side in sides
        )
        try:
            found.append(Reaction(left, right, rate))
        except InputError as error:
            raise InputError(f"row {number + 1}: {error.message}") from None
    return found


def _checked(name: str, matrix: ArrayLike, shape: tuple[int, int]) -> Ints:
    try:
        given = np.asarray(matrix, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{name} is {shown(matrix)}: a matrix of numbers is expected") from None
    if given.shape != shape:
        raise InputError(
            f"{name} has the shape {given.shape}: (reactions, species) = {shape} is expected, by "
            "the numbers of rates and of species"
        )
    bad = ~((given >= 0) & (given == np.floor(given)) & np.isfinite(given))
    if bad.any():
        row, column = np.argwhere(bad)[0].tolist()
        raise InputError(
            f"{name}[{row}, {column}] is {given[row, column]:g}: a whole number from 0 on is "
            "expected"
        )
    return given.astype(np.int64)
