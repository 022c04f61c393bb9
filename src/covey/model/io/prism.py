"""Scenarios in the PRISM language, for probabilistic model checkers such as PRISM and storm.

One module holds a bounded count n_… for every species, and a command for every reaction at the rate

    κ x (x − 1) … for falling kinetics, κ x^ρ for powers,   where at least ρ are there,

or at what its rate law says, where that is positive.

A reaction that changes nothing is left out. What can be seen is a formula y_… and a reward
structure for each name, so that a property may say P=? [F[2,2] y_free=3] or R{"y_free"}=? [S].
No keyword of the language starts like this, so that names need no other care.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from covey.errors import UnsupportedError
from covey.model.io.identifiers import Identifiers, one_line
from covey.model.rate_laws.term import COMPARISONS, Applied, Term
from covey.model.reaction import Reaction
from covey.model.scenario import Scenario
from covey.model.species import Species
from covey.model.stoichiometry import Kinetics
from covey.model.structure.count_bounds import largest_counts


def to_prism(scenario: Scenario) -> str:
    """The Markov chain of a scenario's team as a PRISM program.

    Raises `UnsupportedError` where nothing bounds a count: a PRISM model has finitely many states.

    Args:
        scenario: Whose team it is; what it lets be seen becomes formulas and rewards.
    """
    network = scenario.network
    network.check_constant_rates()
    ids = Identifiers()
    species = {s: ids.new(f"n_{s}", "n") for s in network.species}
    rates = {name: ids.new(f"k_{name}", "k") for name in network.rates}
    seen = {name: ids.new(f"y_{name}", "y") for name in scenario.query.sums}
    blocks = [[f"// {one_line(scenario.title) or 'a team of robots'}", "ctmc"]]
    blocks.append(
        [f"const double {id_} = {network.rates[name]!r};  // {name}" for name, id_ in rates.items()]
    )
    blocks.append(["module team", *_counts(scenario, species)])
    for reaction in network.reactions:
        if reaction.change():
            command = _command(reaction, network.kinetics, species, rates)
            blocks.append([f"  // {reaction}", f"  {command}"])
    blocks[-1].append("endmodule")
    for name, group in scenario.query.sums.items():
        sum_ = " + ".join(f"{n} * {species[s]}" if n > 1 else species[s] for s, n in group.terms)
        if group.threshold is not None:
            sign = "=" if group.threshold.sign == "==" else group.threshold.sign
            sum_ = f"({sum_} {sign} {group.threshold.bound} ? 1 : 0)"
        blocks.append([f"formula {seen[name]} = {sum_};  // {one_line(name)}"])
        blocks[-1] += [f'rewards "{seen[name]}"', f"  true : {seen[name]};", "endrewards"]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _counts(scenario: Scenario, ids: Mapping[Species, str]) -> Iterator[str]:
    bounds = largest_counts(scenario.network, scenario.start)
    for (species, id_), start in zip(ids.items(), scenario.start.tolist(), strict=True):
        most = bounds[species]
        if most is None:
            raise UnsupportedError(
                f"nothing bounds the number of {species}, and a PRISM model has finitely many "
                "states: leave out what lets it grow, or export to SBML"
            )
        most = max(most, 1)  # not every reader takes a range of one value
        yield f"  {id_} : [0..{most}] init {start};  // {species}"


def _command(
    reaction: Reaction, kinetics: Kinetics, ids: Mapping[Species, str], rates: Mapping[str, str]
) -> str:
    guard = " & ".join(f"{ids[s]} >= {n}" for s, n in reaction.reactants)
    if reaction.rate_law is not None:
        names = {**rates, **{str(s): id_ for s, id_ in ids.items()}}
        rate = _term(reaction.rate_law.term, names)
        guard = " & ".join(filter(None, [guard, f"{rate} > 0"]))
    else:
        rate = " * ".join(_factors(reaction, kinetics, ids, rates))
    updates = " & ".join(
        f"({ids[s]}' = {ids[s]} {'-' if n < 0 else '+'} {abs(n)})"
        for s, n in reaction.change().items()
    )
    return f"[] {guard or 'true'} -> {rate} : {updates};"


def _factors(
    reaction: Reaction, kinetics: Kinetics, ids: Mapping[Species, str], rates: Mapping[str, str]
) -> Iterator[str]:
    """The factors of mass action, the rate constant first: the product is then a real number."""
    if reaction.times > 1:
        yield str(reaction.times)
    yield rates[reaction.rate] if isinstance(reaction.rate, str) else repr(reaction.rate)
    for s, n in reaction.reactants:
        for k in range(n):
            yield f"({ids[s]} - {k})" if k and kinetics == "falling" else ids[s]


def _term(term: Term, names: Mapping[str, str]) -> str:
    """A term of a rate law, every operation in ( ); numbers are reals, as their quotients are."""
    if isinstance(term, float):
        return repr(term)
    if not isinstance(term, Applied):
        return names[str(term)]
    parts = [_term(part, names) for part in term.parts]
    called = {"min": "min", "max": "max", "^": "pow"}.get(term.function)
    if called is not None:
        return f"{called}({', '.join(parts)})"
    if term.function == "-":
        return f"(-{parts[0]})"
    sign = "=" if term.function == "==" else term.function
    text = f" {sign} ".join(parts)
    return f"({text} ? 1 : 0)" if term.function in COMPARISONS else f"({text})"
