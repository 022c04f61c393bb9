"""Pictures that change with the page from light to dark.

A picture is drawn once, with a stand-in for every colour of a theme; in the SVG that goes into the
page, each stand-in is replaced by the page's own variable of that name.
"""

from __future__ import annotations

import re
from dataclasses import fields, replace

from markupsafe import Markup
from matplotlib.figure import Figure

from covey.report.html_parts import figure_svg
from covey.report.style import DARK, LIGHT, Theme

_IDS = re.compile(r'(\bid="|href="#|url\(#)')
# What matplotlib notes for people who read the file, users' words among it.
_UNSEEN = re.compile(r"<metadata>.*?</metadata>|<!--.*?-->", re.DOTALL)
_STYLES = re.compile(r'style="(?P<rules>[^"]*)"')
_STYLE_SHEET = re.compile(r"<defs>\s*<style.*?</style>\s*</defs>", re.DOTALL)
_PLAIN = tuple(field.name for field in fields(Theme) if field.name not in ("series", "sequential"))


def palette(theme: Theme) -> str:
    """The colours of a theme as CSS variables."""
    named = {name: getattr(theme, name) for name in _PLAIN}
    named |= {f"series_{i}": colour for i, colour in enumerate(theme.series)}
    return "".join(f"{_variable(name)}:{colour};" for name, colour in named.items())


def themed_picture(figure: Figure, name: str, says: str) -> Markup:
    """The figure, drawn with `STAND_IN`, inside the page; `says` is for those who cannot see it."""
    return Markup('<div class="picture" style="max-width:{}px">{}</div>').format(
        round(96 * figure.get_figwidth()), _svg(figure, name, says)
    )


def plain_picture(figure: Figure, name: str, says: str) -> Markup:
    """The same for a page whose policy allows no style but that of its own files.

    What a style says of a shape is said by attributes, and of all shapes by their common parent.
    """
    svg = _STYLES.sub(_as_attributes, _STYLE_SHEET.sub("", _svg(figure, name, says)))
    common = '<svg stroke-linejoin="round" stroke-linecap="butt"'  # what the style sheet says
    return Markup(svg.replace("<svg", common, 1))  # noqa: S704


def _svg(figure: Figure, name: str, says: str) -> Markup:
    svg = _UNSEEN.sub("", figure_svg(figure).partition("<svg")[2])
    for variable, colour in _STAND_INS.items():
        svg = svg.replace(colour, f"var({variable})")
    svg = _IDS.sub(rf"\g<1>{name}-", svg)  # ids are the whole page's
    # Words are shapes in matplotlib's SVG, so that nothing in it is a user's text.
    return Markup('<svg role="img" aria-label="{}"{}').format(says, Markup(svg))  # noqa: S704


def _as_attributes(style: re.Match[str]) -> str:
    pairs = (part.partition(":") for part in style["rules"].split(";") if part.strip())
    return " ".join(f'{key.strip()}="{value.strip()}"' for key, _, value in pairs)


def _variable(name: str) -> str:
    return "--" + name.replace("_", "-")


def _stand_in(number: int) -> str:
    return f"#0ddba{number:x}"  # no colour that anybody would choose


_STAND_INS = {_variable(name): _stand_in(i) for i, name in enumerate(_PLAIN)} | {
    f"--series-{i}": f"#0ddbb{i:x}" for i in range(len(LIGHT.series))
}
STAND_IN = replace(
    LIGHT,
    **{name: _STAND_INS[_variable(name)] for name in _PLAIN},
    series=tuple(_STAND_INS[f"--series-{i}"] for i in range(len(LIGHT.series))),
)

_LIGHT, _DARK = palette(LIGHT), palette(DARK)
# The reader's own choice goes before that of the machine; paper is always light.
THEMES = (
    f":root {{ color-scheme: light dark; {_LIGHT} }}\n"
    "@media screen and (prefers-color-scheme: dark) "
    f"{{ :root:not([data-theme=light]) {{ {_DARK} }} }}\n"
    f"@media screen {{ :root[data-theme=dark] {{ {_DARK} }} }}\n"
)
