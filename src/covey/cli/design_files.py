"""What `covey design` writes: the scenario of a setting, and what there is of a front."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from covey.cli.saving import save_csv
from covey.files.atomic_file import write_whole

if TYPE_CHECKING:
    from covey.cli.options.arguments import Request
    from covey.model.scenario import Scenario
    from covey.remedy.design.design import Design
    from covey.remedy.design.evaluation import Evaluated


def save_setting(request: Request, point: Evaluated, path: str | Path) -> None:
    """Writes the scenario with a setting: comments stay, and what changed is marked."""
    from covey.model.io.scenario_edit import rewritten

    scenario = _with_mechanism(point.scenario, request.file, Path(path))
    write_whole(
        path, rewritten(request.file, scenario, point.values, Path(path).parent, request.given)
    )


def save_points(request: Request, found: Design, path: str) -> list[Path]:
    """Writes the scenario of every point of the front: front.toml stands for front-1.toml, …"""
    name = Path(path)
    paths = [name.with_stem(f"{name.stem}-{i}") for i in range(1, len(found.front) + 1)]
    for point, own in zip(found.front, paths, strict=True):
        save_setting(request, point, own)
    return paths


def save_front(found: Design, path: str) -> None:
    """Writes the front as a table, with its settings."""
    rows = [{**point.settings, **point.measures} for point in found.front]
    save_csv(path, list(rows[0]), [list(row.values()) for row in rows])


def _with_mechanism(scenario: Scenario, file: str, path: Path) -> Scenario:
    """The scenario with its mechanism beside the file that is written, where it has one."""
    from covey.model.io.mechanism_file import save_mechanism

    table = scenario.release.mechanism
    if table is None or (table.file and path.resolve().parent == Path(file).resolve().parent):
        return scenario
    beside = path.with_suffix(".mechanism.json")
    save_mechanism(table, beside)
    return scenario.with_({"release.mechanism": replace(table, file=beside.name)}, warn=False)
