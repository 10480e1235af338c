"""Problem files, solved by the program `dcopt solve`, a process for each solve: docs/cli.md."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping

import numpy as np

from ._errors import DcoptError, ProblemError, WorkerError, checked
from ._result import Result, number, of_record
from ._settings import FileSettings, names
from ._worker import PATIENCE, program

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from typing_extensions import Unpack

_INTERRUPT = signal.SIGINT
if sys.platform == "win32":
    _INTERRUPT = signal.CTRL_BREAK_EVENT

# Exit codes of docs/cli.md after which there is a result.
_DONE = {0, 3, 130}


class File:
    r"""A problem in a file, or as text in the language of .dc files: `dcopt.from_dc` makes it.

    Examples
    --------
    >>> import dcopt
    >>> problem = dcopt.from_dc("var x >= 1\nminimize x^2")
    >>> problem.text
    'var x >= 1\nminimize x^2'
    >>> problem.solve().status
    'optimal'
    """

    def __init__(self, text: str | None, path: Path | None, folder: Path | None) -> None:
        self._text, self._path, self._folder = text, path, folder

    @property
    def text(self) -> str:
        """The text of the problem."""
        if self._text is None:
            assert self._path is not None
            return self._path.read_text(encoding="utf-8")
        return self._text

    def solve(self, *, params: Mapping[str, ArrayLike] | None = None, start: Result | Mapping[str, ArrayLike] | None = None, verbose: bool = False,
              **settings: Unpack[FileSettings]) -> Result:
        r"""Solves the problem. Ctrl-C ends the solve with the best point so far.

        Parameters
        ----------
        params : mapping, optional
            Other values for what the problem declares as `param`, by name.
        start : Result or mapping, optional
            Where to start: values of variables by name.
        verbose : bool
            Print a line for each iteration.
        **settings
            starts, effort, seed, time_limit (seconds), tol, max_iter, backend, global_, max_nodes. They go before the options in the file.

        Returns
        -------
        Result

        Raises
        ------
        ProblemError
            For a mistake in the problem or its data, with the place.

        Examples
        --------
        >>> import dcopt
        >>> problem = dcopt.from_dc("param a = 1\nvar x in [-2, 3]\nminimize abs(x) - 2*abs(x - a)")
        >>> problem.solve(params={"a": -1})["x"]
        3.0
        """
        given = checked({k.rstrip("_"): v for k, v in settings.items() if v is not None}, names(FileSettings))
        flags = ["--json"] + ["--verbose"] * verbose
        for name, value in given.items():
            flag = "--" + name.replace("_", "-")
            if value is not False:
                flags += [flag] if value is True else [flag, str(value)]
        with tempfile.TemporaryDirectory(prefix="dcopt-") as folder:
            for name, v in (params or {}).items():
                array = Path(folder) / f"{len(flags)}.npy"
                a = np.asarray(v, dtype=float)
                if a.ndim:
                    np.save(array, a)
                flags += ["--set", f"{name}={array if a.ndim else repr(float(a))}"]
            if start is not None:
                at = Path(folder) / "start.json"
                values = start.x if isinstance(start, Result) else start
                at.write_text(json.dumps({"variables": {k: _nested(v) for k, v in values.items()}}), encoding="utf-8")
                flags += ["--start", str(at)]
            return self._run(flags, verbose)

    def _run(self, flags: list[str], verbose: bool) -> Result:
        name = "-" if self._path is None else str(self._path.resolve())
        # A process group of its own: Ctrl-C comes from here alone.
        group: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        try:
            p = subprocess.Popen([program(), "solve", name, *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 cwd=self._folder, text=True, encoding="utf-8", **group)
        except OSError as e:
            raise WorkerError(f"the program could not be started: {e}", "internal", "Set DCOPT_PROGRAM to the path of a working program dcopt.") from e
        told: list[dict[str, Any]] = []

        def listen() -> None:
            assert p.stderr is not None
            for line in p.stderr:
                note = json.loads(line) if line.startswith("{") else {"severity": "error", "message": line.rstrip()}
                if note["severity"] == "error":
                    told.append(note)
                elif verbose:
                    print(note["message"], flush=True)

        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        with p:
            out = self._wait(p)
            listener.join()
        if p.returncode in _DONE and out.strip():
            return _result(json.loads(out))
        raise _refusal(told, p.returncode)

    def _wait(self, p: subprocess.Popen[str]) -> str:
        """The output of the program. The first Ctrl-C asks it for the best point so far, the next one ends it."""
        assert p.stdin is not None and p.stdout is not None
        try:
            try:
                p.stdin.write(self._text or "")
                p.stdin.close()
            except OSError:
                pass  # it has ended, and says why
            return p.stdout.read()
        except KeyboardInterrupt:
            p.send_signal(_INTERRUPT)
            timer = threading.Timer(PATIENCE, p.kill)
            timer.start()
            try:
                out = p.stdout.read()
            finally:
                timer.cancel()
            if not out.strip():
                raise
            return out
        except BaseException:
            p.kill()
            raise


def _nested(value: Any) -> Any:
    a = np.asarray(value)
    return {"re": a.real.tolist(), "im": a.imag.tolist()} if np.iscomplexobj(a) else a.astype(float).tolist()


def _value(v: Any) -> Any:
    """A number or array of JSON."""
    if isinstance(v, dict):
        return _value(v["re"]) + 1j * _value(v["im"])
    if isinstance(v, list):
        try:
            return np.asarray(v, dtype=float)
        except ValueError:  # rows of several lengths
            return [_value(e) for e in v]
    return number(v)


def _result(found: dict[str, Any]) -> Result:
    result = of_record(found, {k: _value(v) for k, v in found.get("variables", {}).items()}, {k: _value(v) for k, v in (found.get("duals") or {}).items()},
                       sum(found["seconds"].get(k, 0.0) for k in ("read", "compile", "solve")), found)
    result.message = "; ".join(text for text in (found.get("answer"), result.message) if text)
    return result


def _refusal(told: list[dict[str, Any]], code: int) -> DcoptError:
    if not told:
        return WorkerError(f"the program ended without an answer (code {code})", "internal")
    first = told[0]
    place = ":".join(str(first[k]) for k in ("file", "line", "column") if k in first)
    notes = tuple(n["message"] for n in first.get("notes", [])) + tuple(
        ":".join(str(e[k]) for k in ("line", "column") if k in e) + ": " + e["message"] for e in told[1:])
    cls = ProblemError if code == 2 else DcoptError
    return cls(first["message"], "problem" if code == 2 else "request", first.get("help", ""), place, notes)


def from_dc(text: str, folder: str | os.PathLike[str] | None = None) -> File:
    r"""A problem as text in the language of .dc files, see docs/language.md; `dcopt.to_dc` is the way back.

    Parameters
    ----------
    text : str
        The problem.
    folder : path, optional
        Where `csv("data.csv")` and the like look for files; the current folder if left out.

    Returns
    -------
    File
        Its `solve` solves it.

    Examples
    --------
    >>> import dcopt
    >>> problem = dcopt.from_dc("var x[2] >= 0\nmaximize norm2(x)\nsubject to\nsum(x) <= 3")
    >>> round(problem.solve().objective, 6)
    3.0
    """
    return File(text, None, None if folder is None else Path(folder))


def solve_file(path: str | os.PathLike[str], *, params: Mapping[str, ArrayLike] | None = None, start: Result | Mapping[str, ArrayLike] | None = None,
               verbose: bool = False, **settings: Unpack[FileSettings]) -> Result:
    r"""Solves the problem in a .dc file, or a convex program in a file .qps, .mps, .sif, .cbf, .dat-s or .npz, as `dcopt solve` does.

    Parameters
    ----------
    path : path
        The file. Data that it names are looked for beside it.
    params, start, verbose, **settings
        As of `File.solve`.

    Returns
    -------
    Result

    Examples
    --------
    >>> import dcopt, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "m.dc")
    ...     _ = path.write_text("var x in [-2, 3]\nminimize abs(x) - 2*abs(x - 1)")
    ...     dcopt.solve_file(path, global_=True).objective
    -4.0
    """
    return File(None, Path(path), None).solve(params=params, start=start, verbose=verbose, **settings)
