"""`covey probe`: what an observer learns who acts, and sees how the team answers."""

from __future__ import annotations

import click

from covey.cli.options.arguments import Request, computing_verb, follow_options, secret_options
from covey.cli.printing import begin_answer, print_json, print_table, table
from covey.words import format_number, rounded


@click.command(short_help="What does an observer learn who acts?")
@follow_options
@secret_options("against", "teams")
@computing_verb("at", "smoothing")
def probe(request: Request) -> None:
    """Say what an observer learns who does something to the team, and sees how it answers.

    The probes are the tables [[adversary.probe]] of the file: counts that are added or taken, rates
    that hold for a while, and when somebody looks afterwards. Beside each stands what the same
    snapshots tell without it.

    \b
        covey probe fleet.toml
        covey probe fleet.toml --set 'adversary.probe=[{set={"resources.dock"=-1}, looks=[5]}]'
    """
    from covey.privacy.stream.probing import probe as solve
    from covey.report.json_keys.probe import probe_keys

    with request.progress() as progress:
        found = solve(request.scenario, limits=request.limits, progress=progress)
    if request.json:
        print_json(probe_keys(found))
        return
    out = begin_answer(request.scenario, str(found))
    rows = table("probe", "at", "looks", "leakage", "TV", "right", "without it", align="lrlr")
    for one in found.of:
        guesses = (one.bayes_success, one.watching.profile.bayes_success)
        rows.add_row(
            str(one.probe),
            one.at if isinstance(one.at, str) else f"{one.at:g}",
            ", ".join(f"{look:g}" for look in one.probe.looks),
            format_number(one.leakage.value, ".4g"),
            f"{one.leakage.profile.total_variation:.4g}",
            *(rounded(guess, ".1%", "up") for guess in guesses),
        )
    out.print()
    print_table(out, rows)
    worst = found.best.leakage.worst
    seen = ", ".join(f"{name} {count}" for name, count in worst.observation.items())
    out.print(f"\nAt worst, after {found.best.probe}: {seen}")
