"""`make audit`: pip-audit on what is installed; said where the list of weaknesses cannot be reached.

The exit code is 0 where nothing is known against it, 1 where something is, 3 where nobody could be
asked: an audit that did not happen is no good news.
"""

from __future__ import annotations

import subprocess
import sys

_OFFLINE = (
    "ConnectionError",
    "Max retries",
    "ServiceError",
    "Name or service",
    "resolve",
    "403",
    "404",
)


def main() -> int:
    """Asks, and says in a line how it went."""
    command = [
        sys.executable,
        "-m",
        "pip_audit",
        "--local",
        "--progress-spinner",
        "off",
        "--skip-editable",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    told = done.stdout + done.stderr
    missing = told.count("could not be audited")
    if missing or not told.strip() or any(word in told for word in _OFFLINE):
        print(
            "not audited: the list of known weaknesses cannot be reached from here"
            + (f", or does not have {missing} of the packages." if missing else ".")
        )
        return 3
    print(told.strip())
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
