"""Scenario files of fleets: a depot of three models, 180 robots or 1,000, and changes of it.

As it is the depot is complex-balanced. With its limit of docks as a rate law it is reversible
within a capacity; with robots that break down and wait for a mechanic it has no closed form. A
depot of ten models has 40 rates.
"""

from __future__ import annotations

from collections.abc import Mapping

_CHARGE = "charge_$i: {$i} + {dock} <-> charge{$i,dock} @ $i_low, $i_full for i in types"
_LIMITED = (
    "charge_$i: {$i} <-> charge{$i} @ [%d * $i_low * {$i} * (charge{runner} + charge{lifter} + "
    "charge{tug} < %d)], $i_full for i in types"
)
_BROKEN = """break_$i: {$i} -> down{$i} @ 0.001 for i in types
called_$i: down{$i} + {mechanic} -> mend{$i,mechanic} @ 1 for i in types
mended_$i: mend{$i,mechanic} -> {$i} + {mechanic} @ 0.05 for i in types
"""
_FILE = """
title = "Depot 7: three models, docks, pickers"
[types]
runner = {runner}
lifter = {lifter}
tug = {tug}
[resources]
{resources}
[rates]  # per minute
runner_meet = 0.004
lifter_meet = 0.002
tug_meet = 0.001
runner_pick = 0.5
lifter_pick = 0.25
tug_pick = 0.125
runner_low = 0.0004
lifter_low = 0.0006
tug_low = 0.0008
runner_full = 0.033
lifter_full = 0.022
tug_full = 0.0167
[network]
reactions = \"\"\"
pick_$i: {{$i}} + {{human}} <-> pick{{$i,human}} @ $i_meet, $i_pick for i in types
{reactions}
\"\"\"
[observe]
driving = "{{$i}} for i in types"
picking = "pick{{$i,human}} for i in types"
charging = "{charging} for i in types"
[performance]
throughput = "rate(pick_runner') + rate(pick_lifter') + rate(pick_tug')"
[release]
every = 1
until = 1440
"""
SMALL = {"runner": 90, "lifter": 60, "tug": 30, "dock": 24, "human": 20, "mechanic": 3}
LARGE = {"runner": 500, "lifter": 330, "tug": 170, "dock": 130, "human": 110, "mechanic": 17}


def balanced(counts: Mapping[str, int]) -> str:
    """The depot as it is: docks are a resource."""
    return _file(counts, ("dock", "human"), _CHARGE, "charge{$i,dock}")


def limited(counts: Mapping[str, int]) -> str:
    """As many charge as there are docks: a limit, written as a rate law."""
    law = _LIMITED % (counts["dock"], counts["dock"])
    return _file(counts, ("human",), law, "charge{$i}")


def breaking(counts: Mapping[str, int]) -> str:
    """Robots break down, and wait for one of a few mechanics."""
    return _file(counts, ("dock", "human", "mechanic"), _BROKEN + _CHARGE, "charge{$i,dock}")


def models(many: int = 10, each: int = 18) -> str:
    """So many models, four rates for each."""
    names = [f"m{i + 1}" for i in range(many)]
    rates = [
        f"{name}_meet = {0.004 * (1 - 0.07 * i):.6f}\n{name}_pick = {0.5 * (1 - 0.07 * i):.6f}\n"
        f"{name}_low = {0.0004 * (1 + 0.1 * i):.6f}\n{name}_full = {0.033 * (1 - 0.07 * i):.6f}"
        for i, name in enumerate(names)
    ]
    head, _, rest = balanced(SMALL).partition("[types]")
    _, _, tail = rest.partition("[network]")
    counts = "\n".join(f"{name} = {each}" for name in names)
    told = f"{head}[types]\n{counts}\n[resources]\ndock = 24\nhuman = 20\n[rates]\n"
    tail = tail.replace(
        "rate(pick_runner') + rate(pick_lifter') + rate(pick_tug')", "rate(pick_*')"
    )
    return told + "\n".join(rates) + "\n[network]" + tail


def _file(
    counts: Mapping[str, int], resources: tuple[str, ...], reactions: str, charging: str
) -> str:
    there = "\n".join(f"{name} = {counts[name]}" for name in resources)
    types = {name: counts[name] for name in ("runner", "lifter", "tug")}
    return _FILE.format(**types, resources=there, reactions=reactions, charging=charging)
