"""A real MQTT broker: Debian's mosquitto."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serve.mosquitto import Mosquitto, require_programs


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    require_programs("mosquitto")
    with Mosquitto(tmp_path) as running:
        yield running
