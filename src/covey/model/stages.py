"""Times that are not exponential: a reaction at `erlang(4, 0.5)` takes four stages.

    pick{carrier,picker} -> {carrier} + {picker}  @ erlang(4, 0.5)

The species lasts 1/0.5 = 2 on average, as at the rate 0.5, but in four stages that follow each
other at the rate 4 · 0.5 each: its time has the Erlang distribution, with a standard deviation of
half its mean instead of all of it. The stages are species of their own, `pick{…}`, `pick_2{…}`, …:

- whoever enters the species enters its first stage, and the reaction leaves from the last;
- every other reaction that takes the species may happen in each stage, and one that gives the
  species back leaves the stage as it is;
- nobody sees the stages: where the species is counted, all of them are (`counted`).

Within a stage everything is exponential, so that the expanded network is a Markov chain as any
other.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from covey.errors import InputError
from covey.model.complex import Complex
from covey.model.reaction import Reaction
from covey.model.species import Species

Stages = Mapping[Species, tuple[Species, ...]]  # by the first stage, all of them


def stages_of(reactions: Sequence[Reaction]) -> dict[Species, tuple[Species, ...]]:
    """The stages of every species whose time is not exponential, by the species.

    Args:
        reactions: All of them, as they are written.
    """
    known = {s for r in reactions for side in (r.reactants, r.products) for s, _ in side}
    found: dict[Species, tuple[Species, ...]] = {}
    for reaction in reactions:
        if reaction.stages == 1:
            continue
        species = reaction.reactants.single
        if species is None:
            raise InputError(
                f"{reaction.arrow} has an erlang time, which is how long one species lasts: let "
                "robots meet at a rate, and stay together for that time, as {A} + {B} -> w{A,B} @ "
                "1 and w{A,B} -> {A} + {B} @ erlang(4, 0.5)"
            )
        if species in found:
            raise InputError(
                f"{species} is left by two reactions with erlang times: one clock can run in a "
                "species; let one of them have a rate"
            )
        found[species] = (species, *_later(species, reaction.stages, known))
    return found


def with_stages(reactions: Sequence[Reaction], stages: Stages) -> list[list[Reaction]]:
    """For every reaction, those that stand for it.

    Args:
        reactions: As they are written, with what control makes of their rates.
        stages: Of each species that has some.
    """
    _check_others(reactions, stages)
    return [_expanded(reaction, stages) for reaction in reactions]


def counted(terms: Iterable[tuple[Species, int]], stages: Stages) -> dict[Species, int]:
    """A sum of species with all stages of each, which count as it does.

    Args:
        terms: Species and their weights.
        stages: Of each species that has some.
    """
    return {stage: weight for species, weight in terms for stage in stages.get(species, (species,))}


def later_stages(stages: Stages) -> frozenset[Species]:
    """Every stage but the first of each species, which is the one that is written.

    Args:
        stages: Of each species that has some.
    """
    return frozenset(stage for _, *others in stages.values() for stage in others)


def _later(species: Species, many: int, known: set[Species]) -> list[Species]:
    """Every stage but the first."""
    activity = species.activity or "stage"
    made = [Species(f"{activity}_{i}", species.members) for i in range(2, many + 1)]
    for stage in made:
        if stage in known:
            raise InputError(
                f"{stage} is what a stage of {species} is called: choose another name for it"
            )
    return made


def _check_others(reactions: Sequence[Reaction], stages: Stages) -> None:
    for reaction in reactions:
        for side in (reaction.reactants, reaction.products):
            for species, many in side:
                if many > 1 and species in stages:
                    raise InputError(
                        f"{reaction.arrow} has {many} {species}, whose time is an erlang one: a "
                        "reaction takes and gives one of them at most"
                    )
        law = reaction.rate_law
        if law is not None and (seen := law.species & stages.keys()):
            raise InputError(
                f"the rate law of {reaction.arrow} counts {min(map(str, seen))}, whose time is an "
                "erlang one: a rate law counts species without stages"
            )


def _expanded(reaction: Reaction, stages: Stages) -> list[Reaction]:
    taken = [species for species, _ in reaction.reactants if species in stages]
    if reaction.stages > 1:
        return _in_stages(reaction, stages[taken[0]])
    found = []
    for choice in itertools.product(*(stages[species] for species in taken)):
        now = dict(zip(taken, choice, strict=True))
        taking, giving = (
            Complex(tuple((now.get(species, species), n) for species, n in side))
            for side in (reaction.reactants, reaction.products)
        )
        found.append(replace(reaction, reactants=taking, products=giving))
    return found


def _in_stages(reaction: Reaction, stages: Sequence[Species]) -> list[Reaction]:
    """From stage to stage, and from the last to the products: as many times as fast."""
    many = len(stages)
    steps = [
        Reaction(Complex(((now, 1),)), Complex(((after, 1),)), reaction.rate, times=many)
        for now, after in itertools.pairwise(stages)
    ]
    last = Complex(((stages[-1], 1),))
    return [*steps, replace(reaction, reactants=last, stages=1, times=many)]
