"""Templates to markup. Every gap of a template is escaped, and every name in it must be given.

What is escaped is everything but `Markup`, which is made of literals, and in some places, marked
S704, of what is no user's: templates, the page's own files, and pictures. Forgetting about a user's
text leaves it text; a string with markup in it is shown as it is written, tags and all, and so is
noticed.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup


def render(template: str, **values: object) -> Markup:
    """The template with its gaps filled."""
    return Markup(_templates().get_template(template).render(values))  # noqa: S704


def ours(name: str) -> Markup:
    """A file of the page's own, as it is: its look, its scripts."""
    text = files("covey.report.page").joinpath(name).read_text(encoding="utf-8")
    return Markup(text)  # noqa: S704


@cache
def _templates() -> Environment:
    found = Environment(
        loader=PackageLoader("covey.report.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.policies["json.dumps_kwargs"] = {"allow_nan": False}  # browsers read no NaN
    return found
