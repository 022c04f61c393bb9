"""Audits as JSON: of simulated teams, of logs, of feeds, and of a model by its residuals."""

from __future__ import annotations

import math
from typing import Any

from covey.privacy.inference.audit import Audit, AuditPair
from covey.report.json_keys.leakage import neighbour_keys
from covey.study.audit.feed_audit import FeedAudit
from covey.study.audit.log_audit import LogAudit
from covey.study.fit.residuals import Residuals


def audit_keys(found: Audit) -> dict[str, Any]:
    """Of simulated teams."""
    return {
        "lower": found.lower,
        "total_variation": found.total_variation,
        "guess": found.bayes_success,
        **_pair(found.worst),
        "pairs": [
            {"lower": p.lower, "total_variation": p.total_variation, **_pair(p)}
            for p in found.pairs
        ],
        "at": found.at,
        "steady": found.steady,
        "confidence": found.confidence,
        "samples": found.samples,
        "seed": found.seed,
    }


def _pair(pair: AuditPair) -> dict[str, Any]:
    team, other = pair.hits
    return {
        "neighbour": neighbour_keys(pair.neighbour),
        "event": pair.event,
        "speaks_for": pair.speaks_for,
        "hits": {"team": team, "neighbour": other},
        "apart": pair.apart,
    }


def log_audit_keys(found: LogAudit) -> dict[str, Any]:
    """Of two logs."""
    return {
        "lower": found.total_variation,
        "guess": found.bayes_success,
        "leakage": found.leakage,
        "confidence": found.confidence,
        "right": found.right,
        "tried": len(found.tried),
        "runs": list(found.runs),
        "classifier": found.classifier,
        "telling": [
            {"what": one.what, "means": list(one.means), "apart": one.apart}
            for one in found.telling
        ],
        "length": found.length,
        "every": found.every,
        "block": found.block,
        "seed": found.seed,
        "notes": list(found.notes),
    }


def feed_audit_keys(found: FeedAudit) -> dict[str, Any]:
    """Of a feed."""
    return {
        "rejected": found.rejected,
        "p_value": found.p_value,
        "level": found.level,
        "odd": [vars(one) for one in found.odd],
        "rows": found.rows,
        "samples": found.samples,
        "seed": found.seed,
        "notes": list(found.notes),
    }


def residual_keys(found: Residuals) -> dict[str, Any]:
    """Of a model."""

    def number(value: float) -> float | None:
        return None if math.isnan(value) else value

    return {
        "fits": found.fits,
        "level": found.level,
        "reactions": [
            {
                "reaction": one.reaction,
                "activity": one.activity or None,
                "events": one.events,
                "expected": one.expected,
                "spread": number(one.spread),
                "rate": number(one.rate),
                "drift": number(one.drift),
                "shape": number(one.shape),
                "says": list(one.says),
            }
            for one in found.of
        ],
        "runs": found.runs,
        "duration": found.duration,
        "notes": list(found.notes),
    }
