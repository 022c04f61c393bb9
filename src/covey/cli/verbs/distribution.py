"""`covey distribution`: the probability of everything that can be seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from covey.cli.options.arguments import Request, computing_verb
from covey.cli.printing import begin_answer, print_json, print_table, table
from covey.cli.saving import save_csv, save_picture
from covey.words import rounded

if TYPE_CHECKING:
    from covey.dynamics.distribution import Distribution

_MOST_ROWS = 20


@click.command(short_help="The probability of everything that can be seen.")
@click.option("--states", is_flag=True, help="Of every state, not only of what can be seen.")
@click.option("--output", "-o", type=click.Path(), metavar="CSV", help="Save the table.")
@click.option(
    "--plot",
    type=click.Path(),
    metavar="PATH",
    help="Draw the distribution of every count (.png, .svg, .pdf).",
)
@computing_verb("at")
def distribution(request: Request, states: bool, output: str | None, plot: str | None) -> None:
    """Give the probability of every observation, at a time or at steady state.

    \b
        covey distribution fleet.toml --at 10 --plot counts.png
    """
    from covey.dynamics.solve import distribution as solve

    with request.progress() as progress:
        observed = solve(request.scenario, states=states, limits=request.limits, progress=progress)
    if output is not None:
        save_csv(output, [*observed.names, "probability", "log_probability"], _rows(observed))
    save_picture(observed, plot, title=request.scenario.title)
    if request.json:
        print_json(as_json(observed))
    else:
        _print(request, observed)


def _rows(observed: Distribution) -> Any:
    columns = [
        observed.outcomes.tolist(),
        observed.probabilities.tolist(),
        observed.log_probabilities.tolist(),
    ]
    return ([*outcome, p, log] for outcome, p, log in zip(*columns, strict=True))


def as_json(observed: Distribution) -> dict[str, Any]:
    """The keys that programs rely on."""
    return {
        "outcomes": [
            dict(zip(observed.names, row, strict=True)) for row in observed.outcomes.tolist()
        ],
        "probabilities": observed.probabilities.tolist(),
        "log_probabilities": observed.log_probabilities.tolist(),
        "log_error": observed.log_error,
        "proved": True,  # what is not is refused
        "lost_mass": observed.truncated_mass,
        "mean": observed.mean,
        "sd": observed.sd,
        "method": observed.method,
        "why": observed.why,
        "states": observed.states,
    }


def _print(request: Request, observed: Distribution) -> None:
    out = begin_answer(request.scenario)
    counts = table("seen", "mean", "sd")
    for name in observed.names:
        counts.add_row(name, f"{observed.mean[name]:.6g}", f"{observed.sd[name]:.6g}")
    out.print(counts)
    likely = observed.log_probabilities.argsort()[::-1][:_MOST_ROWS]
    most = table(*observed.names, "probability", align="r")
    for i in likely:
        most.add_row(*map(str, observed.outcomes[i]), f"{observed.probabilities[i]:.6g}")
    out.print()
    print_table(out, most)
    if len(observed) > len(likely):
        out.print(
            f"… and {len(observed) - len(likely):,} less likely ones (--output saves them all)"
        )
    out.print(f"\n{trust(observed)}")


def trust(observed: Distribution) -> str:
    """In a sentence: how it was computed, and how far it can be trusted."""
    size = "" if observed.states is None else f" on {observed.states:,} states"
    said = f"method: {observed.method}{size} ({observed.why})"
    if observed.truncated_mass > 0:
        return (
            f"{said}; every probability is at most "
            f"{rounded(observed.truncated_mass, '.1e', 'up')} below the "
            "true one"
        )
    return (
        f"{said}; relative error of every probability at most "
        f"{rounded(observed.log_error, '.1e', 'up')} (proved)"
    )
