"""The design rules as a table that people read: a line for each rule, a column for each reading."""

from __future__ import annotations

from covey.paper.rules.rule_cases import every_rule
from covey.paper.rules.rule_systems import READINGS
from covey.paper.workspace import Table

_HEADS = ("rule", "exact", "smoothed", "total variation", "best guess after a day")
_SIXTEEN = "the symmetric tree of 16 leaves, against all of depth 5"


def rule_table(trials: Table) -> str:
    """Markdown of the verdicts; after each the cases with and against, and the counterexample."""
    says = {rule.name: rule.says for rule in every_rule()} | {"symmetric-16": _SIXTEEN}
    lines = [_line(_HEADS), _line(["---"] * len(_HEADS))]
    for name in dict.fromkeys(trials["rule"].tolist()):
        cells = [_cell(trials.where(rule=name, reading=reading)) for reading in READINGS]
        lines.append(_line([f"{says[name]} (`{name}`)", *cells]))
    return "\n".join(lines) + "\n"


def _cell(row: Table) -> str:
    if not len(row) or not row["cases"][0]:
        return "not computed"
    verdict, files = row["verdict"][0], row["files"][0]
    counts = f"{row['with'][0]:.0f} : {row['against'][0]:.0f}"
    if verdict == "open":
        return f"open, of {row['cases'][0]:.0f}"
    return f"{verdict}, {counts}" + (f", `{files}`" if files else "")


def _line(cells: list[str] | tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"
