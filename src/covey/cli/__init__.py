"""The command line: one verb, one file. A verb reads arguments, asks the library, prints.

Here is only the way in. It imports nothing before it can answer for it: whoever presses Ctrl-C
while Python is still loading gets the same quiet end as later.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress


def main() -> None:
    """Runs the command line; exits with 0 answered, 2 wrong input, 3 too large, 130 interrupted.

    And with 143 where it was told to end (SIGTERM).
    """
    try:
        from covey.cli.run import run

        code = run()
    except KeyboardInterrupt as end:
        told = type(end) is not KeyboardInterrupt
        code = _said("terminated", 143) if told else _said("interrupted", 130)
    except MemoryError:  # not even enough to load covey
        code = _said("memory ran out: close other programs, or allow this one more", 3)
    if code:
        sys.exit(code)


def _said(message: str, code: int) -> int:
    with suppress(OSError):  # where nobody can read it, the exit code still says it
        os.write(2, f"covey: {message}\n".encode())
    return code
