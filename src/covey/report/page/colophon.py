"""The end of the report: how it was computed, and all that is needed to compute it again."""

from __future__ import annotations

import math
import platform
from importlib.metadata import version

from covey import __version__
from covey.dynamics.limits import Limits
from covey.model.scenario_file import dumps
from covey.report.html_parts import Html, escape
from covey.report.page.numbers import leakage, quantity
from covey.study.assessment import Assessment
from covey.words import when

_LIBRARIES = ("numpy", "scipy", "numba")


def colophon(found: Assessment) -> Html:
    """Method, bounds, settings, versions, and the scenario as it was read."""
    leak, limits, team = found.leakage, found.limits, found.laws.team
    low, high = leak.interval
    proved = "proved" if team.proved else "estimated"
    rows = {
        "method": f"{escape(leak.method)}: {escape(leak.why)}",
        "states": quantity(leak.states, f"{leak.states:,}", "leakage.states"),
        "leakage": leakage(leak.value, "leakage.value"),
        "certainly between": f"{_whole(low, 'leakage.interval[0]')} and "
        f"{_whole(high, 'leakage.interval[1]')}",
        "error of every ln P": f"at most {team.log_error:.1e} ({proved})",
        "probability left out": quantity(
            leak.lost_mass, f"{leak.lost_mass:.2g}", "leakage.lost_mass"
        ),
        "the adversary looks": escape(when(leak.at)),
        "smoothing": f"{leak.smoothing:g}",
        "tolerance of a projection": f"{limits.tolerance:g}",
        "covey": escape(__version__),
        "with": escape(
            f"Python {platform.python_version()}, "
            + ", ".join(f"{name} {version(name)}" for name in _LIBRARIES)
        ),
        "computed in": f"{found.seconds:.1f} s",
    }
    listed = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in rows.items())
    return Html(
        f"<table><tbody>{listed}</tbody></table>"
        "<p>The leakage is that of this team, for one glance and one robot. It does not add up "
        "over several glances at one mission, and several robots together may give away more than "
        "so many times as much.</p>"
        "<p>Save the scenario below as <code>scenario.toml</code>; then</p>"
        f"<pre>covey report scenario.toml -o report.html{_options(found)}\n"
        f"covey leakage scenario.toml --json{_limits(found)}</pre>"
        f"<p>give these numbers again.</p><pre>{escape(dumps(found.scenario))}</pre>"
    )


def _limits(found: Assessment) -> str:
    """The options of the command that are not in the scenario, where they are not the usual."""
    usual, limits = Limits(), found.limits
    given = {
        "--method": limits.method,
        "--max-states": limits.max_states,
        "--tolerance": None if limits.tolerance == usual.tolerance else limits.tolerance,
    }
    return "".join(f" {option} {value}" for option, value in given.items() if value is not None)


def _options(found: Assessment) -> str:
    until = "" if found.until is None else f" --until {found.until:g}"
    return _limits(found) + until + (" --no-changes" if found.sensitivity is None else "")


def _whole(value: float, name: str) -> Html:
    return quantity(value, "∞" if math.isinf(value) else f"{value:.12g}", name)
