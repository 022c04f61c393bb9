"""Results as a notebook shows them: a sentence, a table, a picture, as one piece of HTML.

Which function shows which kind stands at the end of each module here; `html_of` chooses.
"""

from __future__ import annotations

from functools import singledispatch

from markupsafe import Markup

from covey.report.html_parts import paragraph
from covey.report.notebook.model import MODEL
from covey.report.notebook.privacy import PRIVACY
from covey.report.notebook.remedy import REMEDY
from covey.report.notebook.study import STUDY


@singledispatch
def html_of(result: object) -> Markup:
    """The HTML of any result; of what nobody has a table for, its text."""
    return paragraph(result)


for _kind, _show in (*MODEL, *PRIVACY, *REMEDY, *STUDY):
    html_of.register(_kind, _show)
