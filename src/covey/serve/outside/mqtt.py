"""What is published, on a topic of a broker: retained, so that newcomers have it at once."""

from __future__ import annotations

import asyncio
import random
import sys

import aiomqtt

from covey.serve.broker import Broker, pauses
from covey.serve.outside.board import Board


async def publish_to(broker: Broker, board: Board) -> None:
    """Publishes for ever; while the broker is away, only the last value is kept for it.

    Args:
        broker: Which, and the topic.
        board: What is published.
    """
    (topic,) = broker.topics
    options, tries, said = broker.options(), pauses(), False
    while True:
        try:
            async with aiomqtt.Client(**options) as client:
                tries, said = pauses(), False
                while True:
                    coming = board.next
                    if board.last is not None:
                        await client.publish(topic, board.last.line, qos=1, retain=True)
                    await coming.wait()
        except aiomqtt.MqttError:
            if not said:
                print(f"covey: cannot publish to {broker.shown}; trying again", file=sys.stderr)
            said = True
        await asyncio.sleep(next(tries) * (0.5 + random.random()))
