"""Network: how robots meet, collaborate and part, as a chemical reaction network (𝒜, 𝒞, ℛ).

Here is how it is written and changed; its matrices are in `stoichiometry`.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, cast, get_args

from numpy.typing import ArrayLike

from covey.errors import InputError, did_you_mean, shown
from covey.model.families.word_sets import Sets
from covey.model.frozen import FrozenMap
from covey.model.io.matrices import reactions_of
from covey.model.io.network_text import HowWritten, NetworkText, print_lines
from covey.model.rate import check_rate_constant, check_rate_name, print_rate
from covey.model.rate_laws.control import Rules, controlled
from covey.model.rate_laws.control_table import read_control
from covey.model.rate_laws.words import RateLawWords
from covey.model.reaction import Reaction
from covey.model.species import Species
from covey.model.stages import Stages, stages_of, with_stages
from covey.model.stoichiometry import Kinetics, Stoichiometry
from covey.model.timetable import Timetable
from covey.showing import Showing

# What is kept of a network at other rates, where it is known.
_RATELESS = frozenset(
    ("species", "index", "complexes", "edges", "members", "reactants", "changes", "_written")
)


@dataclass(frozen=True, init=False)
class Network(Stoichiometry, Showing):
    """A reaction network, from text or from `Reaction` objects.

        Network("{A} + {R} <-> {A,R} @ take, 1", rates={"take": 3.0})

    Networks are equal when they mean the same: the order inside braces and sums does not matter.

    Args:
        reactions: One a line, or one an item. A text may also hold the named rates, as lines of the
            form `take = 3`, and sets, `types = ["A", "B"]`. A line may be a family of reactions,
            `{$i} <-> w{$i} @ 1, 1 for i in types`.
        rates: The rate constants that reactions name.
        kinetics: How often a reaction with repeated reactants happens: "falling" counts ordered
            choices of different robots, κ ∏ x!/(x−ρ)!; "power" is the paper's κ ∏ x^ρ. They agree
            while coefficients are 1.
        sets: The words that families are about, such as `{"types": ["A", "B"]}`; a scenario file
            gives its types, its resources and what stands under [sets].
        sums: Names that rate laws may have for sums of species, as text: `{"free": "{A} + {B}"}`.
            In the rate laws the sums stand instead.
        control: By names of reactions, how each is throttled by what is visible now, such as
            `{"pick": "0.5 if free >= 3"}`. It becomes part of their rate laws.
        timetable: When the rates change, and to what; by default they never do.
    """

    reactions: tuple[Reaction, ...]
    rates: FrozenMap[str, float]
    kinetics: Kinetics
    timetable: Timetable
    if TYPE_CHECKING:  # no field: it says nothing of what the network means
        _written: HowWritten

    def __init__(
        self,
        reactions: str | Iterable[Reaction | str],
        rates: Mapping[str, float] | None = None,
        kinetics: Kinetics = "falling",
        sets: Mapping[str, Iterable[str]] | None = None,
        sums: Mapping[str, str] | None = None,
        control: Mapping[str, object] | None = None,
        timetable: Timetable | None = None,
    ) -> None:
        known: dict[str, float] = {}
        for name, value in (rates or {}).items():
            check_rate_name(name)
            known[name] = check_rate_constant(value, f"rates.{name}")
        text = NetworkText(reactions, sets or {})
        both = known.keys() & text.rates.keys()
        if both:
            raise InputError(
                f"the rate {min(both)} is given both in the text and beside it",
                key=f"rates.{min(both)}",
            )
        known |= text.rates
        kinetics = _check_kinetics(text.kinetics or kinetics)
        if not text.reactions:
            raise InputError(
                "the network has no reactions: at least one is expected", key="network.reactions"
            )
        rules = Rules()
        if control or any(reaction.rate_law for reaction in text.reactions):
            words = RateLawWords(text.reactions, known, sums or {})
            words.resolve(text)
            rules = read_control(control or {}, words)
        for reaction, place in zip(text.reactions, text.places, strict=True):
            if isinstance(reaction.rate, str) and reaction.rate not in known:
                raise InputError(
                    f"{reaction.arrow} has the rate {reaction.rate}, which is not in [rates]."
                    + did_you_mean(reaction.rate, known),
                    line=place.line,
                    case=place.case,
                    key="network.reactions",
                )
        plain, stages = tuple(text.reactions), stages_of(text.reactions)
        reactions = tuple(controlled(plain, rules, kinetics, known)) if rules else plain
        groups = with_stages(reactions, stages)
        places = [place for place, group in zip(text.places, groups, strict=True) for _ in group]
        object.__setattr__(self, "reactions", tuple(itertools.chain(*groups)))
        object.__setattr__(self, "rates", FrozenMap(known))
        object.__setattr__(self, "kinetics", kinetics)
        object.__setattr__(self, "timetable", timetable or Timetable())
        self.timetable.check_rates(self.rates)
        written = HowWritten(
            text.sets, tuple(places), tuple(text.families), plain, rules, FrozenMap(stages)
        )
        object.__setattr__(self, "_written", written)

    @classmethod
    def from_matrices(
        cls,
        reactants: ArrayLike,
        products: ArrayLike,
        rates: Sequence[float | str],
        *,
        species: Sequence[str | Species],
        kinetics: Kinetics = "falling",
    ) -> Network:
        """The network of two matrices of coefficients, a row for each reaction.

        Args:
            reactants: How many of each species a reaction takes, (reactions, species).
            products: How many it gives, (reactions, species).
            rates: The rate constant of each reaction, or its rate law as text in brackets.
            species: What each column is, as `{A}`, `w{A,R}` or `dock`.
            kinetics: As for `Network`.
        """
        return cls(reactions_of(reactants, products, rates, species), kinetics=kinetics)

    @property
    def sets(self) -> Sets:
        """The sets of words that families may be about."""
        return self._written.sets

    @property
    def stages(self) -> Stages:
        """The stages of every species whose time is not exponential, by the species."""
        return self._written.stages

    @property
    def places(self) -> tuple[tuple[int | None, str | None], ...]:
        """Where each reaction was written: the line, and the case of a family, `for i = A`."""
        return self._written.places

    @property
    def lines(self) -> list[str]:
        """The reactions as text, a family as one line; without what control makes of them."""
        return list(print_lines(self._written.plain, self._written.families))

    @property
    def plain_reactions(self) -> tuple[Reaction, ...]:
        """The reactions as they are written, without what control and stages make of them."""
        return self._written.plain

    @property
    def control(self) -> Rules:
        """How reactions are throttled by what is visible; their rate laws say so already."""
        return self._written.control

    def with_control(
        self, control: Mapping[str, object], sums: Mapping[str, str] | None = None
    ) -> Network:
        """The same reactions under other control.

        Args:
            control: All of it, by names of reactions.
            sums: Names that it may have for sums of species, as text.
        """
        changed = Network(
            self._written.plain, self.rates, self.kinetics, sums=sums, control=control,
            timetable=self.timetable,
        )  # fmt: skip
        written = replace(self._written, control=changed.control)
        object.__setattr__(changed, "_written", written)
        return changed

    @property
    def sets_used(self) -> dict[str, tuple[str, ...]]:
        """Those of the sets that some family is about."""
        names = {b.set_name for one in self._written.families for b in one.family.bindings}
        return {name: words for name, words in self.sets.items() if name in names}

    def listed_twice(self) -> list[tuple[int | None, str, int]]:
        """Every family that has a reaction more than once: its line, which, and how often."""
        listed: Counter[tuple[int | None, str]] = Counter()
        for reaction, (line, case) in zip(self.reactions, self.places, strict=True):
            if case:
                listed[line, reaction.arrow] += 1
        twice = {line: (arrow, n) for (line, arrow), n in reversed(listed.items()) if n > 1}
        return [(line, arrow, n) for line, (arrow, n) in twice.items()]

    def expanded(self) -> Network:
        """An equal network that prints every reaction by itself, and no family."""
        return Network(self.reactions, self.rates, self.kinetics, timetable=self.timetable)

    def with_kinetics(self, kinetics: Kinetics) -> Network:
        """The same reactions and rates under other kinetics.

        Args:
            kinetics: "falling" or "power".
        """
        return self._remade(self.rates, kinetics, self.timetable)

    def with_rates(self, changes: Mapping[str, object]) -> Network:
        """The same reactions at other rates, by their names.

        What does not depend on the rates is not found again.

        Args:
            changes: The named rates that change, and their values.
        """
        rates: dict[str, float] = {**self.rates, **changes}  # type: ignore[dict-item]
        return self._remade(rates, self.kinetics, self.timetable)

    def with_timetable(self, timetable: Timetable) -> Network:
        """The same reactions under another timetable.

        Args:
            timetable: When the rates change, and to what.
        """
        return self._remade(self.rates, self.kinetics, timetable)

    @cached_property
    def phases(self) -> tuple[Network, ...]:
        """The network in each phase of its timetable, and last outside all of them."""
        if not self.timetable:
            return (self,)
        changes = [*(phase.rates for phase in self.timetable.phases), {}]
        return tuple(
            self._remade({**self.rates, **rates}, self.kinetics, Timetable()) for rates in changes
        )

    def _remade(
        self, rates: Mapping[str, float], kinetics: Kinetics, timetable: Timetable
    ) -> Network:
        """The same reactions, written as they were; what depends on neither is not found again."""
        changed = Network(
            self._written.plain, rates, kinetics, control=self.control, timetable=timetable
        )
        for name in _RATELESS & vars(self).keys():
            vars(changed)[name] = vars(self)[name]
        return changed

    def part(self, numbers: Iterable[int]) -> Network:
        """Some of the reactions, at the same rates; rate laws may count species of the others.

        Args:
            numbers: Which ones, in order.
        """
        part, numbers = object.__new__(Network), list(numbers)
        reactions = tuple(self.reactions[r] for r in numbers)
        places = tuple(self._written.places[r] for r in numbers)
        object.__setattr__(part, "_written", HowWritten(self.sets, places, (), reactions, Rules()))
        object.__setattr__(part, "reactions", reactions)
        object.__setattr__(part, "rates", self.rates)
        object.__setattr__(part, "kinetics", self.kinetics)
        object.__setattr__(part, "timetable", self.timetable)
        return part

    def __str__(self) -> str:
        """The text that `Network` reads back as an equal network, but for its timetable."""
        if self.control:  # a text has rate laws, and no table for it
            return str(self.expanded())
        head = ["kinetics = power"] if self.kinetics == "power" else []
        head += [f"{name} = {print_rate(value)}" for name, value in self.rates.items()]
        for name, words in self.sets_used.items():
            head.append(f"{name} = {json.dumps(words, ensure_ascii=False)}")
        return "\n".join([*head, *self.lines])

    def __repr__(self) -> str:
        timed = f", timetable={self.timetable!r}" if self.timetable else ""
        return f"Network({str(self)!r}{timed})"


def _check_kinetics(kinetics: object) -> Kinetics:
    for known in get_args(Kinetics):
        if kinetics == known:
            return cast("Kinetics", known)
    raise InputError(
        f'kinetics is {shown(kinetics)}: "falling" or "power" is expected', key="network.kinetics"
    )
