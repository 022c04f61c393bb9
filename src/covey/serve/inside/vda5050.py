"""Messages of robots over MQTT, as VDA 5050 has them: topics by pattern, QoS 1.

A session is not kept by the broker while covey is away: what a broker drops of its queue it does
not say, and an event that was never told is the one thing that a stand-in must not miss. So after
every connection, and wherever messages come faster than they can be read, nothing is known of
anybody until they are heard of again, which VDA 5050 promises within 30 seconds.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

import aiomqtt

from covey.serve.broker import Broker, pauses
from covey.serve.inside.counters import NEW_CONNECTION
from covey.serve.inside.heard import RefusedError
from covey.serve.inside.hearing import Hearing
from covey.serve.inside.lines import json_object

_LONGEST = 1_000_000  # bytes of a message
_WAITING = 20_000  # messages that were received and not read yet


async def hear_broker(
    broker: Broker,
    hearing: Hearing,
    say: Callable[[str], None],
) -> None:
    """Hears a broker for ever.

    Args:
        broker: Which, and the patterns of topics.
        hearing: Hears each message, and where some may have been missed.
        say: Called when the broker is there and when it is not.
    """
    connected = hearing.counters.connected.labels(broker.shown)
    connected.set(0)

    missed = False

    class Waiting(asyncio.Queue[aiomqtt.Message]):
        def put_nowait(self, item: aiomqtt.Message) -> None:
            nonlocal missed
            missed = missed or self.full()
            if not self.full():
                super().put_nowait(item)

    options = broker.options() | {"queue_type": Waiting, "max_queued_incoming_messages": _WAITING}
    tries, said = pauses(), False
    while True:
        try:
            async with aiomqtt.Client(**options) as client:
                for topic in broker.topics:
                    await client.subscribe(topic, qos=1)
                hearing.gap(NEW_CONNECTION)
                connected.set(1)
                say(f"hears {broker.shown}")
                tries, said = pauses(), False
                async for message in client.messages:
                    _read(message, hearing)
                    if missed:
                        missed = False
                        hearing.refuse("messages came faster than they can be read")
        except aiomqtt.MqttError as error:
            connected.set(0)
            if not said:
                say(f"{broker.shown} is away ({_reason(error)}); trying again and again")
            said = True
        await asyncio.sleep(next(tries) * (0.5 + random.random()))


def _read(message: aiomqtt.Message, hearing: Hearing) -> None:
    payload, robot = message.payload, _robot(str(message.topic))
    try:
        if not isinstance(payload, bytes | bytearray) or len(payload) > _LONGEST:
            raise RefusedError("a message that is too long")
        found = json_object(bytes(payload))
    except RefusedError as error:
        hearing.counters.messages.labels("mqtt").inc()
        hearing.refuse(error.reason, robot)
        return
    hearing.take("mqtt", found, robot)


def _robot(topic: str) -> str:
    """Whose topic it is: interface/version/manufacturer/serial number/state."""
    levels = topic.split("/")
    return "/".join(levels[-3:-1]) if len(levels) > 3 else ""


def _reason(error: aiomqtt.MqttError) -> str:
    """What is wrong with a connection, without what was sent over it."""
    return str(error).splitlines()[0][:120] if str(error) else "no reason is given"
