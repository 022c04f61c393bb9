"""What a watcher knows of one number, after each number of snapshots."""

from __future__ import annotations

from dataclasses import dataclass

from covey.privacy.inference.estimate.credible import Quantity
from covey.privacy.stream.confidence import Bounded


@dataclass(frozen=True)
class Estimated:
    """What a watcher knows of one number, on average over what the team may show.

    Attributes:
        quantity: The number, and what it may be.
        prior: How probable each of its values is before anything is seen.
        before: To within how much it is known before.
        within: To within how much it is known after each number of snapshots.
        posterior: After each number of snapshots, how probable each of its values is.
        checked: Where the figures are an approximation: after each number of snapshots, how often
            whoever goes by it was as near to the truth as it says, on simulated paths.
    """

    quantity: Quantity
    prior: tuple[float, ...]
    before: float
    within: tuple[Bounded, ...]
    posterior: tuple[tuple[Bounded, ...], ...]
    checked: tuple[Bounded, ...] | None = None

    @property
    def name(self) -> str:
        """Its dotted name, as `types.picker`, or that of a measure."""
        return self.quantity.name

    @property
    def truth(self) -> float:
        """What it is in the scenario."""
        return self.quantity.truth

    @property
    def values(self) -> tuple[float, ...]:
        """What it may be."""
        return tuple(self.quantity.values.tolist())

    @property
    def resolution(self) -> float:
        """Half of what the true value of the grid stands for; nothing nearer is told. 0: counts."""
        low, high = self.quantity.edges[self.values.index(self.truth)]
        return float(high - low) / 2

    @property
    def what(self) -> str:
        """The number as a sentence says it: `the number of pickers`, `the rate meet`."""
        table, _, name = self.name.partition(".")
        if table == "rates":
            return f"the rate {name}"
        if not name:
            return f"the measure {table}"
        plain = name.isalpha() and name.islower() and len(name) > 1 and not name.endswith("s")
        many = f"{name}s" if plain else f'"{name}"'
        return f"the number of {many}{' at the start' * (table == 'initial')}"
