"""`covey serve`: a live protected feed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from covey.cli.streams import say, tell
from covey.errors import InputError
from covey.files.atomic_file import write_new
from covey.serve.settings import Settings
from covey.serve.settings_file import commented, read_settings


def _options(verb: Callable[..., None]) -> Callable[..., None]:
    """An option for every setting but the mechanism, which is an argument."""
    for one in reversed(fields(Settings)):
        if one.name == "mechanism":
            continue
        text, kind = one.metadata["text"], one.metadata["kind"]
        more: dict[str, Any] = {"type": kind, "metavar": one.metadata["metavar"]}
        if kind is bool:
            more = {"is_flag": True}
        elif one.default_factory is tuple:
            more["multiple"] = True
        option = click.option(
            "--" + one.name.replace("_", "-"), one.name, default=None,
            help=f"{text[0].upper()}{text[1:]}.", **more,
        )  # fmt: skip
        verb = option(verb)
    return verb


@click.command(short_help="A live feed: hear the fleet, publish what may be known.")
@click.argument("file", type=click.Path(), default="")
@click.option("--init", is_flag=True, help="Write a file of all settings, FILE or serve.toml.")
@_options
@click.option("--quiet", "-q", is_flag=True, help="Say nothing but what is refused.")
def serve(file: str, init: bool, quiet: bool, **given: Any) -> None:
    """Hear what the fleet does, and publish what may be known of it, live and all day.

    FILE is a mechanism of `covey protect`, a stand-in or a table for a stream, or a file of
    settings that --init writes; options override it. It hears VDA 5050 messages of an MQTT broker,
    HTTP POST (/events, /states) and lines of standard input, or replays a log. It publishes over
    HTTP (/now, /stream, /history, /station_status.json, /metrics, /healthz, and / for people) and
    on an MQTT topic, on a clock of its own: what appears when does not depend on the team.

    What was spent and published is kept in a file (--state), written before anything is published:
    a restart goes on from there. Nothing of the real team is in any answer or log.

    \b
        covey serve stand-in.json --scenario fleet.toml --every 1 \\
            --mqtt mqtt://localhost/uagv/v2/+/+/state
        covey serve --init; covey serve serve.toml
        covey serve stand-in.json --every 1 --replay log.jsonl --speed 60
    """
    if init:
        _init(file or "serve.toml")
        return
    try:
        from covey.serve.running import serve as run
    except ImportError:
        raise InputError(
            "a live feed needs starlette, uvicorn, aiomqtt and prometheus-client: pip install "
            '"covey[serve]"'
        ) from None

    said = {k: v for k, v in given.items() if v is not None and v is not False and v != ()}
    settings = read_settings(file, said)
    run(settings, (lambda _: None) if quiet else (lambda text: tell(f"covey: {text}")))


def _init(file: str) -> None:
    path = Path(file)
    write_new(path, commented())
    say(f"written: {path}. Next: edit it, then covey serve {path}")
