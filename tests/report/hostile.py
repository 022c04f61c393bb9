"""A report in which every text that a user gives tries to be markup, a template or a script."""

from __future__ import annotations

import copy
from dataclasses import fields, is_dataclass, replace
from typing import Any

import covey
from covey.study.assessment import Assessment

EVIL = (
    """<script>document.title = "owned"</script><img src=x onerror="document.title='owned'">&amp;"""
    """'" onfocus="document.title='owned'" {{ 7 * 7 }} {% raise %} {# gone #} ${document.title}"""
    """</script></style></title></svg>--><img src=x onerror="document.title='owned'">\u2028--!>]]>"""
)


def hostile_scenario() -> covey.Scenario:
    """Titles and sums may be named anything; types may not, so that they are `Zed` and `B`."""
    return covey.Scenario(
        covey.Network("{Zed} + {R} <-> {Zed,R} @ 3, 1\n{B} + {R} <-> {B,R} @ 1, 1"),
        covey.Team({"Zed": 2, "B": 1}, resources={"R": 2}),
        covey.Query({"<i>free</i>": "{Zed} + {B}", EVIL: "{Zed,R} + {B,R}"}),
        title=EVIL,
    )


def hostile_assessment() -> Assessment:
    """As if there were a type of that name too, and every reason said it."""
    found = covey.assess(hostile_scenario(), workers=1)
    return replace(
        found,
        leakage=renamed(found.leakage),
        trace=renamed(found.trace),
        sensitivity=renamed(found.sensitivity),
        distributions=replace(
            found.distributions, neighbours=renamed(found.distributions.neighbours)
        ),
    )


def renamed(value: Any) -> Any:
    """The same with the name of the type changed in every text."""
    if isinstance(value, str):
        return value.replace("Zed", EVIL)
    if isinstance(value, dict):
        return {renamed(key): renamed(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(renamed, value))
    if is_dataclass(value) and not isinstance(value, covey.Scenario):
        made = copy.copy(value)
        for field in fields(value):
            object.__setattr__(made, field.name, renamed(getattr(value, field.name)))
        return made
    return value
