"""`covey completion`: verbs and options on the Tab key."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command(short_help="Complete verbs and options on the Tab key.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for a shell.

    \b
    bash:  covey completion bash > ~/.covey-completion, and source it in ~/.bashrc
    zsh:   covey completion zsh > ~/.covey-completion, and source it in ~/.zshrc
    fish:  covey completion fish > ~/.config/fish/completions/covey.fish
    """
    root = click.get_current_context().find_root().command
    maker = get_completion_class(shell)
    assert maker is not None
    click.echo(maker(root, {}, "covey", "_COVEY_COMPLETE").source())
