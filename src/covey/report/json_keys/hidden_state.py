"""What is believed of the state, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from covey.privacy.inference.hidden_state import HiddenState


def state_keys(found: HiddenState) -> dict[str, Any]:
    """Where robots are, and how many there are of each species."""
    return {
        "places": found.places,
        "places_before": found.places_before,
        "counts": {
            name: {str(n): chance for n, chance in chances.items()}
            for name, chances in found.counts.items()
        },
        "observed": dict(found.observed),
        "possible": found.possible,
        "error": found.error,
    }
