"""What the kernels of `lumped_ratio` read: plain arrays, in the order that they read them."""

from __future__ import annotations

from typing import NamedTuple

from covey.dynamics.ssa.tables import Tables
from covey.numbers import Floats, Ints

NOWHERE = -1  # instead of a place: the robot takes no part
IMPOSSIBLE = -1  # instead of a kind of jump: the team cannot make it


class Lumped(NamedTuple):
    """Both teams, as they are seen where the robot passes for one of the other type.

    Kinds of jumps are by how they change the counts. Slots are those of the tables.
    """

    team: Tables
    other: Tables
    own: Ints  # (species of the team,): which of the other's each of them is
    lifts: Ints  # (places, species of the other): what is added where the robot is there
    team_kinds: Ints  # (slots of the team,)
    other_kinds: Ints  # (slots of the other,)
    leads: Ints  # (slots of the other, places): to which place
    team_slots: Ints  # (kinds,): one that makes such a jump
    other_slots: Ints  # (kinds,): one that makes it wherever the robot is


class Drawn(NamedTuple):
    """Whose paths are drawn, and where they begin."""

    tables: Tables
    kinds: Ints  # (reactions,): of jumps
    starts: Ints  # (paths, species)
    seen: Ints  # (paths, species of the team): the same, as the robot passes
    first: Floats  # (paths, places): P'/P of that, for each place of the robot
