"""Runs the command that was typed: whatever happens becomes a sentence and an exit code."""

from __future__ import annotations

import errno
import signal
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TextIO

import click

from covey.cli.command import ReaderGoneError, covey
from covey.cli.streams import drop, mend_streams, tell
from covey.errors import CoveyError

_NO_VERB = getattr(click.exceptions, "NoArgsIsHelpError", ())  # its message is the guide
_MEMORY = (
    "memory ran out. Take a smaller team, allow fewer states (--max-states) or fewer --workers, or "
    "close other programs"
)
# What the system's loader and threads say where an address space is full.
_NO_MEMORY = ("failed to map segment", "cannot allocate memory", "can't start new thread")


def run() -> int:
    """The exit code; all that is to be said has been said."""
    mend_streams()
    warnings.showwarning = _show_warning
    try:
        with _terminated_as_interrupted():
            covey(standalone_mode=False, prog_name="covey")
            sys.stdout.flush()
    except ReaderGoneError:
        drop(sys.stdout)
    except Exception as error:
        return _explain(error)
    return 0


class TerminatedError(KeyboardInterrupt):
    """SIGTERM: what is to be tidied up is tidied up on the way, as at Ctrl-C."""


@contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """Has SIGTERM end the command as Ctrl-C does, where nobody has asked for something else."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TerminatedError

    try:
        default = signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
        if default:
            signal.signal(signal.SIGTERM, stop)
    except ValueError:  # only the main thread hears signals
        default = False
    try:
        yield
    finally:
        if default:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _explain(error: Exception) -> int:
    """Says what went wrong, and gives its exit code."""
    if (stopped := _interrupt_behind(error)) or isinstance(error, click.Abort):
        raise stopped or KeyboardInterrupt
    if isinstance(error, MemoryError) or _lacks_memory(error):
        _flush()
        return _stop(_MEMORY, 3)
    if isinstance(error, OSError):
        return _refused(error)
    _flush()
    if isinstance(error, click.ClickException):
        return _wrong_usage(error)
    if isinstance(error, CoveyError):
        return _stop(str(error), error.exit_code)
    if isinstance(error, RecursionError):
        return _stop("the input is nested too deeply to be followed: write it flatter", 2)
    tell(traceback.format_exc(), lines=True)
    return _stop("this is a bug of covey's: please report it, with the lines above", 1)


def _interrupt_behind(error: BaseException | None) -> KeyboardInterrupt | None:
    """The interrupt that an error comes from: compiled code makes others of it on the way."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error


def _lacks_memory(error: BaseException | None) -> bool:
    """Whether what failed, or what made it fail, says that the system gives no more."""
    while isinstance(error, OSError | ImportError | RuntimeError):
        if any(words in str(error).lower() for words in _NO_MEMORY):
            return True
        error = error.__cause__ or error.__context__
    return False


def _wrong_usage(error: click.ClickException) -> int:
    """As click says it, but an argument that is quoted in it is only shown."""
    context: click.Context | None = getattr(error, "ctx", None)
    if isinstance(error, _NO_VERB):
        tell(error.format_message(), lines=True)
        return 2
    if context is not None:
        tell(f"{context.get_usage()}\nTry '{context.command_path} --help' for help.\n", lines=True)
    tell(f"Error: {error.format_message()}")
    return error.exit_code


def _refused(error: OSError) -> int:
    """The system does not take the answer, or does not give what is needed for one."""
    drop(sys.stdout)
    if isinstance(error, BrokenPipeError):
        return 0  # at the last flush: the reader (head, less) has seen enough
    if error.filename is not None:
        return _stop(f"{error.filename}: {error.strerror}", 2)
    reason = "standard output is closed" if error.errno == errno.EBADF else error.strerror
    return _stop(f"the answer cannot be written: {reason or error}", 2)


def _flush() -> None:
    """What was printed before comes first; Python would complain at exit if it could not."""
    try:
        sys.stdout.flush()
    except OSError:
        drop(sys.stdout)


def _stop(message: str, code: int) -> int:
    tell(f"covey: {message}")
    return code


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    tell(f"covey: warning: {message}")
