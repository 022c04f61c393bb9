"""What single changes do, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from covey.study.sensitivity.sensitivity import Sensitivity


def sensitivity_keys(found: Sensitivity) -> dict[str, Any]:
    """What is given away as it is, and after every change."""
    return {
        "leakage": found.before.leakage,
        "lower": found.before.interval[0],
        "upper": found.before.interval[1],
        "total_variation": found.before.total_variation,
        "measures": dict(found.before.measures),
        "best": [effect.row() for effect in found.best()],
        "changes": [effect.row() for effect in found.effects],
        "slopes": [sensitivity.row() for sensitivity in found.sensitivities],
    }
