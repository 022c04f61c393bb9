"""Species: the places a robot can be in, alone or with others.

A species is written `activity{members}`: `{A}` is a robot of type A by itself, `w{1,2}` one robot
of type 1 and one of type 2 that wait together. The members are a multiset: `{1,1,2}` holds two
robots of type 1, and `{2,1,1}` is the same species. A name without braces, `battery`, is a plain
species: it has no members, and so nothing of it is private.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from covey.errors import InputError, shown

_SPECIES = re.compile(r"(?P<activity>[^\W\d]\w*)?\s*(?P<braces>\{(?P<members>[^{}]*)\})?")
_ACTIVITY = re.compile(r"([^\W\d]\w*)?")
_MEMBER = re.compile(r"\w+")
_SORT_RUNS = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class Species:
    """One species. `Species("w", ("1", "2"))` and `Species.parse("w{2,1}")` are equal.

    Args:
        activity: What is being done, the word before the braces; empty where there is none.
        members: The types and resources that are in it, in any order; none for a plain species.
    """

    activity: str = ""
    members: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not (self.activity or self.members) or not _ACTIVITY.fullmatch(self.activity):
            raise InputError(f"{shown(self.activity)} is not an activity: {_FORM}")
        for member in self.members:
            if not _MEMBER.fullmatch(member):
                raise InputError(f"{shown(member)} is not a type: {_FORM}")
        object.__setattr__(self, "members", tuple(sorted(self.members, key=natural_order)))

    @classmethod
    def parse(cls, text: str) -> Species:
        """The species that a text names; raises `InputError` where it names none.

        Args:
            text: Such as `w{1,2}` or `battery`.
        """
        text = text.strip()
        match = _SPECIES.fullmatch(text)
        if not text or match is None:
            raise InputError(f"{shown(text)} is not a species: {_FORM}")
        if match["braces"] is None:
            return cls(match["activity"])
        members = [member.strip() for member in match["members"].split(",")]
        for member in members:
            if not _MEMBER.fullmatch(member):
                what = f"{shown(member)} is not a type" if member else "a type is missing"
                raise InputError(f"{what} in {shown(text)}: {_FORM}")
        return cls(match["activity"] or "", tuple(members))

    @property
    def is_plain(self) -> bool:
        """Whether this species has no members: a by-product, an energy store, a counter."""
        return not self.members

    @property
    def is_compound(self) -> bool:
        """Whether several robots or resources share this species."""
        return len(self.members) > 1

    def counts(self) -> Counter[str]:
        """How many of each type or resource are in it."""
        return Counter(self.members)

    def __str__(self) -> str:
        return self.activity + ("{" + ",".join(self.members) + "}" if self.members else "")


_FORM = (
    "write w{1,2} (an activity, then who is in it), {A}, or a plain name such as battery; "
    "names are of letters, digits and _"
)


def species_order(species: Species) -> tuple[object, ...]:
    """The order of the state vector: small before large, then by activity and members; plain last.

    It depends on the species alone, so that a network does not change when it is written
    differently. On the paper's systems it is the paper's order.
    """
    return (
        species.is_plain,
        len(species.members),
        natural_order(species.activity),
        tuple(natural_order(member) for member in species.members),
    )


def natural_order(name: str) -> tuple[object, ...]:
    """Sorts `2` before `10` and `A2` before `A10`."""
    runs = _SORT_RUNS.split(name)
    digits = [(len(run.lstrip("0")), run.lstrip("0")) for run in runs[1::2]]
    return (runs[0] != "", tuple(zip(runs[0::2], [*digits, (0, "")], strict=True)), name)
