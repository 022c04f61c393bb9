"""Fleets that are not complex-balanced: many more states than can be listed, and no closed form."""

from __future__ import annotations

from collections.abc import Mapping

from covey.model.io.scenario_file import loads
from covey.model.scenario import Scenario

_FOUR = """
title = "Four types that work in slots and come back"
[types]
a = 60
b = 48
c = 36
d = 36
[resources]
slot = 24
[network]
reactions = \"\"\"
{a} + {slot} -> work{a,slot} @ 0.004
{b} + {slot} -> work{b,slot} @ 0.003
{c} + {slot} -> work{c,slot} @ 0.002
{d} + {slot} -> work{d,slot} @ 0.001
work{$i,slot} -> back{$i} + {slot} @ 0.25 for i in types
back{$i} -> {$i} @ 0.2 for i in types
\"\"\"
[observe]
idle = "{$i} for i in types"
working = "work{$i,slot} for i in types"
"""

_BROKEN = """
title = "A depot whose robots break down"
[types]
runner = 90
lifter = 60
tug = 30
[resources]
dock = 130
human = 110
mechanic = 3
[network]
reactions = \"\"\"
{$i} + {human} <-> pick{$i,human} @ 0.002, 0.25 for i in types
{$i} + {dock} <-> charge{$i,dock} @ 0.0006, 0.022 for i in types
{$i} -> down{$i} @ 0.001 for i in types
down{$i} + {mechanic} -> {$i} + {mechanic} @ 0.05 for i in types
\"\"\"
[observe]
broken = "down{$i} for i in types"
driving = "{$i} for i in types"
picking = "pick{$i,human} for i in types"
charging = "charge{$i,dock} for i in types"
"""


def four_types() -> Scenario:
    """180 robots of four types, which share 24 slots."""
    return loads(_FOUR)


def broken_fleet(changes: Mapping[str, object]) -> Scenario:
    """Three types, docks and humans; three mechanics mend whoever breaks down."""
    return loads(_BROKEN).with_(dict(changes))
