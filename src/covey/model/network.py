"""Network: how robots meet, collaborate and part, as a chemical reaction network (𝒜, 𝒞, ℛ).

The matrices follow the paper, with the conventions of the theory page:

    M  species × complexes     column j is ρ_j, the coefficients of complex j
    A  complexes × complexes   A[k,j] = κ of C_j → C_k, and every column sums to zero
    Γ  species × reactions     column l is ρ_k − ρ_j for R_l: C_j → C_k
    ψ  one entry per complex   ψ_j(x) = ∏ x_i^ρ_ij

so that the mean field moves by ẋ = M A ψ(x). A reaction may have a rate law of its own instead of κ
ψ (`rate_law`); then it has no place in A.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeVar, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from covey.errors import InputError, UnsupportedError, did_you_mean, shown
from covey.model.complex import Complex
from covey.model.families.word_sets import Sets
from covey.model.frozen import FrozenMap
from covey.model.io.matrices import reactions_of
from covey.model.io.network_text import HowWritten, NetworkText, print_lines
from covey.model.rate import check_rate_constant, check_rate_name, print_rate
from covey.model.rate_laws.control import Rules, controlled
from covey.model.rate_laws.control_table import read_control
from covey.model.rate_laws.program import Program, compile_rate_law
from covey.model.rate_laws.words import RateLawWords
from covey.model.reaction import Reaction
from covey.model.species import Species, natural_order, species_order
from covey.model.stages import Stages, stages_of, with_stages
from covey.model.timetable import Timetable
from covey.showing import Showing

Kinetics = Literal["falling", "power"]
Number = TypeVar("Number", np.int64, np.float64)

# What is kept of a network at other rates, where it is known.
_RATELESS = frozenset(
    ("species", "index", "complexes", "edges", "members", "reactants", "changes", "_written")
)


@dataclass(frozen=True, init=False)
class Network(Showing):
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

    def same_wiring(self, other: Network) -> bool:
        """Whether two networks have the same reactions, whatever their rates.

        Args:
            other: The other network.
        """
        mine, theirs = self.reactions, other.reactions
        return (
            self.kinetics == other.kinetics
            and len(mine) == len(theirs)
            and all(
                (_sides(one), one.rate_law) == (_sides(two), two.rate_law)
                for one, two in zip(mine, theirs, strict=True)
            )
        )

    @cached_property
    def species(self) -> tuple[Species, ...]:
        """Every species, in the order of the state vector."""
        found = {s for reaction in self.reactions for side in _sides(reaction) for s, _ in side}
        for law in (reaction.rate_law for reaction in self.reactions):
            if law is not None:
                found |= law.species | {Species(word) for word in law.words - self.rates.keys()}
        return tuple(sorted(found, key=species_order))

    @cached_property
    def index(self) -> FrozenMap[Species, int]:
        """Where each species stands in the state vector."""
        return FrozenMap((species, i) for i, species in enumerate(self.species))

    @cached_property
    def complexes(self) -> tuple[Complex, ...]:
        """Every complex, in the order in which the reactions mention them."""
        return tuple(dict.fromkeys(side for r in self.reactions for side in _sides(r)))

    @cached_property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """For each reaction, the numbers of the complexes it leads from and to."""
        number = {complex_: j for j, complex_ in enumerate(self.complexes)}
        return tuple((number[r.reactants], number[r.products]) for r in self.reactions)

    @cached_property
    def members(self) -> tuple[str, ...]:
        """Every type and resource that some species holds."""
        found = {member for species in self.species for member in species.members}
        return tuple(sorted(found, key=natural_order))

    @cached_property
    def rate_constants(self) -> NDArray[np.float64]:
        """κ of every reaction; NaN for one that has a rate law of its own."""
        self.check_constant_rates()
        return _frozen(np.array([r.rate_constant(self.rates) for r in self.reactions]))

    @cached_property
    def reactants(self) -> NDArray[np.int64]:
        """What each reaction consumes: (reactions, species)."""
        return _frozen(self._coefficients([reaction.reactants for reaction in self.reactions]))

    @cached_property
    def changes(self) -> NDArray[np.int64]:
        """What each reaction changes, Γ transposed: (reactions, species)."""
        products = self._coefficients([reaction.products for reaction in self.reactions])
        return _frozen(products - self.reactants)

    @property
    def M(self) -> NDArray[np.int64]:
        """The complex matrix: (species, complexes)."""
        return self._coefficients(self.complexes).T

    @property
    def A(self) -> NDArray[np.float64]:
        """The kinetics matrix: (complexes, complexes)."""
        self.check_mass_action("the matrix A")
        matrix = np.zeros((len(self.complexes), len(self.complexes)))
        for (source, target), rate in zip(self.edges, self.rate_constants, strict=True):
            matrix[target, source] += rate
            matrix[source, source] -= rate
        return matrix

    @property
    def gamma(self) -> NDArray[np.int64]:
        """Γ, the stoichiometry matrix: (species, reactions)."""
        return self.changes.T

    def psi(self, x: ArrayLike) -> NDArray[np.float64]:
        """ψ(x): for every complex the product of its species' amounts.

        Args:
            x: The amount of every species, (species,).
        """
        return np.asarray(
            np.prod(np.asarray(x, dtype=float)[:, None] ** self.M, axis=0), dtype=float
        )

    def drift(self, x: ArrayLike) -> NDArray[np.float64]:
        """ẋ = M A ψ(x), the right-hand side of the mean field, computed as Γ v(x).

        Args:
            x: The amount of every species, (species,).
        """
        return np.asarray(self.gamma @ self.flows(np.asarray(x, dtype=float)), dtype=float)

    def flows(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """How often each reaction happens at real amounts: (reactions,).

        κ ∏ x^ρ; a rate law is taken at these amounts, and for 0 where it is no rate there.

        Args:
            x: The amount of every species, (species,).
        """
        flows = np.asarray(self.rate_constants * np.prod(x**self.reactants, axis=1), dtype=float)
        for reaction, program in self.programs.items():
            flows[reaction] = max(float(np.nan_to_num(program.run(x[:, None]))[0]), 0.0)
        return flows

    @cached_property
    def programs(self) -> FrozenMap[int, Program]:
        """The rate laws of those reactions that do not follow mass action, by their numbers."""
        self.check_constant_rates()
        laws = [(r, reaction.rate_law) for r, reaction in enumerate(self.reactions)]
        return FrozenMap(
            (r, compile_rate_law(law, self.index, self.rates)) for r, law in laws if law is not None
        )

    @property
    def rate_names(self) -> set[str]:
        """The named rates that some reaction uses."""
        named = {reaction.rate for reaction in self.reactions if isinstance(reaction.rate, str)}
        laws = [reaction.rate_law for reaction in self.reactions if reaction.rate_law is not None]
        return named.union(*(law.words & self.rates.keys() for law in laws))

    @property
    def has_rate_laws(self) -> bool:
        """Whether some reaction follows a rate law of its own instead of mass action."""
        return any(reaction.rate_law is not None for reaction in self.reactions)

    def check_constant_rates(self) -> None:
        """Raises `UnsupportedError` where the rates follow a timetable."""
        if self.timetable:
            raise UnsupportedError(
                "the rates follow a timetable ([[phase]]), and this is answered at constant rates "
                "only: leave the phases out, or give [rates] those of the phase that you ask about"
            )

    def check_mass_action(self, what: str) -> None:
        """Raises `UnsupportedError` where a reaction follows a rate law of its own.

        Args:
            what: What is there for mass action only.
        """
        for reaction in self.reactions:
            if reaction.rate_law is not None:
                raise UnsupportedError(
                    f"{reaction.arrow} has a rate law of its own, {str(reaction.rate_law)[:80]}: "
                    f"{what} "
                    "is there for mass action only"
                )

    def _coefficients(self, complexes: Iterable[Complex]) -> NDArray[np.int64]:
        complexes = list(complexes)
        matrix = np.zeros((len(complexes), len(self.species)), dtype=np.int64)
        for row, complex_ in enumerate(complexes):
            for species, coefficient in complex_:
                matrix[row, self.index[species]] = coefficient
        return matrix

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


def _frozen(array: NDArray[Number]) -> NDArray[Number]:
    """Arrays that are kept must not be changed by whoever is given them."""
    array.setflags(write=False)
    return array


def _sides(reaction: Reaction) -> tuple[Complex, Complex]:
    return reaction.reactants, reaction.products
