"""A scenario file with other numbers: its comments stay, and what changed is marked.

    meet = 0.2            # per minute
    meet = 0.4203684661   # was 0.2; per minute

A factor or a threshold of [control] is changed where it stands in its rule. Counts that are not
published any more stay as comments, and the mechanism is named under [release].

Values of the command line are put in their places first, as if by hand. The new text is read again;
where it does not mean what it should, the scenario is printed anew, without comments.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import Table

from covey.errors import CoveyError
from covey.files.bounded_file import read_text
from covey.model.io.scenario_file import MAX_BYTES, dumps, scenario_of
from covey.model.io.value_edit import parsed, put_all
from covey.model.observation.query import Query
from covey.model.scenario import Scenario


def rewritten(
    file: str,
    scenario: Scenario,
    values: Mapping[str, float | int],
    folder: Path | None = None,
    given: Mapping[str, Any] | None = None,
) -> str:
    """The text of the file, for a folder, with what makes it mean the scenario.

    `given` are the values that were not those of the file before `values` were found.
    """
    if file == "-":
        return dumps(scenario)
    text = read_text(file, "a scenario file", MAX_BYTES).replace("\r\n", "\n")
    try:
        document = parsed(text)
        put_all(document, given or {})
        put_all(document, values, mark=True)
        _put_counts(document, scenario.query)
        _put_measures(document, scenario)
        table = scenario.release.instead
        if table is not None and table.file:
            put_all(document, {"release.mechanism": table})
        changed = tomlkit.dumps(document)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if scenario_of(changed, "", folder or Path()) == scenario:
                return changed
    except CoveyError:
        pass
    return dumps(scenario)


def _put_counts(document: tomlkit.TOMLDocument, query: Query) -> None:
    """These sums under [observe]: others become comments, new ones come last."""
    before = document.get("observe", {})
    if query.is_identity or any("$" in f"{key}{sum_}" for key, sum_ in before.items()):
        return
    gone = [key for key in before if key not in query.sums]
    new = {key: sum_ for key, sum_ in query.texts().items() if key not in before}
    put_all(document, {f"observe.{key}": sum_ for key, sum_ in new.items()})
    for key in gone:
        if not isinstance(before, Table):
            before.pop(key)
            continue
        body = before.value.body
        place = next(i for i, (other, _) in enumerate(body) if other is not None and other == key)
        line = tomlkit.item({}).append(*body[place]).as_string().rstrip("\n")
        before.remove(key)
        body[place] = None, tomlkit.comment(f"not published: {line}")


def _put_measures(document: tomlkit.TOMLDocument, scenario: Scenario) -> None:
    """The scenario's measures: they name no sums that are not published any more."""
    before = document.get("performance", {})
    texts = {name: one.text for name, one in scenario.performance.items() if name in before}
    put_all(document, {f"performance.{name}": text for name, text in texts.items()}, mark=True)
