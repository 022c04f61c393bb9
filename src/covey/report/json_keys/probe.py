"""What probing gives away, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from covey.report.json_keys.leakage import worst_keys

if TYPE_CHECKING:
    from covey.privacy.snapshot.leakage import Leakage
    from covey.privacy.stream.probing import Probed, Probing


def probe_keys(found: Probing) -> dict[str, Any]:
    """Every probe, and which is the best."""
    return {
        "best": found.of.index(found.best),
        "probes": [_keys(one) for one in found.of],
    }


def _keys(one: Probed) -> dict[str, Any]:
    return {
        "name": str(one.probe),
        "at": one.at,
        "looks": list(one.probe.looks),
        **_figures(one.leakage),
        "watching": _figures(one.watching),
    }


def _figures(leak: Leakage) -> dict[str, Any]:
    profile = leak.profile
    return {
        "leakage": leak.value,
        "lower": leak.interval[0],
        "upper": leak.interval[1],
        **worst_keys(leak.worst, leak.relation),
        "total_variation": profile.total_variation,
        "guess": profile.bayes_success,
        "told_best": str(profile.worst.neighbour),
        "states": leak.states,
    }
