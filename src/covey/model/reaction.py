"""Complexes and reactions, and how they are written.

A complex is a sum of species with whole coefficients, `2 {A} + {B}`; the empty complex is `0`. A
reaction leads from one complex to another at a rate constant: `{A} + {R} -> {A,R} @ 3`. Robots and
resources are conserved: whoever is on the left is on the right, unless one side is `0` (robots
arriving or leaving). Where mass action does not hold, the whole rate is a rate law of the counts in
brackets (`rate_law`): `{A} -> w{A} @ [2 * min({A}, 3)]`. A name may stand before it, `take: {A} +
{R} <-> {A,R} @ 3, 1`; its backward step is then called `take'`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import NamedTuple

from covey.errors import InputError, did_you_mean, shown
from covey.model.rate_laws.rate_law import RateLaw
from covey.model.rate_laws.term import print_number
from covey.model.species import Species, natural_order, species_order
from covey.numbers import as_float

MAX_COEFFICIENT = 100
MAX_STAGES = 100

_TERM = re.compile(r"(?:(?P<coefficient>[0-9]+)\s*)?(?P<species>[^\s0-9].*)", re.DOTALL)
_REACTION = re.compile(r"(?P<left>[^<>@-]*)(?P<arrow><->|->)(?P<right>[^<>@-]*)(?:@(?P<rates>.*))?")
_NO_AT = re.compile(r"(?P<left>.*(?:\}|\b[^\W\d]\w*))\s+(?P<rates>[\w.][^{}<>]*)")
_NAME = re.compile(r"[^\W\d]\w*'?")
_RATE_NAME = re.compile(r"[^\W\d]\w*")
_TIMES = re.compile(r"(?P<times>[0-9]{1,3})\s*\*\s*(?P<rate>[\w.+-]+)")
_ERLANG = re.compile(r"erlang\s*\((?P<inside>.*)\)")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Complex:
    """A sum of species: the input or the output of a reaction.

    Args:
        terms: Species and how many of each; equal species add up.
    """

    terms: tuple[tuple[Species, int], ...] = ()

    def __post_init__(self) -> None:
        total: Counter[Species] = Counter()
        for species, coefficient in self.terms:
            _check_coefficient(species, coefficient)
            total[species] += coefficient
        for species, coefficient in total.items():
            _check_coefficient(species, coefficient)
        ordered = sorted(total.items(), key=lambda term: species_order(term[0]))
        object.__setattr__(self, "terms", tuple(ordered))

    @classmethod
    def parse(cls, text: str) -> Complex:
        """The complex that a text writes.

        Args:
            text: Such as `2 {A} + {B}`, or `0` for nothing.
        """
        return cls() if text.strip() == "0" else cls(tuple(parse_sum(text)))

    @property
    def single(self) -> Species | None:
        """The species, where there is just one of one species; else None."""
        return self.terms[0][0] if [n for _, n in self.terms] == [1] else None

    def members(self) -> Counter[str]:
        """How many of each type and resource take part."""
        count: Counter[str] = Counter()
        for species, coefficient in self.terms:
            for member in species.members:
                count[member] += coefficient
        return count

    def change_to(self, other: Complex) -> dict[Species, int]:
        """By how much each species changes from this complex to another, where it does.

        Args:
            other: What is there afterwards.
        """
        change = dict(other.terms)
        for species, n in self.terms:
            change[species] = change.get(species, 0) - n
        return {species: n for species, n in change.items() if n}

    def __iter__(self) -> Iterator[tuple[Species, int]]:
        return iter(self.terms)

    def __len__(self) -> int:
        return len(self.terms)

    def __str__(self) -> str:
        return " + ".join(f"{n} {s}" if n > 1 else str(s) for s, n in self.terms) or "0"


def _check_coefficient(species: Species, coefficient: object) -> None:
    if not isinstance(coefficient, int) or not 1 <= coefficient <= MAX_COEFFICIENT:
        raise InputError(
            f"the coefficient of {species} is {shown(coefficient)}: "
            f"a whole number from 1 to {MAX_COEFFICIENT} is expected"
        )


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
    rate: float | str | RateLaw
    name: str
    stages: int
    times: int

    def __init__(
        self,
        reactants: Complex | str,
        products: Complex | str,
        rate: float | str | RateLaw,
        name: str = "",
        stages: int = 1,
        times: int = 1,
    ):
        for key, side in (("reactants", reactants), ("products", products)):
            object.__setattr__(self, key, Complex.parse(side) if isinstance(side, str) else side)
        object.__setattr__(self, "rate", _rate(rate))
        object.__setattr__(self, "name", _checked_name(name) if name != "" else "")
        object.__setattr__(self, "stages", _check_stages(stages, self.rate))
        object.__setattr__(self, "times", _check_stages(times, self.rate))
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
    rates = [_parse_time(text, arrow) for text in _split(match["rates"])]
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


def parse_sum(text: str) -> Iterator[tuple[Species, int]]:
    """The terms of `2 {A} + {B}`, in the order in which they are written."""
    for part in text.split("+"):
        match = _TERM.fullmatch(part.strip())
        if match is None:
            where = f'in "{text.strip()[:60]}"' if text.strip() else "on one side"
            raise InputError(
                f"a species is missing {where}: write sums as {{A}} + {{B}}, and nothing as 0"
            )
        coefficient = match["coefficient"]
        if coefficient is not None and len(coefficient) > 9:
            raise InputError(f"the coefficient {coefficient[:9]}... is too large")
        yield Species.parse(match["species"]), int(coefficient or 1)


def print_rate(rate: float | str | RateLaw) -> str:
    """The shortest text that reads back as the same rate: `3`, `0.25`, `take`, `[2 * {A}]`."""
    return print_number(rate) if isinstance(rate, float) else str(rate)


def check_rate_name(name: str) -> None:
    """Raises `InputError` where a rate cannot be called so."""
    if not isinstance(name, str) or not _RATE_NAME.fullmatch(name) or name == "kinetics":
        raise InputError(
            f"{shown(name)} cannot be the name of a rate: a word other than kinetics is expected",
            key=f"rates.{name}" if isinstance(name, str) else None,
        )


def check_rate_constant(value: object, what: str) -> float:
    """`value` as a rate constant: a positive, finite number. `what` names it in the error."""
    key = what if what.startswith("rates.") else None
    rate = as_float(value, what, "a positive number", key)
    if not (0 < rate < math.inf):
        raise InputError(
            f"{what} is {rate:g}: a rate must be positive and finite"
            + ("; leave the reaction out if it never happens" if rate == 0 else ""),
            key=key,
        )
    return rate


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


class _Time(NamedTuple):
    rate: float | str | RateLaw
    stages: int = 1
    times: int = 1


def _parse_time(text: str, arrow: str) -> _Time:
    """The rate that a text writes, and in how many stages the reaction happens."""
    if multiple := _TIMES.fullmatch(text.strip()):
        return _Time(_parse_rate(multiple["rate"], arrow), 1, int(multiple["times"]))
    match = _ERLANG.fullmatch(text.strip())
    if match is None:
        return _Time(_parse_rate(text, arrow))
    stages, comma, rate = match["inside"].partition(",")
    if not comma or not re.fullmatch(r"\s*[0-9]{1,6}\s*", stages):
        raise InputError(
            f"{text.strip()[:40]} is no erlang time of {arrow}: stages and a rate are expected, as "
            "erlang(4, 0.5), which takes 1/0.5 on average"
        )
    return _Time(_parse_rate(rate, arrow), int(stages))


def _check_stages(stages: object, rate: float | str | RateLaw) -> int:
    if isinstance(stages, bool) or not isinstance(stages, int) or not 1 <= stages <= MAX_STAGES:
        raise InputError(
            f"an erlang time has {shown(stages)} stages: a whole number from 1 to {MAX_STAGES} is "
            "expected"
        )
    if stages > 1 and isinstance(rate, RateLaw):
        raise InputError(f"an erlang time has a rate law, {str(rate)[:60]}: a rate is expected")
    return stages


def _parse_rate(text: str, arrow: str) -> float | str | RateLaw:
    text = text.strip()
    if text.startswith("["):
        return _parse_rate_law(text)
    if _NUMBER.fullmatch(text):
        return check_rate_constant(float(text), f"a rate of {arrow}")
    if _RATE_NAME.fullmatch(text):
        return text
    found = f'"{text[:40]}"' if text else "nothing"
    raise InputError(
        f"{found} as a rate of {arrow}: a number or a name from [rates] is expected, or a rate "
        "law of "
        "the counts in brackets"
    )


def _parse_rate_law(text: str) -> RateLaw:
    if not text.endswith("]"):
        raise InputError(f'the rate law "{text[:60]}" has no end: a ] is expected')
    return RateLaw.parse(text[1:-1])


def _rate(rate: object) -> float | str | RateLaw:
    if isinstance(rate, RateLaw):
        return rate
    if isinstance(rate, str) and rate.strip().startswith("["):
        return _parse_rate_law(rate.strip())
    if isinstance(rate, str):
        check_rate_name(rate)
        return rate
    return check_rate_constant(rate, "a rate")
