"""Runs the cells of a notebook as a notebook does, and prints what each one shows, as JSON.

In a process of its own: IPython changes the interpreter that it runs in.
"""

from __future__ import annotations

import io
import json
import sys
import traceback
import warnings
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config


def run(path: Path) -> list[dict[str, Any]]:
    """For each code cell the kind of its result, and that result by MIME type."""
    shell: Any = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    warnings.simplefilter("error")
    shown = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        with redirect_stdout(io.StringIO()):  # where IPython prints Out[1], for a terminal
            done = shell.run_cell("".join(cell["source"]))
        if not done.success:
            error = done.error_before_exec or done.error_in_exec
            traceback.print_exception(error)
            sys.exit(f"the cell {cell['id']} fails")
        formats, _ = shell.display_formatter.format(done.result)
        shown.append({"cell": cell["id"], "kind": type(done.result).__name__, "shown": formats})
    return shown


if __name__ == "__main__":
    found = run(Path(sys.argv[1]))
    print(json.dumps(found))
