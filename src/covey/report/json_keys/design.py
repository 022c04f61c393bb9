"""A design, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from covey.remedy.design.design import Design


def design_keys(found: Design) -> dict[str, Any]:
    """The settings found, and what is achieved and given away before and after."""
    return {
        "minimise": found.minimise,
        "before": found.before.measures,
        "after": found.after.measures,
        "values": dict(found.values),
        **({"published": dict(found.published)} if found.published else {}),
        "why_no_stream": found.why_no_stream or None,
        "evaluations": found.evaluations,
        "starts": found.starts,
        "tried": found.tried,
        "choices": found.choices,
        "met": found.met,
        "front": [{"values": dict(p.settings), **p.measures} for p in found.front],
    }
