"""A real MQTT broker: Debian's mosquitto.

Where there is none the tests are skipped, and say so; with $COVEY_REQUIRE_MOSQUITTO set, as .ci/run
does, they fail.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serve.mosquitto import Mosquitto, find_mosquitto


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    if find_mosquitto() is None:
        message = "no mosquitto is installed: apt-get install mosquitto"
        if os.environ.get("COVEY_REQUIRE_MOSQUITTO"):
            pytest.fail(message)
        pytest.skip(message)
    with Mosquitto(tmp_path) as running:
        yield running
