"""`covey app`: the same questions in a browser."""

from __future__ import annotations

import click

from covey.cli.streams import say
from covey.errors import InputError


@click.command(short_help="In a browser: move a slider, see what it gives away.")
@click.argument("file", type=click.Path(), default="")
@click.option("--port", type=int, metavar="P", help="Where to listen on this machine.")
@click.option("--no-open", is_flag=True, help="Only print the address; do not open a browser.")
def app(file: str, port: int | None, no_open: bool) -> None:
    """Open a scenario in the browser: sliders, pictures, what helps, and what to publish instead.

    It runs on this machine alone, needs no network, and answers only whoever opens the address
    that it prints. Nothing is written but FILE, when it is saved. Without FILE it starts from an
    example. Ctrl-C ends it.

    \b
        covey app
        covey app fleet.toml
    """
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise InputError('the app needs starlette and uvicorn: pip install "covey[app]"') from None
    from covey.app.examples import first_example
    from covey.app.opened import opened
    from covey.app.running import serve

    found = opened(file, first_example())

    def tell(address: str) -> None:
        say(f"covey is at {address}\n\nCtrl-C ends it.", lines=True)

    serve(found, port, tell, browse=not no_open)
