"""The parts of covey's HTML: whatever comes from a user is text, never markup."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup
from matplotlib.figure import Figure

from covey.report.html_parts import figure_svg, paragraph, picture, table


class Reader(HTMLParser):
    """The cells of a table, row by row, and the names of all elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.elements: list[str] = []
        self._inside = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.elements.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self._inside = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.rows[-1][-1] += data


# A browser reads the characters below 32 in its own way; they mean nothing in a table.
TEXT = st.text(st.characters(min_codepoint=32, exclude_categories=("Cs", "Cc")), min_size=1)


@given(st.lists(st.tuples(TEXT, TEXT), max_size=5))
def test_a_table_reads_back_as_it_was_given(rows: list[tuple[str, str]]) -> None:
    read = Reader(table(["a<b>", "&amp;"], rows))
    assert read.rows == [["a<b>", "&amp;"], *map(list, rows)]
    assert set(read.elements) <= {"table", "thead", "tbody", "tr", "th", "td"}


def test_html_is_not_escaped_twice() -> None:
    assert paragraph("<&>").endswith(">&lt;&amp;&gt;</p>")
    assert paragraph(Markup("{}").format("<&>")).endswith(">&lt;&amp;&gt;</p>")
    assert paragraph(Markup("<b>x</b>")).endswith("><b>x</b></p>")


def test_long_tables_say_what_is_left_out() -> None:
    rows = [(i,) for i in range(1_050)]
    short = table(["i"], rows)
    assert len(Reader(short).rows) == 21
    assert "… and 1,030 more" in short
    whole = table(["i"], rows, most=None)
    assert len(Reader(whole).rows) == 1_051
    assert "more" not in whole


def test_pictures() -> None:
    figure = Figure((2.0, 1.0))
    figure.add_subplot().plot([1, 2])
    assert "<svg" in figure_svg(figure)
    assert figure_svg(figure) == figure_svg(figure)
    assert "<dc:date>" not in figure_svg(figure)
    shown = picture(figure, 'says "<x>"')
    assert shown.startswith('<img alt="says &#34;&lt;x&gt;&#34;" src="data:image/svg+xml;base64,')
    assert "width:192px" in shown
