"""JSON as covey writes it: one line, infinite numbers as the text "inf"."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any


def json_text(answer: Mapping[str, Any]) -> str:
    """One JSON object."""
    return json.dumps(_finite(answer), ensure_ascii=False, allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value
