"""Random networks, teams and scenarios that are correct by construction."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st

from covey import Complex, CoveyWarning, Network, Query, Reaction, Scenario, Species, Team

TYPES = ("A", "B", "1", "27")
KINDS = ("typed", "plain", "open")
rates = st.floats(0.01, 100, allow_subnormal=False)


@st.composite
def typed_species(draw: st.DrawFn, most: int = 3) -> Species:
    members = draw(st.lists(st.sampled_from(TYPES), min_size=1, max_size=most))
    return Species(draw(st.sampled_from(["", "w", "rest"])), tuple(members))


@st.composite
def splits(draw: st.DrawFn, members: tuple[str, ...]) -> Complex:
    """The members dealt out at random to species: every complex of them conserves all types."""
    shuffled: list[str] = draw(st.permutations(members))
    groups: list[list[str]] = [[]]
    for member in shuffled:
        if draw(st.booleans()) and groups[-1]:
            groups.append([])
        groups[-1].append(member)
    names = st.sampled_from(["", "w", "rest"])
    return Complex(tuple((Species(draw(names), tuple(group)), 1) for group in groups))


@st.composite
def reactions(draw: st.DrawFn, kinds: Sequence[str] = KINDS) -> list[Reaction]:
    """A reaction of typed and plain species, or one that lets robots in or out; maybe reversed."""
    kind = draw(st.sampled_from(kinds))
    if kind == "typed":
        whole = draw(typed_species())
        left, right = draw(splits(whole.members)), draw(splits(whole.members))
    elif kind == "plain":
        sums = st.lists(st.sampled_from("pqrs"), min_size=1, max_size=3)
        left, right = (Complex(tuple((Species(n), 1) for n in draw(sums))) for _ in range(2))
    else:
        left, right = Complex(), Complex(((draw(typed_species(1)), 1),))
    forward = Reaction(left, right, draw(rates))
    return [forward, Reaction(right, left, draw(rates))] if draw(st.booleans()) else [forward]


_FAMILIES = (
    "{$i} <-> w{$i} @ 1, 2  for i in types",
    "go_$i: w{$i} -> {$i} @ k_$i  for i in types",
    "{$i} + {$j} <-> {$i,$j} @ 1, 0.5   for i < j in types",
    "{$i} + w{$j} -> w{$i,$j} @ 3 for i != j in types",
    "{$i} + w{$j,$k} -> {$i} + {$j} + {$k} @ 1 for i != j < k in types",
    "move_$i_$s_$t: $s{$i} -> $t{$i} @ 2 for i in types, s -> t in roads",
    "0 <-> stock_${s}1 @ 1, 1 for s in sites",
)


@st.composite
def family_texts(draw: st.DrawFn) -> tuple[str, dict[str, list[str]]]:
    """Lines of families and of plain reactions, each at most once, and the sets they are about."""
    types = draw(st.lists(st.sampled_from(TYPES), min_size=3, max_size=4, unique=True))
    sites = draw(st.lists(st.sampled_from(["dock", "aisle", "gate_2"]), min_size=1, unique=True))
    roads = [f"{s} -> {t}" for s in [*sites, "yard"] for t in [*sites, "yard"] if s != t]
    plain = ["stock_dock1 -> spent @ 1", "spent -> stock_dock1 @ 2", "use: spent <-> 0 @ 3, 1"]
    lines = draw(st.lists(st.sampled_from([*_FAMILIES, *plain]), min_size=1, unique=True))
    rates = [f"k_{i} = 1.5" for i in types] if _FAMILIES[1] in lines else []
    return "\n".join([*rates, *lines]), {"types": types, "sites": sites, "roads": roads}


@st.composite
def networks(draw: st.DrawFn, most: int = 5, kinds: Sequence[str] = KINDS) -> Network:
    named = draw(st.dictionaries(st.sampled_from(["k", "take"]), rates, max_size=2))
    lines = draw(st.lists(reactions(kinds), min_size=1, max_size=most))
    flat = [reaction for line in lines for reaction in line]
    if named:
        first = flat[0]
        flat[0] = Reaction(first.reactants, first.products, draw(st.sampled_from(sorted(named))))
    names = draw(st.lists(st.sampled_from(["", "pick", "pick'", "go", "go'"]), unique=True))
    for place, name in enumerate(names[: len(flat)]):
        flat[place] = replace(flat[place], name=name)
    return Network(flat, named, draw(st.sampled_from(["falling", "power"])))


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    network = draw(networks())
    counts = {member: draw(st.integers(0, 4)) for member in network.members}
    # Whoever has no species of their own to start in gets one, as a robot that only rests.
    lines = list(network.reactions)
    initial: dict[str, str] = {}
    for member in network.members:
        lone = [s for s in network.species if s.members == (member,)]
        if lone:
            initial[member] = str(draw(st.sampled_from(lone)))
        else:
            lines.append(Reaction(f"{{{member}}}", f"rest{{{member}}}", draw(rates)))
    full = Network(lines, network.rates, network.kinetics)
    split = draw(st.integers(0, len(counts)))
    names = list(counts)
    team = Team({n: counts[n] for n in names[split:]}, {n: counts[n] for n in names[:split]})
    sums = {f"y{i}": str(s) for i, s in enumerate(full.species) if draw(st.booleans())}
    title = draw(st.text(st.characters(exclude_categories=["Cs"]), max_size=8))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CoveyWarning)
        return Scenario(full, team, Query(sums), initial=initial, title=title)
