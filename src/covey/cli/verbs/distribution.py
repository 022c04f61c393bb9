"""`covey distribution`: the probability of everything that can be seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from covey.cli.arguments import (
    Request,
    adversary_options,
    computing_options,
    scenario_verb,
)
from covey.cli.printing import console, print_heading, print_json, print_table, table
from covey.cli.progress import progress_bar
from covey.cli.saving import save_csv
from covey.words import rounded

if TYPE_CHECKING:
    from covey.dynamics.distribution import Distribution
    from covey.dynamics.limits import Limits

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
@computing_options
@adversary_options("at")
@scenario_verb
def distribution(
    request: Request, states: bool, output: str | None, plot: str | None, limits: Limits
) -> None:
    """Give the probability of every observation, at a time or at steady state.

    \b
        covey distribution fleet.toml --at 10 --plot counts.png
    """
    from covey.dynamics.solve import distribution as solve

    with progress_bar(request.quiet or request.json) as progress:
        law = solve(request.scenario, states=states, limits=limits, progress=progress)
    if output is not None:
        save_csv(output, [*law.names, "probability", "log_probability"], _rows(law))
    if plot is not None:
        from covey.report.figure_file import save_figure
        from covey.report.figures.marginals import draw_marginals

        save_figure(draw_marginals(law, title=request.scenario.title), plot)
    if request.json:
        print_json(as_json(law))
    else:
        _print(request, law)


def _rows(law: Distribution) -> Any:
    columns = [law.outcomes.tolist(), law.probabilities.tolist(), law.log_probabilities.tolist()]
    return ([*outcome, p, log] for outcome, p, log in zip(*columns, strict=True))


def as_json(law: Distribution) -> dict[str, Any]:
    """The keys that programs rely on."""
    return {
        "outcomes": [dict(zip(law.names, row, strict=True)) for row in law.outcomes.tolist()],
        "probabilities": law.probabilities.tolist(),
        "log_probabilities": law.log_probabilities.tolist(),
        "log_error": law.log_error,
        "proved": True,  # what is not is refused
        "lost_mass": law.lost_mass,
        "mean": law.mean,
        "sd": law.sd,
        "method": law.method,
        "why": law.why,
        "states": law.states,
    }


def _print(request: Request, law: Distribution) -> None:
    out = console()
    print_heading(out, request.scenario)
    counts = table("seen", "mean", "sd")
    for name in law.names:
        counts.add_row(name, f"{law.mean[name]:.6g}", f"{law.sd[name]:.6g}")
    out.print(counts)
    likely = law.log_probabilities.argsort()[::-1][:_MOST_ROWS]
    most = table(*law.names, "probability", right=True)
    for i in likely:
        most.add_row(*map(str, law.outcomes[i]), f"{law.probabilities[i]:.6g}")
    out.print()
    print_table(out, most)
    if len(law) > len(likely):
        out.print(f"… and {len(law) - len(likely):,} less likely ones (--output saves them all)")
    out.print(f"\n{trust(law)}")


def trust(law: Distribution) -> str:
    """In a sentence: how it was computed, and how far it can be trusted."""
    size = "" if law.states is None else f" on {law.states:,} states"
    said = f"method: {law.method}{size} ({law.why})"
    if law.lost_mass > 0:
        return (
            f"{said}; every probability is at most {rounded(law.lost_mass, '.1e', 'up')} below the "
            "true one"
        )
    return (
        f"{said}; relative error of every probability at most "
        f"{rounded(law.log_error, '.1e', 'up')} (proved)"
    )
