"""`python -m dcopt`: the program of the package, with its arguments: `python -m dcopt solve m.dc`."""

from __future__ import annotations

import os
import subprocess
import sys

from ._errors import WorkerError
from ._worker import program


def main() -> None:
    """Runs the program in the place of this process."""
    try:
        command = [program(), *sys.argv[1:]]
    except WorkerError as e:
        sys.exit(str(e))
    if sys.platform == "win32":  # where nothing takes the place of a process
        sys.exit(subprocess.call(command))
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
