"""Robots of a warehouse that speak VDA 5050 to a broker. It shares no code with covey.

    python robots.py PORT CARRIERS PICKERS SEED

Carriers and pickers meet and pick, and both charge at docks (Gillespie's algorithm, by the wall's
clock). Every robot that changes says so, in a state message of its own, all repeat themselves now
and then, and standard output gets a line of CSV for every event: the time, and how many drive, pick, charge.
Garbage is said once in a while by something else on the same topics.
"""

import json
import random
import sys
import time
from datetime import UTC, datetime

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

RATES = {"meet": 2.0, "pick": 12.0, "low": 1.5, "full": 6.0}
DOCKS = 3


class Robot:
    def __init__(self, serial: str) -> None:
        self.serial, self.doing, self.header = serial, "drive", 0
        self.partner = self

    def message(self, when: float) -> dict[str, object]:
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


def main() -> None:
    port, carriers, pickers, seed = map(int, sys.argv[1:5])
    lots = random.Random(seed)
    client = mqtt.Client(CallbackAPIVersion.VERSION2)
    client.connect("127.0.0.1", port)
    client.loop_start()
    those = {
        "c": [Robot(f"c{i}") for i in range(carriers)],
        "p": [Robot(f"p{i}") for i in range(pickers)],
    }
    everybody = those["c"] + those["p"]

    def say(robot: Robot, when: float) -> None:
        topic = f"uagv/v2/acme/{robot.serial}/state"
        client.publish(topic, json.dumps(robot.message(when)), qos=1)

    def idle(kind: str) -> list[Robot]:
        return [r for r in those[kind] if r.doing == "drive"]

    now, spoken = time.time(), 0.0
    while True:
        charging = [r for r in everybody if r.doing == "charge"]
        picking = [r for r in those["c"] if r.doing == "pick"]
        free = DOCKS - len(charging)
        rates = [
            RATES["meet"] * len(idle("c")) * len(idle("p")), RATES["pick"] * len(picking),
            RATES["low"] * free * len(idle("c")), RATES["low"] * free * len(idle("p")) / 2,
            RATES["full"] * len(charging),
        ]  # fmt: skip
        now += lots.expovariate(sum(rates))
        while (left := now - time.time()) > 0:
            if time.time() - spoken > 1:
                spoken = time.time()
                for robot in everybody:
                    say(robot, spoken)
                client.publish("uagv/v2/acme/broken/state", "{this is no JSON", qos=1)
                if lots.random() < 0.1:
                    client.publish("uagv/v2/acme/c0/state", "{nor is this", qos=1)
            time.sleep(min(left, 0.05))
        (what,) = lots.choices(range(5), rates)
        if what == 0:
            changed = [lots.choice(idle("c")), lots.choice(idle("p"))]
            changed[0].partner = changed[1]
            doing = "pick"
        elif what == 1:
            one = lots.choice(picking)
            changed, doing = [one, one.partner], "drive"
        elif what == 4:
            changed, doing = [lots.choice(charging)], "drive"
        else:
            changed, doing = [lots.choice(idle("cp"[what - 2]))], "charge"
        for robot in changed:
            robot.doing = doing
            say(robot, now)
        counts = [sum(r.doing == d for r in everybody) for d in ("drive", "pick", "charge")]
        counts[1] //= 2
        print(now, *counts, sep=",", flush=True)


main()
