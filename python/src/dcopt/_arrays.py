"""Arrays of functions of variables with their operators; module _functions has the functions."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Sequence, Union

import numpy as np

from ._errors import ProblemError
from ._graph import Loaded, flat
from ._worker import Buffers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["Constraint", "Expr", "Parameter", "Variable", "between", "eq", "ge", "le", "matmul", "mul", "power", "semidefinite", "stack", "sum"]

Shape = Union[int, "tuple[int, ...]"]
Operand = Union["Expr", "ArrayLike"]


class Expr:
    """An array whose entries are functions of the variables: `m.var`, operators and the functions of this module make it.

    `+`, `-`, `*`, `/` and `**` work entry by entry with NumPy's broadcasting, `@` is the product of matrices, `x[i]`, `x.T` and `x.reshape(...)` choose
    entries; `<=`, `>=` and `==` are constraints.
    """

    __array_ufunc__ = None  # so that NumPy leaves operators to this class
    __hash__ = object.__hash__

    def __init__(self, op: str, args: Sequence[Expr], shape: tuple[int, ...], arrays: Mapping[str, np.ndarray] | None = None, **attrs: Any) -> None:
        self.op, self.args, self.shape, self.arrays, self.attrs = op, tuple(args), shape, dict(arrays or {}), attrs

    @property
    def size(self) -> int:
        """The number of entries."""
        return math.prod(self.shape)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def value(self) -> Any:
        """The value at the values of the variables; None where one has none."""
        from .dc import Lowering  # which needs this module

        lowered = Lowering([self])
        if any(v.value is None for v in lowered.leaves if isinstance(v, Variable)):
            return None
        x = np.concatenate([flat(v.value) for v in lowered.leaves if isinstance(v, Variable)] or [np.zeros(0)])
        loaded, buffers = Loaded(lowered.graph, lowered.places()), Buffers()
        reply = loaded.request({"type": "evaluate", "nodes": [lowered.graph.number(lowered.items[id(self)])], "x": buffers.add(x)}, buffers)
        return _shaped(reply.buffers[reply["values"][0]], self.shape)

    def _text(self, depth: int) -> str:
        if isinstance(self, (Variable, Parameter)):
            return self.name
        if self.op == "const":
            return f"{self.arrays['data'][0]:g}" if self.size == 1 else f"[{self.size} numbers]"
        return f"{self.op}({', '.join(a._text(depth - 1) if depth else '...' for a in self.args)})"

    def __repr__(self) -> str:
        return self._text(3)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a number has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Expr]:
        return (self[k] for k in range(len(self)))

    if not TYPE_CHECKING:  # for types this is nothing that NumPy makes an array of

        def __array__(self, *_: Any, **__: Any) -> np.ndarray:
            raise TypeError(f"{self!r} is no array of numbers: use the functions of dcopt.dc, and dc.matmul(A, x) for a sparse matrix A")

    def __bool__(self) -> bool:
        raise TypeError(f"{self!r} has no truth value: its value depends on the variables")

    def __add__(self, other: Operand) -> Expr: return _total([self, other], [1.0, 1.0])
    def __radd__(self, other: Operand) -> Expr: return _total([other, self], [1.0, 1.0])
    def __sub__(self, other: Operand) -> Expr: return _total([self, other], [1.0, -1.0])
    def __rsub__(self, other: Operand) -> Expr: return _total([other, self], [1.0, -1.0])
    def __neg__(self) -> Expr: return _total([self], [-1.0])
    def __pos__(self) -> Expr: return self
    def __abs__(self) -> Expr: return _each("abs", self)
    def __mul__(self, other: Operand) -> Expr: return mul(self, other)
    def __rmul__(self, other: Operand) -> Expr: return mul(other, self)
    def __rtruediv__(self, other: Operand) -> Expr: return _each("div", other, self)
    def __matmul__(self, other: Operand) -> Expr: return matmul(self, other)
    def __rmatmul__(self, other: Operand) -> Expr: return matmul(other, self)
    def __pow__(self, p: Operand) -> Expr: return power(self, p)
    def __rpow__(self, base: Operand) -> Expr: return power(base, self)
    def __le__(self, other: Operand) -> Constraint: return le(self, other)
    def __ge__(self, other: Operand) -> Constraint: return ge(self, other)
    def __eq__(self, other: Operand) -> Constraint: return eq(self, other)  # type: ignore[override]

    def __truediv__(self, other: Operand) -> Expr:
        other = _expr(other)
        if other.op != "const":
            return _each("div", self, other)
        if not np.all(other.arrays["data"]):
            raise ProblemError("a division by 0", "problem", "", repr(self))
        return mul(self, _const(1.0 / _shaped(other.arrays["data"], other.shape)))

    def __getitem__(self, key: Any) -> Expr:
        return _select(self, _places(self.shape)[key])

    @property
    def T(self) -> Expr:
        """The transpose."""
        return _select(self, _places(self.shape).T)

    def reshape(self, *shape: Any) -> Expr:
        """The same entries, row by row, in another shape, as `numpy.reshape` has them."""
        try:
            return _select(self, _places(self.shape).reshape(*shape))
        except (TypeError, ValueError):
            raise ProblemError(f"{self.size} entries have no shape {shape}", "problem", "", repr(self)) from None

    def diag(self) -> Expr:
        """The diagonal of a matrix."""
        if self.ndim != 2:
            raise ProblemError(f"an array of shape {self.shape} has no diagonal, want a matrix", "problem", "", repr(self))
        return _select(self, np.diagonal(_places(self.shape)))

    def sum(self, axis: int | None = None) -> Expr:
        """The sum of the entries, or along an axis."""
        return sum(self, axis=axis)


class Variable(Expr):
    """A variable: `Model.var` makes it. `value` has its value after a solve."""

    value: Any = None

    def __init__(self, name: str, shape: tuple[int, ...], spec: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        super().__init__("variable", (), shape, arrays, **spec)
        self.name = name


class Parameter(Expr):
    """Data that may change from one solve to the next: `Model.param` makes it, `value` changes it."""

    value: Any = None

    def __init__(self, name: str, shape: tuple[int, ...], value: ArrayLike) -> None:
        super().__init__("parameter", (), shape)
        self.name, self.value = name, value

    def _now(self) -> np.ndarray:
        a = _numbers(f"{self.name}: the value", self.value)
        return flat(_numbers(f"{self.name}: the value", a.reshape(()) if a.size == 1 else a, self.shape))


class Constraint:
    """A constraint: `<=`, `>=` and `==` between arrays, `between` and `semidefinite` make it. `dual` has its multipliers after a solve."""

    def __init__(self, kind: str, args: Sequence[Expr], arrays: Mapping[str, np.ndarray] | None = None) -> None:
        self.kind, self.args, self.arrays, self.name = kind, tuple(args), dict(arrays or {}), ""
        self.shape, self.dual = args[0].shape, None  # type: tuple[int, ...], Any

    def named(self, name: str, *indices: int) -> Constraint:
        """The constraint with a name for messages and `Result.duals`; indices tell members of a family apart."""
        self.name = name + (f"[{','.join(map(str, indices))}]" if indices else "")
        return self

    def __repr__(self) -> str:
        return self.name or f"{self.kind}({', '.join(map(repr, self.args))})"

    def __bool__(self) -> bool:
        raise TypeError("a constraint has no truth value: write l <= x <= u as dc.between(l, x, u)")


# How arrays are made

def _numbers(what: str, values: Any, shape: tuple[int, ...] | None = None) -> np.ndarray:
    """The numbers of an argument, as many as the shape has: a copy, as the problem is that of now."""
    try:
        a = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise ProblemError(f"{what} is {values!r:.60}, want numbers", "problem") from None
    if shape is None:
        return a
    try:
        return np.array(np.broadcast_to(a, shape))
    except ValueError:
        raise ProblemError(f"{what} has the shape {a.shape}, want {shape}", "problem", "One number stands for all entries.") from None


def _shape(shape: Any) -> tuple[int, ...]:
    try:
        out = tuple(map(operator.index, shape if isinstance(shape, (tuple, list)) else (shape,)))
    except TypeError:
        out = (-1,)
    if any(n < 0 for n in out):
        raise ProblemError(f"the shape is {shape!r}, want an integer >= 0 or a tuple of them", "problem")
    return out


def _along(x: Expr, axis: Any) -> np.ndarray:
    """The places of the entries, those along the axis first."""
    try:
        return np.moveaxis(_places(x.shape), axis, 0)
    except (TypeError, ValueError):
        raise ProblemError(f"axis is {axis!r}, the array has the shape {x.shape}", "problem", f"Axes are 0 to {x.ndim - 1}.", repr(x)) from None


def _expr(e: Operand) -> Expr:
    return e if isinstance(e, Expr) else _const(e)


def _const(values: Any) -> Expr:
    if hasattr(values, "toarray"):
        values = values.toarray()
    try:
        a = _numbers("an array of data", values)
    except ProblemError:
        if isinstance(values, (list, tuple)) and any(isinstance(v, (Expr, list, tuple)) for v in values):
            return stack(values)
        raise
    if not np.all(np.isfinite(a)):
        raise ProblemError("an array of data has numbers that are infinite or NaN", "problem", "Replace or leave out what is missing in the data.")
    return Expr("const", (), a.shape, {"data": flat(a)})


def _places(shape: tuple[int, ...]) -> np.ndarray:
    """The places of the entries, which stand in column-major order."""
    return np.arange(math.prod(shape)).reshape(shape, order="F")


def _shaped(values: np.ndarray, shape: tuple[int, ...]) -> Any:
    return np.array(values).reshape(shape, order="F") if shape else float(values[0])


def _affine(args: Sequence[Expr], shape: tuple[int, ...], counts: np.ndarray, indices: np.ndarray, data: np.ndarray) -> Expr:
    """Rows of affine functions of the entries of args: counts has the number of coefficients of each row."""
    return Expr("affine", args, shape, {"indptr": np.concatenate([[0], np.cumsum(counts)]), "indices": indices, "data": data})


def _select(e: Expr, places: Any) -> Expr:
    at = flat(places).astype(np.int64)
    if e.op == "const":
        return Expr("const", (), np.shape(places), {"data": e.arrays["data"][at]})
    return _affine([e], np.shape(places), np.ones(at.size, dtype=int), at, np.ones(at.size))


def _to(e: Expr, shape: tuple[int, ...]) -> Expr:
    return e if e.shape == shape or e.size == 1 and not e.shape else _select(e, np.broadcast_to(_places(e.shape), shape))


def _together(args: Sequence[Operand]) -> tuple[list[Expr], tuple[int, ...]]:
    """Arrays of one shape, and numbers, which every operation repeats."""
    es = [_expr(a) for a in args]
    try:
        shape = np.broadcast_shapes(*(e.shape for e in es))
    except ValueError:
        raise ProblemError(f"shapes do not go together: {', '.join(str(e.shape) for e in es)}", "problem", "", repr(es[0])) from None
    return [_to(e, shape) for e in es], shape


def _each(op: str, *args: Operand, **attrs: Any) -> Expr:
    es, shape = _together(args)
    return Expr(op, es, shape, **attrs)


def _total(args: Sequence[Operand], factors: list[float]) -> Expr:
    return _each("sum", *args, factors=factors)


def _grouped(op: str, x: Operand, axis: int | None, more: Sequence[Expr] = (), arrays: Mapping[str, np.ndarray] | None = None, **attrs: Any) -> Expr:
    """A function of all entries, or of those along an axis."""
    x = _expr(x)
    if axis is None:
        return Expr(op, [x, *more], (), arrays, **attrs)
    places = _along(x, axis)
    shape = places.shape[1:]
    return Expr(op, [_select(x, places), *more], shape, arrays, groups=math.prod(shape), **attrs)


# Functions that are operators, too

def mul(x: Operand, y: Operand) -> Expr:
    """The product of each entry of x with that of y."""
    x, y = _expr(x), _expr(y)
    for a, b in ((x, y), (y, x)):
        if a.op == "const" and not a.shape:
            return _total([b], [float(a.arrays["data"][0])])
    return _each("mul", x, y)


def power(x: Operand, p: Operand) -> Expr:
    """x^p of each entry; one of the two may be a number."""
    if isinstance(p, Expr) or np.ndim(p):
        return _each("pow", x, p)
    exponent = _numbers("p", p).item()
    return _each("square", x) if exponent == 2 else _each("power", x, p=exponent)


def sum(x: Operand | Sequence[Operand], axis: int | None = None) -> Expr:
    """The sum of the entries, or along an axis."""
    x = _expr(x)  # type: ignore[arg-type]
    places = _along(x, axis) if axis is not None else _places(x.shape).reshape(-1, 1, order="F")
    shape = places.shape[1:] if axis is not None else ()
    return _affine([x], shape, np.full(math.prod(shape), places.shape[0]), flat(places).astype(np.int64), np.ones(x.size))


def matmul(x: Operand, y: Operand) -> Expr:
    """The product of matrices and vectors, as NumPy's `@`. A matrix of data may be one of SciPy's sparse ones."""
    a: Any = x if hasattr(x, "tocsr") else _expr(x)
    b: Any = y if hasattr(y, "tocsr") else _expr(y)
    if not (1 <= a.ndim <= 2 and 1 <= b.ndim <= 2 and a.shape[-1] == b.shape[0]):
        raise ProblemError(f"matrices of the shapes {a.shape} and {b.shape} have no product", "problem", "", repr(a))
    data = [not isinstance(e, Expr) or e.op == "const" for e in (a, b)]
    if data[1] and not data[0]:
        return matmul(b.T, a.T).T
    b = _expr(b)
    columns = b.shape[1:]
    if not data[0]:  # both may depend on variables
        return Expr("matmul", [a, b], a.shape[:-1] + columns)
    if isinstance(a, Expr):
        rows = np.atleast_2d(_shaped(a.arrays["data"], a.shape))
        row, col = np.nonzero(rows)
        counts, values = np.bincount(row, minlength=len(rows)), rows[row, col]
    else:
        a = a.tocsr()
        counts, col, values = np.diff(a.indptr), a.indices, a.data
    n = columns[0] if columns else 1
    indices = (np.tile(col, (n, 1)) + b.shape[0] * np.arange(n)[:, None]).reshape(-1)
    return _affine([b], a.shape[:-1] + columns, np.tile(counts, n), indices, np.tile(values, n))


def stack(items: Sequence[Operand]) -> Expr:
    """Arrays of one shape as the rows of another one, as `numpy.stack` does."""
    es, shape = _together(items)
    if not es:
        return _const([])
    sizes = [e.size for e in es]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    places = np.stack([np.broadcast_to(s + _places(e.shape), shape) for s, e in zip(starts, es)])
    at = flat(places).astype(np.int64)
    return _affine(es, places.shape, np.ones(at.size, dtype=int), at, np.ones(at.size))


# Constraints

def _compared(kind: str, x: Operand, y: Operand) -> Constraint:
    es, shape = _together([x, y])
    return Constraint(kind, [_select(e, np.broadcast_to(_places(e.shape), shape)) if e.shape != shape else e for e in es])


def le(x: Operand, y: Operand) -> Constraint:
    """x <= y, each entry; the multipliers are >= 0."""
    return _compared("le", x, y)


def ge(x: Operand, y: Operand) -> Constraint:
    """x >= y, each entry; the multipliers are >= 0."""
    return _compared("le", y, x)


def eq(x: Operand, y: Operand) -> Constraint:
    """x == y, each entry; the multipliers are those of x - y."""
    return _compared("eq", x, y)


def between(lo: ArrayLike, x: Operand, hi: ArrayLike) -> Constraint:
    """lo <= x <= hi with data lo and hi, each entry; the multipliers are > 0 where hi holds."""
    x = _expr(x)
    return Constraint("between", [x], {k: flat(_numbers(k, v, x.shape)) for k, v in (("lo", lo), ("hi", hi))})


def semidefinite(x: Operand) -> Constraint:
    """The symmetric matrix x is positive semidefinite; the multipliers are a matrix."""
    return Constraint("psd", [_expr(x)])
