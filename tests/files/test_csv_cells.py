"""No text in a CSV file is a formula, numbers stay numbers, and what is written reads back."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.files.csv_cells import read_cell, safe_cell, write_csv

texts = st.text(st.sampled_from("'=+-@\t\r\n ＝ab1.,\""), max_size=6) | st.text(max_size=8)


@pytest.mark.parametrize(
    "formula",
    ["=1+1", "+cmd", "-cmd|' /C calc'!A0", "@SUM(1)", "\t=1", "\r=1", "\n=1", " =1", "＝1", "'=1"],
)
def test_what_a_spreadsheet_would_run_is_text(formula: str) -> None:
    assert safe_cell(formula) == f"'{formula}"


@pytest.mark.parametrize("value", [-1.5, -3, "-1.5", "+2", "{A}", "it's", "'quoted'", "a=1", ""])
def test_what_is_no_formula_stays_as_it_is(value: object) -> None:
    assert safe_cell(value) == value


@given(texts)
def test_every_text_reads_back(text: str) -> None:
    cell = safe_cell(text)
    assert isinstance(cell, str)
    assert read_cell(cell) == text


@given(st.lists(st.lists(texts, min_size=2, max_size=2), min_size=1, max_size=4))
def test_tables_read_back(rows: list[list[str]]) -> None:
    stream = io.StringIO(newline="")
    write_csv(stream, rows[0], rows[1:])
    stream.seek(0)
    assert [list(map(read_cell, row)) for row in csv.reader(stream)] == rows
