"""Quadratic programs, with the signature of the package qpsolvers."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from ._errors import CurvatureError, ProblemError
from ._matrices import Matrices, real
from ._result import Result, of_record

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from typing_extensions import Unpack

    from ._settings import QPSettings


_MISSING = "Replace or leave out what is missing in the data."


def _stack(a: Any, b: Any) -> Any:
    if a is None:
        return b
    if b is None:
        return a
    if hasattr(a, "tocsc") or hasattr(b, "tocsc"):
        import scipy.sparse as sp

        return sp.vstack([sp.csc_array(a), sp.csc_array(b)], format="csc")
    return np.vstack([np.atleast_2d(a), np.atleast_2d(b)])


def _rows(left: str, a: Any, right: str, c: Any, n: int) -> tuple[Any, np.ndarray]:
    """Rows with their right sides."""
    if a is None:
        return None, np.zeros(0)
    a = a if hasattr(a, "tocsc") else np.atleast_2d(real(left, a))
    c = real(right, c).reshape(-1)
    if a.ndim != 2 or a.shape[1] != n:
        raise ProblemError(f"{left} has the shape {a.shape}, want {n} columns", "problem")
    if c.size != a.shape[0]:
        raise ProblemError(f"{right} has {c.size} entries, {left} has {a.shape[0]} rows", "problem")
    return a, c


def _violation(rows: Any, vectors: dict[str, np.ndarray], x: np.ndarray | None) -> float:
    """The largest amount by which x breaks a row or bound."""
    if x is None:
        return float("nan")
    parts = [("l", "u", rows @ x)] if rows is not None else []
    over = [0.0]
    for lo, hi, value in [*parts, ("lo", "hi", x)]:
        over += [float(np.max(vectors[lo] - value, initial=0.0))] if lo in vectors else []
        over += [float(np.max(value - vectors[hi], initial=0.0))] if hi in vectors else []
    return max(over)


@overload
def solve_qp(P: Any, q: ArrayLike, G: Any = ..., h: ArrayLike | None = ..., A: Any = ..., b: ArrayLike | None = ..., lb: ArrayLike | None = ...,
             ub: ArrayLike | None = ..., initvals: ArrayLike | None = ..., verbose: bool = ..., *, return_result: Literal[False] = ...,
             **settings: Unpack[QPSettings]) -> np.ndarray | None: ...


@overload
def solve_qp(P: Any, q: ArrayLike, G: Any = ..., h: ArrayLike | None = ..., A: Any = ..., b: ArrayLike | None = ..., lb: ArrayLike | None = ...,
             ub: ArrayLike | None = ..., initvals: ArrayLike | None = ..., verbose: bool = ..., *, return_result: Literal[True],
             **settings: Unpack[QPSettings]) -> Result: ...


def solve_qp(P: Any, q: ArrayLike, G: Any = None, h: ArrayLike | None = None, A: Any = None, b: ArrayLike | None = None, lb: ArrayLike | None = None,
             ub: ArrayLike | None = None, initvals: ArrayLike | None = None, verbose: bool = False, *, return_result: bool = False,
             **settings: Unpack[QPSettings]) -> np.ndarray | Result | None:
    """Minimises x'Px/2 + q'x over Gx <= h, Ax = b, lb <= x <= ub.

    Parameters
    ----------
    P : array or sparse matrix, optional
        Symmetric n by n, positive semidefinite; dense or SciPy's sparse; None: 0.
    q : array
        n numbers.
    G, h, A, b : arrays, optional
        Rows and right sides.
    lb, ub : arrays or numbers, optional
        Bounds; infinite for none.
    initvals : array, optional
        A point to start from.
    verbose : bool
        Print how the run ended.
    return_result : bool
        Return a Result.
    **settings
        tol, infeas_tol, max_iter, backend, time_limit, presolve: docs/protocol.md.

    Returns
    -------
    numpy.ndarray or None
        The solution, n numbers; None where there is none, or none was found. With return_result a Result with the variable "x" and the multipliers "G"
        and "A" of the rows and "bounds", > 0 where the upper bound holds: Px + q + G'y_G + A'y_A + z = 0.

    Raises
    ------
    DcoptError
        For numbers that make no problem, such as NaN or a P that is not convex.

    Examples
    --------
    >>> import dcopt
    >>> x = dcopt.solve_qp([[1, 0], [0, 1]], [-1, -1], G=[[1, 1]], h=[1])
    >>> x.round(6).tolist()
    [0.5, 0.5]
    >>> result = dcopt.solve_qp([[1, 0], [0, 1]], [-1, -1], G=[[1, 1]], h=[1], return_result=True)
    >>> result.status, round(result.objective, 6), result.duals["G"].round(6).tolist()
    ('optimal', -0.75, [0.5])
    """
    q = real("q", q).reshape(-1)
    if np.isnan(q).any():  # also of None
        raise ProblemError("q contains NaN", "problem", _MISSING)
    begin, n = time.perf_counter(), q.size
    for (left, a), (right, c) in ((("G", G), ("h", h)), (("A", A), ("b", b))):
        if (a is None) != (c is None):
            raise ProblemError(f"{left} without {right}" if c is None else f"{right} without {left}", "problem", f"Give both {left} and {right}, or neither.")
    upper, h = _rows("G", G, "h", h, n)
    equal, b = _rows("A", A, "b", b, n)
    rows = _stack(upper, equal)
    m = 0 if rows is None else rows.shape[0]
    vectors = {}
    if m:
        vectors = {"l": np.concatenate([np.full(h.size, -np.inf), b]), "u": np.concatenate([h, b])}
    for name, argument, v in (("lo", "lb", lb), ("hi", "ub", ub)):
        if v is not None:
            v = real(argument, v).reshape(-1)
            if v.size not in (1, n):
                raise ProblemError(f"{argument} has {v.size} entries, want {n} or 1", "problem")
            vectors[name] = np.broadcast_to(v, (n,))
    start = None
    if initvals is not None:
        start = {"x": real("initvals", initvals).reshape(-1)}
        if start["x"].size != n:
            raise ProblemError(f"initvals has {start['x'].size} entries, want {n}", "problem")
    arguments: tuple[tuple[str, Any], ...] = (("P", P), ("G", G), ("h", h), ("A", A), ("b", b), ("lb", lb), ("ub", ub), ("initvals", initvals))
    for name, v in arguments:
        numbers = np.asarray(v.data if hasattr(v, "tocsc") else 0 if v is None else v)
        if numbers.dtype.kind == "f" and np.isnan(numbers).any():
            raise ProblemError(f"{name} contains NaN", "problem", _MISSING)
    try:
        reply = Matrices().solve("qp", n, P, q, rows, m, vectors, settings=dict(settings), start=start)
    except CurvatureError as e:
        raise CurvatureError("P has negative curvature: the problem is not convex", e.kind,
                             "With CVXPY, prob.solve(method=\"dcopt\") takes differences of convex functions.") from e
    if verbose:
        print(f"dcopt: {reply['status']} after {reply['iterations']} iterations")
    x = reply.array("x")
    solved = reply["status"] in ("solved", "almost_solved")
    if not return_result:
        return np.array(x) if solved and x is not None else None
    y, z = reply.array("y"), reply.array("z")
    duals = {} if y is None else {name: y[at] for name, at in (("G", slice(h.size)), ("A", slice(h.size, m))) if y[at].size}
    if z is not None and z.size:
        duals["bounds"] = z
    details = {k: v for k, v in reply.header.items() if k not in ("type", "id", "buffers", "x", "y", "z")}
    result = of_record(reply, {} if x is None else {"x": x}, duals, time.perf_counter() - begin, details)
    result.objective, result.max_violation, result.gap = result.objective if solved else float("nan"), _violation(rows, vectors, x), None
    return result
