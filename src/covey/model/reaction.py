"""Reactions, and how they are written.

A reaction leads from one complex to another at a rate constant: `{A} + {R} -> {A,R} @ 3`. Robots
and resources are conserved: whoever is on the left is on the right, unless one side is `0` (robots
arriving or leaving). Where mass action does not hold, the whole rate is a rate law of the counts in
brackets (`rate_law`): `{A} -> w{A} @ [2 * min({A}, 3)]`. A name may stand before it, `take: {A} +
{R} <-> {A,R} @ 3, 1`; its backward step is then called `take'`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from covey.errors import InputError, did_you_mean, shown
from covey.model.complex import Complex
from covey.model.rate import Rate, as_rate, check_stages, parse_time, print_rate
from covey.model.rate_laws.rate_law import RateLaw
from covey.model.species import Species, natural_order

_REACTION = re.compile(r"(?P<left>[^<>@-]*)(?P<arrow><->|->)(?P<right>[^<>@-]*)(?:@(?P<rates>.*))?")
_NO_AT = re.compile(r"(?P<left>.*(?:\}|\b[^\W\d]\w*))\s+(?P<rates>[\w.][^{}<>]*)")
_NAME = re.compile(r"[^\W\d]\w*'?")


@dataclass(frozen=True, slots=True)
class Reaction:
    """One direction of a reaction: `Reaction("{A} + {R}", "{A,R}", 3.0)`.

    Args:
        reactants: What it takes.
        products: What it gives.
        rate: The rate constant of mass action: a number, or the name of one that the network's
            `rates` holds. Or the whole rate, as a `RateLaw` or its text in brackets: "[2 * {A}]".
        name: What it is called; nothing, where it has no name. `take'` is the way back of `take`.
        stages: In how many stages it happens: 1 is an exponential time, more an Erlang one with the
            same mean 1/rate. A network's own reactions are expanded (`stages`), and have 1.
        times: The rate constant is so many times `rate`, as it is of each of several stages.
    """

    reactants: Complex
    products: Complex
    rate: Rate
    name: str
    stages: int
    times: int

    def __init__(
        self,
        reactants: Complex | str,
        products: Complex | str,
        rate: Rate,
        name: str = "",
        stages: int = 1,
        times: int = 1,
    ):
        for key, side in (("reactants", reactants), ("products", products)):
            object.__setattr__(self, key, Complex.parse(side) if isinstance(side, str) else side)
        object.__setattr__(self, "rate", as_rate(rate))
        object.__setattr__(self, "name", _checked_name(name) if name != "" else "")
        object.__setattr__(self, "stages", check_stages(stages, self.rate))
        object.__setattr__(self, "times", check_stages(times, self.rate))
        self._check_conservation()

    def _check_conservation(self) -> None:
        if not self.reactants and not self.products:
            raise InputError("a reaction with nothing on both sides: one of them must have species")
        if not self.reactants or not self.products:
            return
        left, right = self.reactants.members(), self.products.members()
        for member in sorted(left | right, key=natural_order):
            if left[member] != right[member]:
                raise InputError(
                    f"{self.arrow} does not conserve {member}: {left[member]} on the left, "
                    f"{right[member]} on the right; both must be equal unless one side is 0"
                )

    @property
    def sides(self) -> tuple[Complex, Complex]:
        """What it takes, and what it gives."""
        return self.reactants, self.products

    @property
    def arrow(self) -> str:
        """The reaction without its rate: `{A} + {R} -> {A,R}`."""
        return f"{self.reactants} -> {self.products}"

    @property
    def rate_law(self) -> RateLaw | None:
        """The rate law of its own that it follows; None where that is mass action."""
        return self.rate if isinstance(self.rate, RateLaw) else None

    def change(self) -> dict[Species, int]:
        """By how much each species changes, ρ_k − ρ_j, where it does."""
        return self.reactants.change_to(self.products)

    def reverses(self, other: Reaction) -> bool:
        """Whether this reaction undoes the other.

        Args:
            other: The reaction that may be undone.
        """
        return self.reactants == other.products and self.products == other.reactants

    def rate_constant(self, rates: Mapping[str, float]) -> float:
        """κ as a number, looked up by its name where it has one; NaN where there is a rate law.

        Args:
            rates: The network's rate constants by name.
        """
        if isinstance(self.rate, RateLaw):
            return math.nan
        return self.times * (rates[self.rate] if isinstance(self.rate, str) else self.rate)

    @property
    def label(self) -> str:
        """What people are shown of it: its name, where it has one, and what happens."""
        return f"{self.name}: {self.arrow}" if self.name else self.arrow

    def __str__(self) -> str:
        return f"{self.label} @ {self.time}"

    @property
    def time(self) -> str:
        """What stands after the @: `3`, `take`, `4 * take`, `[2 * {A}]`, `erlang(4, 0.5)`."""
        rate = print_rate(self.rate)
        rate = rate if self.times == 1 else f"{self.times} * {rate}"
        return rate if self.stages == 1 else f"erlang({self.stages}, {rate})"


def parse_reaction(line: str) -> list[Reaction]:
    """The one reaction of a `->` line, or the two of a `<->` line, forward first."""
    before, colon, after = line.partition(":")
    name, line = (_checked_name(before.strip()), after) if colon else ("", line)
    match = _REACTION.fullmatch(line.strip())
    if "@" not in line and (forgotten := _NO_AT.fullmatch(line.strip())) and "->" in line:
        raise InputError(
            f'"{line.strip()[:60]}" has no @ before its rate: '
            f"write {forgotten['left'].strip()[:60]} @ {forgotten['rates'][:40]}"
        )
    if match is None:
        raise InputError(
            f'"{line.strip()[:60]}" is not a reaction: write {{A}} + {{R}} -> {{A,R}} @ rate, or '
            "{A} + {R} <-> {A,R} @ forward, backward; names are of letters, digits and _"
        )
    left, right = Complex.parse(match["left"]), Complex.parse(match["right"])
    arrow = f"{left} {match['arrow']} {right}"
    if match["rates"] is None:
        raise InputError(f"{arrow} has no rate: end the line with @ and a number or a name")
    rates = [parse_time(text, arrow) for text in _split(match["rates"])]
    wanted = 2 if match["arrow"] == "<->" else 1
    if len(rates) != wanted:
        needs = "two rates, forward and backward" if wanted == 2 else "one rate"
        raise InputError(f"{arrow} has {len(rates)} after the @: {match['arrow']} takes {needs}")
    forward = Reaction(left, right, rates[0].rate, name, rates[0].stages, rates[0].times)
    if wanted == 1:
        return [forward]
    if name.endswith("'"):
        raise InputError(f"{name} is the way back of {name[:-1]}: call the line {name[:-1]}")
    back = rates[1]
    return [forward, Reaction(right, left, back.rate, name_back(name), back.stages, back.times)]


def print_reactions(reactions: Iterable[Reaction]) -> list[str]:
    """The lines that `parse_reaction` reads back; a reaction and its reverse share one line."""
    lines: list[str] = []
    waiting: Reaction | None = None
    for reaction in reactions:
        if waiting is not None and _are_one_line(waiting, reaction):
            both = f"{waiting.time}, {reaction.time}"
            name = f"{waiting.name}: " if waiting.name else ""
            lines.append(f"{name}{waiting.reactants} <-> {waiting.products} @ {both}")
            waiting = None
            continue
        if waiting is not None:
            lines.append(str(waiting))
        waiting = reaction
    return [*lines, str(waiting)] if waiting is not None else lines


def _are_one_line(forward: Reaction, backward: Reaction) -> bool:
    named_alike = backward.name == name_back(forward.name) and not forward.name.endswith("'")
    return named_alike and backward.reverses(forward)


def name_back(name: str) -> str:
    """What the way back is called."""
    return f"{name}'" if name else ""


def is_name(text: str) -> bool:
    """Whether a reaction can be called so."""
    return _NAME.fullmatch(text) is not None


def _checked_name(name: object) -> str:
    if isinstance(name, str) and is_name(name):
        return name
    raise InputError(
        f"{shown(name)} cannot be the name of a reaction: a word is expected before the colon, "
        "as in pick: {A} -> {B} @ 1"
    )


def called(name: str, reactions: Sequence[Reaction]) -> list[int]:
    """The numbers of the reactions of a name, in which * stands for any letters."""
    names = [reaction.name for reaction in reactions]
    found = [i for i, own in enumerate(names) if own and fnmatchcase(own, name)]
    if not found:
        known = list(dict.fromkeys(own for own in names if own))
        listed = ", ".join(known[:8]) + (", …" if len(known) > 8 else "")
        hint = did_you_mean(name, known) or (
            f" Known: {listed}." if known else " Name it: pick: {A} -> {B} @ 1."
        )
        raise InputError(f"there is no reaction called {shown(name)}.{hint}")
    return found


def _split(text: str) -> list[str]:
    """The rates of a line; commas inside brackets belong to rate laws and erlang times."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "[(") - (character in "])")
        if character == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts
