"""A pair on its way, as compiled code reads it: where both are, and how they are coupled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from covey.dynamics.ssa.tables import tables_of
from covey.errors import InputError, UnsupportedError
from covey.model.scenario import Scenario
from covey.numbers import Floats, Ints
from covey.remedy.mechanism.losses import Loss, weights_of
from covey.remedy.stand_in.coupling import NEAR
from covey.remedy.stand_in.pairs import Coupling

if TYPE_CHECKING:
    from covey.dynamics.kernels.coupling.pair_coupling import Coupled, Differences, Pair, Room


@dataclass(frozen=True, eq=False)
class Walk:
    """Both at their starts, ready to move.

    Attributes:
        coupled: What is known of both chains.
        pair: Where both are; it changes as they move.
        off: By how many each count differs; likewise.
        spare: Room to work in, (counts,).
        room: More of it; it holds how both are coupled where they are.
        scenario: What is seen, and of which network.
    """

    coupled: Coupled
    pair: Pair
    off: Floats
    spare: Floats
    room: Room
    scenario: Scenario

    @classmethod
    def on_the_way(
        cls,
        real: Scenario,
        reference: Scenario,
        loss: Loss,
        differences: Differences | None = None,
    ) -> Walk:
        """Coupled on the way, for any number of robots: by a potential, or greedily."""
        n = len(real.network.reactions)
        none, nowhere = np.empty((0, n)), np.empty((0, n), dtype=np.int64)
        listed = none, nowhere, none, nowhere, np.empty((0, 1), dtype=np.int32), np.empty((0, 1))
        return cls._of(real, reference, loss, listed, (0, 0), differences)

    @classmethod
    def listed(cls, real: Scenario, reference: Scenario, loss: Loss, coupling: Coupling) -> Walk:
        """Coupled as was found for every pair."""
        ours, theirs = coupling.pairs.sides
        arrays = ours.rates, ours.into, theirs.rates, theirs.into, coupling.which, coupling.rates
        places = ours.chain.lattice.start, theirs.chain.lattice.start
        return cls._of(real, reference, loss, arrays, places, None)

    @classmethod
    def _of(
        cls,
        real: Scenario,
        reference: Scenario,
        loss: Loss,
        listed: tuple[Any, Any, Any, Any, Any, Any],
        places: tuple[int, int],
        differences: Differences | None,
    ) -> Walk:
        from covey.dynamics.kernels.coupling import pair_coupling as kernels  # noqa: PLC0415

        network = real.network
        names = tuple(real.query.groups(network))
        weights, kind = _weighed(loss, names)
        tables, other = tables_of(network), tables_of(reference.network)
        coupled = kernels.Coupled(
            tables, other, network.changes.astype(np.float64),
            shown(real, network.changes).astype(np.float64), weights, kind, NEAR, *listed,
            differences or kernels.no_differences(),
        )  # fmt: skip
        pair = kernels.Pair(
            real.start.copy(), reference.start.copy(), np.array(places, dtype=np.int64)
        )
        off = (shown(real, pair.x[None]) - shown(real, pair.w[None]))[0].astype(np.float64)
        room = kernels.room_for(tables, len(network.species))
        walk = cls(coupled, pair, off, np.zeros(len(names)), room, real)
        kernels.couple_here(*walk.all)
        return walk

    def at(self, x: Ints, w: Ints, coupling: Coupling | None) -> Walk:
        """The same where both are elsewhere; what pairs are listed for must be among them."""
        from covey.dynamics.kernels.coupling import pair_coupling as kernels  # noqa: PLC0415

        self.pair.x[:], self.pair.w[:] = x, w
        self.off[:] = shown(self.scenario, (x - w)[None])[0]
        if coupling is not None:
            for side, (one, state) in enumerate(zip(coupling.pairs.sides, (x, w), strict=True)):
                self.pair.places[side] = one.chain.lattice.index_of(state)[0]
            if (self.pair.places < 0).any():
                raise InputError("the team cannot be in this state")
        kernels.couple_here(*self.all)
        return self

    def alone(self) -> Walk:
        """The same, nothing being gained by going together: both go their own ways."""
        from covey.dynamics.kernels.coupling import pair_coupling as kernels  # noqa: PLC0415

        none = {name: getattr(self.coupled, name)[:0] for name in ("which", "carried")}
        weights = np.zeros_like(self.coupled.weights)
        apart = self.coupled._replace(
            weights=weights, kind=kernels.L1, near=0.0, differences=kernels.no_differences(), **none
        )
        walk = Walk(apart, self.pair, self.off, self.spare, self.room, self.scenario)
        kernels.couple_here(*walk.all)
        return walk

    @property
    def all(self) -> tuple[Coupled, Pair, Floats, Floats, Room]:
        """What the kernels take."""
        return self.coupled, self.pair, self.off, self.spare, self.room


def shown(scenario: Scenario, states: Ints) -> Ints:
    """What states, or changes of them, show: (states, counts)."""
    scenario.query.check_linear("a stand-in")
    return scenario.query.shown(states, scenario.network.index)


def _weighed(loss: Loss, names: tuple[str, ...]) -> tuple[Floats, int]:
    """The weight of each count, and the kind of the loss."""
    from covey.dynamics.kernels.coupling import pair_coupling as kernels  # noqa: PLC0415

    if isinstance(loss, Mapping):
        if any(isinstance(key, tuple) for key in loss):
            raise UnsupportedError(
                "a loss by outcomes is for teams whose pairs of states fit: take l1, squared, "
                "change, or a weight for each count"
            )
        return weights_of(loss, names), kernels.L1
    kinds = {"l1": kernels.L1, "squared": kernels.SQUARED, "change": kernels.CHANGE}
    return np.ones(len(names)), kinds[loss]
