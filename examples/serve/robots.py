"""Robots of a warehouse that speak VDA 5050 to an MQTT broker. It shares no code with covey.

    python robots.py --port 1883 --speed 60

Carriers and pickers meet and pick, and both charge at docks, at the rates of warehouse.toml
(Gillespie's algorithm, by the wall's clock, so many times as fast). Every robot that changes says
so in a state message of its own, and all repeat themselves once a second. Standard output gets a
line of CSV for every event: the time, and how many drive, pick and charge. `--garbage` has
something else say garbage on the same topics.
"""

import argparse
import json
import random
import time
from datetime import UTC, datetime

import paho.mqtt.client as mqtt  # aiomqtt brings it
from paho.mqtt.enums import CallbackAPIVersion

# per minute
RATES = {"meet": 0.20, "pick": 0.50}
LOW, FULL = {"c": 0.05, "p": 0.03}, {"c": 0.10, "p": 0.08}


class Robot:
    """One robot: what it does, and what it says of itself."""

    def __init__(self, kind: str, number: int) -> None:
        self.kind, self.serial = kind, f"{kind}{number}"
        self.doing, self.header, self.partner = "drive", 0, self

    def message(self, when: float) -> dict[str, object]:
        """A state message, version 2.1."""
        self.header += 1
        picks = self.doing == "pick"
        return {
            "headerId": self.header,
            "timestamp": datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            "version": "2.1.0", "manufacturer": "acme", "serialNumber": self.serial,
            "orderId": "o1" if picks else "", "orderUpdateId": 0, "lastNodeId": "",
            "lastNodeSequenceId": 0, "nodeStates": [{"nodeId": "n"}] if picks else [],
            "edgeStates": [], "actionStates": [], "driving": self.doing == "drive",
            "operatingMode": "AUTOMATIC", "errors": [],
            "batteryState": {"batteryCharge": 80, "charging": self.doing == "charge"},
            "safetyState": {"eStop": "NONE", "fieldViolation": False},
        }  # fmt: skip


class Warehouse:
    """All robots, and what happens next."""

    def __init__(self, carriers: int, pickers: int, docks: int, seed: int | None) -> None:
        self.robots = [Robot("c", i) for i in range(carriers)]
        self.robots += [Robot("p", i) for i in range(pickers)]
        self.docks, self.lots = docks, random.Random(seed)

    def those(self, doing: str, kind: str) -> list[Robot]:
        """Who of a kind does something."""
        return [r for r in self.robots if r.doing == doing and r.kind == kind]

    def next(self) -> tuple[float, list[Robot], str]:
        """After how many minutes, who, and what they do from then on."""
        free = self.docks - sum(r.doing == "charge" for r in self.robots)
        idle = {kind: self.those("drive", kind) for kind in "cp"}
        charging = {kind: self.those("charge", kind) for kind in "cp"}
        picking = self.those("pick", "c")
        could = [("meet", RATES["meet"] * len(idle["c"]) * len(idle["p"]))]
        could += [("pick", RATES["pick"] * len(picking))]
        could += [(f"low {k}", LOW[k] * free * len(idle[k])) for k in "cp"]
        could += [(f"full {k}", FULL[k] * len(charging[k])) for k in "cp"]
        rates = [rate for _, rate in could]
        wait = self.lots.expovariate(sum(rates))
        ((what, _),) = self.lots.choices(could, rates)
        if what == "meet":
            carrier, picker = (self.lots.choice(idle[kind]) for kind in "cp")
            carrier.partner = picker
            return wait, [carrier, picker], "pick"
        if what == "pick":
            carrier = self.lots.choice(picking)
            return wait, [carrier, carrier.partner], "drive"
        kind = what[-1]
        if what.startswith("low"):
            return wait, [self.lots.choice(idle[kind])], "charge"
        return wait, [self.lots.choice(charging[kind])], "drive"

    def counts(self) -> list[int]:
        """How many drive, pick (in pairs) and charge."""
        doing = ("drive", "pick", "charge")
        found = [sum(r.doing == one for r in self.robots) for one in doing]
        return [found[0], found[1] // 2, found[2]]


def main() -> None:
    """Runs until it is ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("port", 1883), ("carriers", 6), ("pickers", 4), ("docks", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--speed", type=float, default=60.0)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--garbage", action="store_true")
    asked = parser.parse_args()
    warehouse = Warehouse(asked.carriers, asked.pickers, asked.docks, asked.seed)
    client = mqtt.Client(CallbackAPIVersion.VERSION2)
    client.connect("127.0.0.1", asked.port)
    client.loop_start()

    def say(robot: Robot, when: float) -> None:
        topic = f"uagv/v2/acme/{robot.serial}/state"
        client.publish(topic, json.dumps(robot.message(when)), qos=1)

    now, spoken = time.time(), 0.0
    while True:
        wait, changed, doing = warehouse.next()
        now += wait * 60 / asked.speed
        while (left := now - time.time()) > 0:
            if time.time() - spoken > 1:
                spoken = time.time()
                for robot in warehouse.robots:
                    say(robot, spoken)
                if asked.garbage:
                    client.publish("uagv/v2/acme/broken/state", "{this is no JSON", qos=1)
                    if warehouse.lots.random() < 0.1:
                        client.publish("uagv/v2/acme/c0/state", "{nor is this", qos=1)
            time.sleep(min(left, 0.05))
        for robot in changed:
            robot.doing = doing
            say(robot, now)
        print(now, *warehouse.counts(), sep=",", flush=True)


main()
