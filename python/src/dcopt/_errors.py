"""The exceptions of the package."""

from __future__ import annotations

import difflib
import math
import re
from typing import Any, Iterable

# As the program calls a constraint to which the client gave no name.
_NAMELESS = re.compile(r"\(constraint (\d+)\)")

# How the program speaks of a setting that has a wrong type: by its place in the request.
_SETTING = re.compile(r"^\w+: the header: settings\.(\w+) is")


def short(expr: Any) -> str:
    """An expression or constraint as text of one line's length. Constants in it are printed: that may take a
    millisecond, so it is for messages alone."""
    text = " ".join(str(expr).split())  # matrices have lines
    return text if len(text) <= 120 else text[:117] + "..."


class Places:
    """The user's expressions by the numbers of nodes, and the constraints by theirs; their texts are made when a
    message needs them."""

    def __init__(self) -> None:
        self.nodes: dict[int, Any] = {}
        self.constraints: dict[int, Any] = {}

    def of(self, e: dict[str, Any]) -> str:
        """That of an error or note."""
        if e.get("node") in self.nodes:
            return short(self.nodes[e["node"]])
        if e.get("constraint") in self.constraints:
            return short(self.constraints[e["constraint"]])
        return self.named(str(e.get("name", "")))

    def named(self, text: str) -> str:
        """A text of the program with the user's constraints in it."""
        return _NAMELESS.sub(lambda m: short(self.constraints.get(int(m[1]), m[0])), text)


class DcoptError(Exception):
    """What dcopt cannot do, and the way out.

    Attributes
    ----------
    kind : str
        The kind of the error, as docs/protocol.md has it.
    help : str
        What to do, or "".
    place : str
        The user's expression or constraint that is meant, or "".

    Examples
    --------
    >>> import dcopt
    >>> try:
    ...     dcopt.solve_qp([[1.0]], [-1.0], max_iters=9)
    ... except dcopt.DcoptError as e:
    ...     print(e.help.split("?")[0])
    Did you mean max_iter
    """

    def __init__(self, text: str, kind: str = "problem", help: str = "", place: str = "", notes: tuple[str, ...] = ()) -> None:
        self.kind, self.help, self.place, self.notes = kind, help, place, notes
        message = f"{place}: {text}" if place else text
        message += "".join(f"\n  {n}" for n in notes)
        super().__init__(message + (f"\n{help}" if help else ""))


class CurvatureError(DcoptError):
    """A problem that has no split into a difference of convex functions.

    Examples
    --------
    >>> import dcopt
    >>> try:
    ...     dcopt.solve_qp([[-1.0]], [1.0])
    ... except dcopt.CurvatureError as e:
    ...     print(e.kind)
    curvature
    """


class ProblemError(DcoptError, ValueError):
    """A problem that says nothing sensible: NaN, shapes that do not go together, crossed bounds. It is a ValueError, too.

    Examples
    --------
    >>> import dcopt
    >>> try:
    ...     dcopt.solve_qp([[1.0]], [float("nan")])
    ... except ValueError as e:
    ...     print(type(e).__name__)
    ProblemError
    """


class UnsupportedError(DcoptError):
    """A function or a constraint that dcopt does not have.

    Examples
    --------
    >>> import cvxpy as cp, dcopt
    >>> k = cp.Variable(integer=True)
    >>> type(dcopt.why_not(cp.Problem(cp.Minimize(k), [k >= 0.5]))).__name__
    'UnsupportedError'
    """


class WorkerError(DcoptError):
    """The worker could not be started, or it ended in the middle of a request.

    Examples
    --------
    >>> import dcopt
    >>> try:
    ...     x = dcopt.solve_qp([[1.0]], [-1.0])
    ... except dcopt.WorkerError:  # once more, by another worker
    ...     x = dcopt.solve_qp([[1.0]], [-1.0])
    """


class NotUniqueWarning(UserWarning):
    """A derivative at a solution that is not unique: the least squares solution of least norm of the linearised optimality conditions.

    Examples
    --------
    >>> import dcopt, warnings
    >>> warnings.simplefilter("error", dcopt.NotUniqueWarning)  # such derivatives are errors from here on
    >>> warnings.simplefilter("default", dcopt.NotUniqueWarning)
    """


def from_reply(header: dict[str, Any], names: Places | None = None) -> DcoptError:
    """The exception of an error frame."""
    first, names = header["errors"][0], names or Places()
    notes = []
    for n in list(first.get("notes", [])) + header["errors"][1:]:
        p = names.of(n)
        notes.append(f"{p}: {names.named(n['text'])}" if p else names.named(n["text"]))
    kind = first["kind"]
    cls = {"curvature": CurvatureError, "unsupported": UnsupportedError, "problem": ProblemError}.get(kind, DcoptError)
    text = _SETTING.sub(r"the setting \1 is", names.named(first["text"]))
    return cls(text, kind, first.get("help", ""), names.of(first), tuple(notes))


def checked(settings: dict[str, Any], known: Iterable[str]) -> dict[str, Any]:
    """Settings with numbers of NumPy as Python's. Raises DcoptError for a name that is not known, and for NaN; a time limit
    without end is none. The program looks at the rest."""
    out = {}
    for name, value in settings.items():
        if name not in known:
            close = difflib.get_close_matches(name, known, 1)
            raise DcoptError(f"there is no setting {name}", "request",
                             (f"Did you mean {close[0]}? " if close else "") + "Settings are " + ", ".join(sorted(known)) + ".")
        if type(value).__module__ == "numpy" and hasattr(value, "item") and getattr(value, "size", 1) == 1:
            value = value.item()
        if isinstance(value, float) and not math.isfinite(value):
            if name == "time_limit" and value > 0:
                continue
            raise DcoptError(f"the setting {name} is {value}", "request", "Give a finite number.")
        out[name] = value
    return out
