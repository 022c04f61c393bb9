"""A depot of carriers, pickers and forklifts that charge at docks: a fleet with a closed form."""

from __future__ import annotations

from covey import Network, Query, Scenario, Team

REACTIONS = """
meet_picker = 0.02
meet_forklift = 0.03
picked = 1
lifted = 1
plug_carrier = 0.05
plug_picker = 0.04
plug_forklift = 0.06
full = 0.5
pick: {carrier} + {picker} <-> pick{carrier,picker} @ meet_picker, picked
lift: {carrier} + {forklift} <-> lift{carrier,forklift} @ meet_forklift, lifted
plug_1: {carrier} + {dock} <-> charge{carrier,dock} @ plug_carrier, full
plug_2: {picker} + {dock} <-> charge{dock,picker} @ plug_picker, full
plug_3: {forklift} + {dock} <-> charge{dock,forklift} @ plug_forklift, full
"""


def depot(times: int = 1) -> Scenario:
    """60 carriers, 40 pickers and 20 forklifts, who charge at 15 docks; or so many times that."""
    return Scenario(
        Network(REACTIONS),
        Team(
            {"carrier": 60 * times, "picker": 40 * times, "forklift": 20 * times},
            {"dock": 15 * times},
        ),
        Query(
            driving="{carrier} + {picker} + {forklift}",
            working="pick{carrier,picker} + lift{carrier,forklift}",
            charging="charge{carrier,dock} + charge{dock,picker} + charge{dock,forklift}",
        ),
        performance={"tasks": "rate(pick') + rate(lift')", "charged": "rate(plug_*')"},
    )


def hall() -> Scenario:
    """90 runners, 60 lifters, 30 tugs, 20 people, 24 docks; runners at work are counted apart.

    5,775 outcomes are possible.
    """
    rates = (("runner", 0.004, 0.5, 0.0004, 0.033), ("lifter", 0.002, 0.25, 0.0006, 0.022),
             ("tug", 0.001, 0.125, 0.0008, 0.0167))  # fmt: skip
    lines = [
        f"{{{name}}} + {{human}} <-> pick{{{name},human}} @ {meet}, {pick}\n"
        f"{{{name}}} + {{dock}} <-> charge{{{name},dock}} @ {low}, {full}"
        for name, meet, pick, low, full in rates
    ]
    return Scenario(
        Network("\n".join(lines)),
        Team({"runner": 90, "lifter": 60, "tug": 30}, {"dock": 24, "human": 20}),
        Query(
            driving="{runner} + {lifter} + {tug}",
            running="pick{runner,human}",
            hauling="pick{lifter,human} + pick{tug,human}",
            charging="charge{runner,dock} + charge{lifter,dock} + charge{tug,dock}",
        ),
    )
