"""Results that are tables, as pandas and LaTeX have them: one way for all of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from covey.numbers import is_number

if TYPE_CHECKING:
    import pandas as pd

_ESCAPED = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


class Tabular:
    """A value that is a table of named columns."""

    __slots__ = ()

    @property
    def table_columns(self) -> Mapping[str, Sequence[Any]]:
        """The columns by name, all of one length."""
        raise NotImplementedError

    def to_pandas(self) -> pd.DataFrame:
        """The table as a data frame of pandas'."""
        import pandas as pd  # noqa: PLC0415  (takes a second)

        return pd.DataFrame(dict(self.table_columns))

    def to_latex(self, digits: int = 4) -> str:
        """The table as a `tabular` of LaTeX's.

        Args:
            digits: How many a number has.
        """
        columns = self.table_columns
        kinds = "".join("r" if all(map(is_number, values)) else "l" for values in columns.values())
        rows = zip(*columns.values(), strict=True)
        lines = [
            f"\\begin{{tabular}}{{{kinds}}}",
            r"\hline",
            " & ".join(map(_escaped, columns)) + r" \\",
            r"\hline",
            *(" & ".join(_cell(value, digits) for value in row) + r" \\" for row in rows),
            r"\hline",
            r"\end{tabular}",
        ]
        return "\n".join(lines) + "\n"


def columns_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """The columns of rows; what a row does not have is None."""
    listed = list(rows)
    names = dict.fromkeys(name for row in listed for name in row)
    return {name: [row.get(name) for row in listed] for name in names}


def _cell(value: object, digits: int) -> str:
    if not is_number(value):
        return "" if value is None else _escaped(str(value))
    number = float(value)
    if math.isinf(number):
        return r"$\infty$" if number > 0 else r"$-\infty$"
    if math.isnan(number):
        return ""
    mantissa, exponent, power = f"{number:.{digits}g}".partition("e")
    return f"${mantissa} \\times 10^{{{int(power)}}}$" if exponent else f"${mantissa}$"


def _escaped(text: str) -> str:
    return "".join(_ESCAPED.get(sign, sign) for sign in text)
