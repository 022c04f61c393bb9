"""The publisher's own team: from an option or a file of its own, never from the mechanism."""

from __future__ import annotations

import warnings

from covey.errors import InputError
from covey.model.io.scenario_file import load
from covey.model.observation.release_table import ReleaseTable
from covey.model.team import Team
from covey.numbers import whole_of


def own_team(text: str | None, file: str | None, table: ReleaseTable) -> dict[str, int] | None:
    """How many robots there are of each type; None where nothing says it.

    Args:
        text: As carrier=6,picker=4.
        file: A scenario, or a fleet (`robot,type` lines, by its ending .csv).
        table: Whose types are counted.
    """
    if text is not None and file is not None:
        raise InputError("--team and --team-file both say which team is yours: leave one out")
    if file is not None:
        return _read(file, table)
    return None if text is None else _parsed(text)


def _parsed(text: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for part in text.split(","):
        name, _, count = (word.strip() for word in part.partition("="))
        number = whole_of(count)
        if not name or number is None or name in found:
            raise InputError(
                f"--team {text[:80]}: a number of robots for each type is expected, as "
                "carrier=6,picker=4"
            )
        found[name] = number
    return found


def _read(file: str, table: ReleaseTable) -> dict[str, int]:
    types = list(table.teams[0]) if table.teams else []
    if file.lower().endswith(".csv"):
        return dict(Team.from_fleet(file, types).types)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that is for whoever made the mechanism
        return dict(load(file).team.types)
