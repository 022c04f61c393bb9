"""The end of the report: how it was computed, and all that is needed to compute it again."""

from __future__ import annotations

import platform
from importlib.metadata import version

from markupsafe import Markup

from covey import __version__
from covey.model.io.scenario_file import dumps
from covey.report.page.numbers import leakage, quantity
from covey.report.page.rendering import render
from covey.study.assessment import Assessment
from covey.words import format_number, rounded, when

_LIBRARIES = ("numpy", "scipy", "numba")


def colophon(found: Assessment) -> Markup:
    """Method, bounds, settings, versions, and the scenario as it was read."""
    return render(
        "colophon.html",
        rows=_rows(found),
        commands=(
            f"covey report scenario.toml -o report.html{_options(found)}{_fit(found)}",
            f"covey leakage scenario.toml --json{_limits(found)}{_fit(found)}",
        ),
        scenario=dumps(found.scenario),
    )


def _rows(found: Assessment) -> dict[str, str]:
    leak, limits, team = found.leakage, found.limits, found.distributions.team
    low, high = leak.interval
    libraries = ", ".join(f"{name} {version(name)}" for name in _LIBRARIES)
    return {
        "method": f"{leak.method}: {leak.why}",
        "states": "not counted"
        if leak.states is None
        else quantity(leak.states, f"{leak.states:,}", "leakage.states"),
        "leakage": leakage(leak.value, "leakage.value"),
        "certainly between": Markup("{} and {}").format(
            _whole(low, "leakage.interval[0]"), _whole(high, "leakage.interval[1]")
        ),
        "error of every ln P": f"at most {rounded(team.log_error, '.1e', 'up')} (proved)",
        "probability left out": quantity(
            leak.truncated_mass, rounded(leak.truncated_mass, ".2g", "up"), "leakage.truncated_mass"
        ),
        "the adversary looks": when(leak.at, found.scenario.unit),
        "smoothing": f"{leak.smoothing:g}",
        "tolerance": "by default" if limits.tolerance is None else f"{limits.tolerance:g}",
        "covey": __version__,
        "with": f"Python {platform.python_version()}, {libraries}",
        "computed in": f"{found.seconds:.1f} s",
    }


def _limits(found: Assessment) -> str:
    """The options of the command that are not in the scenario, where they are not the usual."""
    limits = found.limits
    given = {
        "--method": limits.method,
        "--max-states": limits.max_states,
        "--tolerance": limits.tolerance,
    }
    return "".join(f" {option} {value}" for option, value in given.items() if value is not None)


def _fit(found: Assessment) -> str:
    return "" if found.rate_range is None else " --fit fit.json"


def _options(found: Assessment) -> str:
    until = "" if found.until is None else f" --until {found.until:g}"
    target = {} if found.shortest is None else found.shortest.target
    targets = "".join(f" --target {name}={cap!r}" for name, cap in target.items())
    without = " --no-changes" if found.sensitivity is None else ""
    return _limits(found) + until + targets + without


def _whole(value: float, name: str) -> Markup:
    return quantity(value, format_number(value, ".12g"), name)
