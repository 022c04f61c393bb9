"""The documentation as a site: `make docs`.

Nothing on it is loaded from elsewhere: no fonts, no MathJax, no counters. Formulas are plain text,
which a terminal, GitHub and a reader without a network show alike.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

from covey import __version__
from covey.report.style import DARK, LIGHT, Theme

project = "covey"
author = copyright = "The covey developers"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "docstrings", "verbs"]
exclude_patterns = ["_build", "benchmarks/*"]  # tables that benchmarks.md includes
myst_heading_anchors = 3

highlight_language = "text"  # formulas are not Python
default_role = "code"  # docstrings write `names` as Markdown does
autodoc_type_aliases = {name: name for name in ("Moment", "Method", "Progress", "ArrayLike")}
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 80
python_use_unqualified_type_names = True
add_module_names = False
toc_object_entries_show_parents = "hide"


def _colours(theme: Theme) -> dict[str, str]:
    """Furo's variables, from the look of covey's own pictures: one palette for all of it."""
    return {
        "code-font-size": "77.5%",  # a hundred columns fit, which is how wide covey prints
        "color-brand-primary": theme.accent,
        "color-brand-content": theme.accent,
        "color-brand-visited": theme.accent,
        "color-foreground-primary": theme.ink,
        "color-foreground-secondary": theme.muted,
        "color-foreground-muted": theme.muted,
        "color-foreground-border": theme.muted,
        "color-background-primary": theme.background,
        "color-background-border": theme.grid,
        "color-api-name": theme.accent,
        "color-api-pre-name": theme.muted,
        "color-problematic": theme.alert,
        "color-highlighted-background": theme.accent_fill,
        "color-highlight-on-target": theme.accent_fill,
        "color-admonition-title": theme.accent,
        "color-admonition-title-background": theme.accent_fill,
    }


html_theme = "furo"
html_title = f"covey {__version__}"
html_logo = "_static/covey.svg"
html_favicon = "_static/favicon.svg"
html_static_path = ["_static"]
html_css_files = ["covey.css"]
html_copy_source = False
html_theme_options = {
    "light_css_variables": _colours(LIGHT),
    "dark_css_variables": _colours(DARK),
}


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.add_lexer("csv", TextLexer)  # GitHub knows it, Pygments does not
