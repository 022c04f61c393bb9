"""Feeds of a few lines, as their formats have them, and scenarios that read them."""

from __future__ import annotations

import json

BIKES = """
[types]
ebike = 5
bike = 8
[rates]
take_e = 0.8
bring_e = 0.4
take_b = 0.3
bring_b = 0.6
[network]
reactions = '''
{ebike} <-> away{ebike} @ take_e, bring_e
{bike} <-> away{bike} @ take_b, bring_b
'''
[observe]
parked = "{ebike} + {bike}"
[log]
types = { ebike = ["2"], bike = ["1", "classic*"] }
stations = ["A", "B"]
"""

ROBOTS = """
[types]
carrier = 2
picker = 1
[rates]
go_c = 0.5
come_c = 0.5
go_p = 0.3
come_p = 0.6
[network]
reactions = '''
{carrier} <-> away{carrier} @ go_c, come_c
{picker} <-> away{picker} @ go_p, come_p
'''
[observe]
here = "{carrier} + {picker}"
[log]
types = { carrier = ["c*", "m/c*"], picker = ["p*", "m/p*"] }
states = { idle = "" }
driving = "away"
idle = ""
"""

SBML = """
[network]
sbml = "shared.xml"
[types]
A = 2
B = 1
[resources]
R = 2
[observe]
free = "{A} + {B}"
"""

MORE = """
[performance]
busy = "mean(busy)"
[[adversary.probe]]
set = { "resources.R" = -1 }
looks = [1, 5]
"""


def gbfs() -> str:
    """Four snapshots, one a line."""
    lines = []
    for minute in range(4):
        kinds = [
            {"vehicle_type_id": "2", "count": 2 - minute % 2},
            {"vehicle_type_id": "1", "count": 4},
        ]
        station = {
            "station_id": "A", "num_bikes_available": 6 - minute % 2, "vehicle_types_available": kinds,
            "num_docks_available": 10, "is_installed": True, "is_renting": True, "is_returning": True,
            "last_reported": 1_779_084_000 + 60 * minute,
        }  # fmt: skip
        data = {"stations": [station, station | {"station_id": "B"}]}
        lines.append(
            {"last_updated": 1_779_084_000 + 60 * minute, "ttl": 60, "version": "2.3", "data": data}
        )
    return "\n".join(map(json.dumps, lines)) + "\n"


def vda5050() -> str:
    """Twelve messages of three robots."""
    lines = []
    for number in range(12):
        lines.append({
            "headerId": number, "timestamp": f"2026-05-18T06:{number:02}:00.00Z", "version": "2.0.0",
            "manufacturer": "m", "serialNumber": ("c1", "c2", "p1")[number % 3], "orderId": "o",
            "driving": number % 2 == 0, "batteryState": {"charging": False, "batteryCharge": 80.0},
            "operatingMode": "AUTOMATIC", "nodeStates": [], "edgeStates": [], "actionStates": [],
            "errors": [], "safetyState": {"eStop": "NONE", "fieldViolation": False},
        })  # fmt: skip
    return "\n".join(map(json.dumps, lines)) + "\n"


def robot_rows() -> str:
    """Changes of three robots."""
    rows = [f"{t},{('c1', 'c2', 'p1')[t % 3]},{('away', 'idle')[t // 3 % 2]}" for t in range(12)]
    return "time,robot,state\n0,c1,idle\n0,c2,idle\n0,p1,idle\n" + "\n".join(rows) + "\n"
