"""Convex problems as matrices, `load_data` of docs/protocol.md, kept between solves."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import DcoptError, ProblemError, checked
from ._settings import QPSettings, names
from ._worker import Buffers, Held, Reply, Turn, worker


SETTINGS = names(QPSettings)


def real(name: str, values: Any) -> np.ndarray:
    """Numbers as an array; an error with the name of the argument for what is none."""
    try:
        a = np.asarray(values)
        if np.iscomplexobj(a):
            raise ProblemError(f"{name} has complex numbers", "problem", "State real and imaginary parts as variables of their own.")
        return np.asarray(a, dtype=float)
    except (TypeError, ValueError) as e:
        if isinstance(e, ProblemError):
            raise
        raise ProblemError(f"{name} is no array of numbers: {e}", "problem") from e


def columns(name: str, m: Any, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """indptr, indices and data of the matrix with that name by columns; SciPy's or dense."""
    sparse = hasattr(m, "tocsc")
    a: Any = m.tocsc() if sparse else real(name, m)
    if a.shape != shape:
        raise ProblemError(f"{name} has the shape {a.shape}, want {shape}", "problem")
    if sparse:
        if not a.has_canonical_format:
            a = a.copy()
            a.sum_duplicates()
        return a.indptr, a.indices, real(name, a.data)
    col, row = np.nonzero(a.T)
    return np.searchsorted(col, np.arange(shape[1] + 1)), row, a[row, col]


class Matrices:
    """A problem that a worker holds; solve sends what has changed."""

    def __init__(self) -> None:
        self._turn = Turn()
        self._held: Held | None = None
        self._terms: Any = None
        self._sent: dict[str, np.ndarray] = {}

    def solve(self, form: str, n: int, P: Any, q: Any, A: Any, m: int, vectors: dict[str, np.ndarray], cones: list[Any] | None = None,
              settings: dict[str, Any] | None = None, warm: bool = True, start: dict[str, np.ndarray] | None = None) -> Reply:
        """vectors are those of the form: l, u or b, and lo, hi."""
        settings = checked({k: v for k, v in (settings or {}).items() if v is not None}, SETTINGS)
        p = columns("P", P, (n, n)) if P is not None else None
        a = columns("A", A, (m, n)) if A is not None and m else None
        values = {k: real(k, v).reshape(-1) for k, v in (("q", q), *vectors.items())}
        for name, v in values.items():
            want = n if name in ("q", "lo", "hi") else m
            if v.size != want:
                raise ProblemError(f"{name} has {v.size} entries, want {want}", "problem")
        if p is not None:
            values["P"] = p[2]
        if a is not None:
            values["A"] = a[2]
        w = worker()
        with self._turn(w):
            w.link()
            pattern = [None if c is None else (c[0], c[1]) for c in (p, a)]
            terms = (form, n, m, cones, sorted(values))
            header: dict[str, Any]
            buffers = Buffers()
            held = self._held
            known = held is not None and held.here(w) and self._terms is not None and self._terms[0] == terms and all(
                x is y or (x is not None and y is not None and np.array_equal(x[0], y[0]) and np.array_equal(x[1], y[1]))
                for x, y in zip(pattern, self._terms[1]))
            if not known:
                self._held, self._terms = None, None
                held = w.hold("problem")
                header = {"type": "load_data", "problem": held.handle, "form": form}
                for name, v in values.items():
                    if name not in ("P", "A"):
                        header[name] = buffers.add(v)
                for name, c in (("P", p), ("A", a)):
                    if c is not None:
                        header[name] = {"indptr": buffers.add(c[0], "i64"), "indices": buffers.add(c[1], "i64"), "data": buffers.add(c[2])}
                if cones is not None:
                    header["cones"] = cones
                w.request(header, buffers, held=held)
                self._held, self._terms = held, (terms, pattern)
                self._sent = {}
                buffers = Buffers()
            assert held is not None
            header = {"type": "solve", "problem": held.handle, "warm": bool(warm and known)}
            if settings:
                header["settings"] = settings
            if start:
                header["start"] = {k: buffers.add(v) for k, v in start.items()}
            if known:
                update = {k: buffers.add(v) for k, v in values.items() if not np.array_equal(v, self._sent[k])}
                if update:
                    header["update"] = update
            self._sent = {k: np.array(v) for k, v in values.items()}
            try:
                return w.request(header, buffers, held=held)
            except DcoptError:
                self._terms = None
                raise
