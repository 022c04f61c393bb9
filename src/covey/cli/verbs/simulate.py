"""`covey simulate`: sampled trajectories of the team, and logs of what happened."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from covey.cli.options.arguments import Request, check_points, scenario_verb
from covey.cli.printing import console, print_json, print_title, table
from covey.cli.saving import save_csv
from covey.errors import InputError
from covey.files.csv_cells import write_csv
from covey.words import many, when

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from covey.model.scenario import Scenario

_MOST_SAMPLES = 10**9  # years of work, and not for ever


@click.command(short_help="Sampled trajectories, and logs of every event.")
@click.option(
    "--until", type=float, metavar="T", help="How long; default: the file's adversary.at."
)
@click.option("--samples", type=int, default=1, show_default=True, help="How many trajectories.")
@click.option(
    "--points",
    type=int,
    default=101,
    show_default=True,
    help="At how many times, evenly from 0 to T; 1 gives the end points only.",
)
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    help="The same seed gives the same trajectories, on any number of cores.",
)
@click.option(
    "--events",
    is_flag=True,
    help="Every event instead: when, which reaction, and the state after it.",
)
@click.option("--output", "-o", type=click.Path(), metavar="CSV", help="Save them.")
@scenario_verb
def simulate(
    request: Request,
    until: float | None,
    samples: int,
    points: int,
    seed: int,
    events: bool,
    output: str | None,
) -> None:
    """Simulate the team exactly (Gillespie), from its start up to a time.

    \b
        covey simulate fleet.toml --until 30 --samples 1000
        covey simulate fleet.toml --until 30 --events -o log.csv
    """
    scenario = request.scenario
    end = _until(scenario, until)
    if not 1 <= samples <= _MOST_SAMPLES:
        raise InputError(f"--samples must be a whole number from 1 to {_MOST_SAMPLES:,}")
    check_points(points, 1)
    if events:
        header, rows = _events(scenario, end, samples, seed)
        _deliver(request, output, header, rows)
        return
    import numpy as np

    from covey.dynamics.ssa.simulation import trajectories

    times = np.array([end]) if points == 1 else np.linspace(0.0, end, points)
    with request.progress() as progress:
        paths = trajectories(
            scenario.network,
            scenario.start,
            times=times,
            samples=samples,
            seed=seed,
            progress=progress,
        )
    names = [str(species) for species in scenario.network.species]
    if output is not None:
        save_csv(output, ["sample", "time", *names], _rows(times, paths))
    if request.json:
        print_json({"times": times.tolist(), "species": names, "trajectories": paths.tolist()})
    elif not (request.quiet and output):
        _print(scenario, end, paths[:, -1], output)


def _until(scenario: Scenario, until: float | None) -> float:
    if until is not None:
        return until
    if scenario.adversary.at == "steady":
        raise InputError("how long? Say --until T, or give the file a time as adversary.at")
    return float(scenario.adversary.at)


def _rows(times: NDArray[np.float64], paths: NDArray[np.int64]) -> Iterator[list[Any]]:
    for sample, path in enumerate(paths):
        for time, state in zip(times.tolist(), path.tolist(), strict=True):
            yield [sample, time, *state]


def _events(
    scenario: Scenario, until: float, samples: int, seed: int
) -> tuple[list[str], Iterator[list[Any]]]:
    from covey.dynamics.ssa.simulation import event_log

    network = scenario.network
    header = ["sample", "time", "reaction", *map(str, network.species)]

    def rows() -> Iterator[list[Any]]:
        for sample in range(samples):
            log = event_log(network, scenario.start, until, seed=seed, trajectory=sample)
            yield [sample, 0.0, "", *scenario.start.tolist()]
            for time, reaction, state in zip(
                log.times.tolist(), log.reactions, log.states().tolist(), strict=True
            ):
                yield [sample, time, network.reactions[reaction].arrow, *state]

    return header, rows()


def _deliver(
    request: Request, output: str | None, header: list[str], rows: Iterator[list[Any]]
) -> None:
    if output is not None:
        save_csv(output, header, rows)
        if request.json:
            print_json({"file": output})
    elif request.json:
        print_json({"columns": header, "events": list(rows)})
    else:
        import sys

        write_csv(sys.stdout, header, rows)


def _print(scenario: Scenario, until: float, ends: NDArray[np.int64], output: str | None) -> None:
    from covey.dynamics.mean_field.rate_equations import mean_field

    out = console()
    print_title(out, scenario)
    out.print(
        f"{many(len(ends), 'path')} of {scenario.team} up to {when(until, scenario.unit)[3:]}\n"
    )
    network = scenario.network
    # The mean field is there for mass action at constant rates only.
    known = [] if network.has_rate_laws or network.timetable else ["mean field"]
    rows = table(when(until, scenario.unit), "mean", "sd", *known, align="lr")
    field = mean_field(network, scenario.start, [until])[-1] if known else None
    for i, species in enumerate(network.species):
        mean, sd = ends[:, i].mean(), ends[:, i].std()
        last = [] if field is None else [f"{field[i]:.4g}"]
        rows.add_row(str(species), f"{mean:.4g}", f"{sd:.4g}", *last)
    out.print(rows)
    if network.has_rate_laws:
        out.print("\nno mean field: a reaction has a rate law of its own, which is not mass action")
    if output is not None:
        out.print(f"\nsaved: {output}")
