"""What the page may ask, one kind of question in each file: from a scenario's text to its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from covey.app.answers.answer import answer, check
from covey.app.answers.asked import Asked, Kept
from covey.app.answers.cure import design, protect, publish
from covey.app.answers.downloads import csv, report
from covey.app.answers.helps import helps
from covey.app.answers.network import network
from covey.app.answers.over_time import glances, time

__all__ = ["QUESTIONS", "Asked", "Kept"]

QUESTIONS: dict[str, Callable[[Asked], Iterator[tuple[str, Any]]]] = {
    "answer": answer,
    "check": check,
    "network": network,
    "time": time,
    "glances": glances,
    "helps": helps,
    "protect": protect,
    "publish": publish,
    "design": design,
    "report": report,
    "csv": csv,
}
