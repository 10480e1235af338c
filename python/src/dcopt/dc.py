"""Problems without CVXPY, in the words of package dc of Go: arrays, operators and functions.

Examples
--------
>>> from dcopt import dc
>>> m = dc.Model()
>>> x = m.var("x", 2, at_least=0)
>>> m.maximize(dc.norm2(x))
>>> m.subject_to((dc.sum(x) <= 3).named("budget"))
>>> result = m.solve()
>>> round(result.objective, 6), result.status
(3.0, 'optimal')
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Protocol, Sequence, Union

import numpy as np

from ._errors import CurvatureError, Places, ProblemError, UnsupportedError, checked
from ._graph import Graph, Loaded, flat
from ._result import Callback, Result, number, outcome, teller
from ._settings import Settings, names
from ._worker import Buffers, Reply

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from typing_extensions import Unpack

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
        lowered = _Lowering([self])
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
    def __abs__(self) -> Expr: return abs(self)
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
        return _select(self, _places(self.shape).reshape(*shape))

    def diag(self) -> Expr:
        """The diagonal of a matrix."""
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
        a = np.asarray(self.value, dtype=float)
        if a.shape != self.shape and a.size != 1:
            raise ProblemError(f"the value has the shape {a.shape}, want {self.shape}", "problem", "", self.name)
        return flat(np.broadcast_to(a.reshape(()) if a.size == 1 else a, self.shape))


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

def _expr(e: Operand) -> Expr:
    return e if isinstance(e, Expr) else _const(e)


def _const(values: Any) -> Expr:
    if hasattr(values, "toarray"):
        values = values.toarray()
    try:
        a = np.array(values, dtype=float)  # a copy: the problem is that of now
    except (TypeError, ValueError):
        items = values if isinstance(values, (list, tuple)) else []
        if any(isinstance(v, (Expr, list, tuple)) for v in items):
            return stack(items)
        raise ProblemError(f"{values!r} is no array of numbers", "problem") from None
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
    places = np.moveaxis(_places(x.shape), axis, 0)
    shape = places.shape[1:]
    return Expr(op, [_select(x, places), *more], shape, arrays, groups=math.prod(shape), **attrs)


def _documented(f: Any, op: str, text: str) -> Any:
    f.__name__ = f.__qualname__ = op
    f.__doc__ = text
    return f


def _function(op: str, text: str) -> Callable[[Operand], Expr]:
    return _documented(lambda x: _each(op, x), op, f"{text}, of each entry.")  # type: ignore[no-any-return]


def _of_matrix(op: str, text: str) -> Callable[[Operand], Expr]:
    return _documented(lambda x: Expr(op, [_expr(x)], ()), op, f"{text}.")  # type: ignore[no-any-return]


class _Reduction(Protocol):
    def __call__(self, x: Operand, axis: int | None = None) -> Expr: ...


def _reduction(op: str, text: str) -> _Reduction:
    return _documented(lambda x, axis=None: _grouped(op, x, axis), op, f"{text}, of all entries or along an axis.")  # type: ignore[no-any-return]


# Functions of each entry


abs, square, sqrt, pos = (_function(op, t) for op, t in (("abs", "The absolute value"), ("square", "The square"), ("sqrt", "The square root"), ("pos", "max(x, 0)")))
exp, log, expm1, log1p = (_function(op, t) for op, t in (("exp", "e^x"), ("log", "The logarithm"), ("expm1", "e^x - 1"), ("log1p", "log(1 + x)")))
log2, log10 = _function("log2", "The logarithm to base 2"), _function("log10", "The logarithm to base 10")
entropy, logistic = _function("entr", "-x log(x)"), _function("logistic", "log(1 + exp(x))")
inv_pos, x_exp = _function("invpos", "1/x for x > 0"), _function("xexp", "x exp(x) for x >= 0")
sin, cos, tan = (_function(op, "The function " + op) for op in ("sin", "cos", "tan"))
sinh, cosh, tanh = (_function(op, "The function " + op) for op in ("sinh", "cosh", "tanh"))
asinh, atan, atanh = (_function(op, "The function " + op) for op in ("asinh", "atan", "atanh"))
sigmoid, erf, norm_cdf = (_function(op, t) for op, t in (("sigmoid", "1/(1 + exp(-x))"), ("erf", "The error function"), ("normcdf", "The normal distribution")))


def huber(x: Operand, m: float = 1.0) -> Expr:
    """x^2 where abs(x) <= m, else 2 m abs(x) - m^2, of each entry."""
    return _each("huber", x, m=float(m))


def power(x: Operand, p: Operand) -> Expr:
    """x^p of each entry; one of the two may be a number."""
    if isinstance(p, Expr) or np.ndim(p):
        return _each("pow", x, p)
    p = float(p)  # type: ignore[arg-type]
    return square(x) if p == 2 else _each("power", x, p=p)


def mul(x: Operand, y: Operand) -> Expr:
    """The product of each entry of x with that of y."""
    x, y = _expr(x), _expr(y)
    for a, b in ((x, y), (y, x)):
        if a.op == "const" and not a.shape:
            return _total([b], [float(a.arrays["data"][0])])
    return _each("mul", x, y)


def kl(x: Operand, y: Operand) -> Expr:
    """x log(x/y) - x + y of each entry, for x, y >= 0."""
    return _each("kl", x, y)


# Functions of several entries. axis: along which; None: of all entries.

def sum(x: Operand | Sequence[Operand], axis: int | None = None) -> Expr:
    """The sum of the entries, or along an axis."""
    x = _expr(x)  # type: ignore[arg-type]
    places = np.moveaxis(_places(x.shape), axis, 0) if axis is not None else _places(x.shape).reshape(-1, 1, order="F")
    shape = places.shape[1:] if axis is not None else ()
    return _affine([x], shape, np.full(math.prod(shape), places.shape[0]), flat(places).astype(np.int64), np.ones(x.size))


def mean(x: Operand, axis: int | None = None) -> Expr:
    """The mean of the entries, or along an axis."""
    x = _expr(x)
    return sum(x, axis) / (x.size if axis is None else x.shape[axis])


def _extreme(op: str, args: Sequence[Operand], axis: int | None) -> Expr:
    if len(args) == 1:
        return _grouped(op, args[0], axis)
    if axis is not None:
        raise ProblemError(f"{op} of several arrays has no axis", "request", "Give one array, or leave axis out.")
    return _each(op, *args)


def max(*args: Operand, axis: int | None = None) -> Expr:
    """The largest entry of one array, or along an axis; of several arrays the largest of each entry."""
    return _extreme("max", args, axis)


def min(*args: Operand, axis: int | None = None) -> Expr:
    """The least entry of one array, or along an axis; of several arrays the least of each entry."""
    return _extreme("min", args, axis)


norm1, norm2 = _reduction("norm1", "The sum of the absolute values"), _reduction("norm2", "The Euclidean norm of the entries, of matrices as well")
norm_inf, sum_squares = _reduction("norminf", "The largest absolute value"), _reduction("sumsq", "The sum of the squares")
log_sum_exp, geo_mean = _reduction("lse", "The logarithm of the sum of exponentials"), _reduction("geomean", "The geometric mean, of entries >= 0")


def norm_p(x: Operand, p: float, axis: int | None = None) -> Expr:
    """The p-norm of the entries, p >= 1."""
    return _grouped("norm", x, axis, p=float(p))


def sum_largest(x: Operand, k: int, axis: int | None = None) -> Expr:
    """The sum of the k largest entries."""
    return _grouped("sumlargest", x, axis, k=int(k))


def dot_sort(x: Operand, weights: ArrayLike, axis: int | None = None) -> Expr:
    """The sum of the products of entries and weights, both sorted."""
    return _grouped("dotsort", x, axis, arrays={"weights": flat(weights)})


def weighted_geo_mean(x: Operand, weights: ArrayLike, axis: int | None = None) -> Expr:
    """The product of entries >= 0 to the powers of the weights over their sum."""
    return _grouped("wgeomean", x, axis, arrays={"weights": flat(weights)})


def quad_over_lin(x: Operand, y: Operand) -> Expr:
    """The sum of the squares of x over the number y > 0."""
    return _grouped("quadoverlin", x, None, [_expr(y)])


def quad(x: Operand, p: ArrayLike) -> Expr:
    """x'Px with a symmetric matrix P, which may be indefinite."""
    return Expr("quad", [_expr(x)], (), {"matrix": flat(p)})


# Functions of matrices

def trace(x: Operand) -> Expr:
    """The sum of the diagonal."""
    return sum(_expr(x).diag())


log_det = _of_matrix("logdet", "The logarithm of the determinant of a symmetric, positive definite matrix")
lambda_max, lambda_min = (_of_matrix(f"lambda_{w}", f"The {t} eigenvalue of a symmetric matrix") for w, t in (("max", "largest"), ("min", "least")))
spectral_norm, nuclear_norm = _of_matrix("sigma_max", "The largest singular value"), _of_matrix("normnuc", "The sum of the singular values")


def lambda_sum_largest(x: Operand, k: int) -> Expr:
    """The sum of the k largest eigenvalues of a symmetric matrix."""
    return Expr("lambda_sumlargest", [_expr(x)], (), k=int(k))


def mat_frac(x: Operand, p: Operand) -> Expr:
    """trace x'P^-1 x with P symmetric."""
    return Expr("matfrac", [_expr(x), _expr(p)], ())


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
        return sum(mul(_select(a, _places(a.shape)[(..., *(None for _ in columns), slice(None))]), b.T), axis=-1)
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
    return Constraint("between", [x], {"lo": flat(np.broadcast_to(lo, x.shape)), "hi": flat(np.broadcast_to(hi, x.shape))})


def semidefinite(x: Operand) -> Constraint:
    """The symmetric matrix x is positive semidefinite; the multipliers are a matrix."""
    return Constraint("psd", [_expr(x)])


class _Lowering:
    """Arrays as a graph of the protocol."""

    def __init__(self, roots: Sequence[Expr], leaves: Sequence[Variable | Parameter] = ()) -> None:
        self.graph, self.items, self.leaves, self.exprs = Graph(), {}, [], []  # type: Graph, dict[int, Any], list[Variable | Parameter], list[Expr]
        waiting: list[Expr] = [*reversed(roots), *reversed(leaves)]
        while waiting:  # not by recursion: sums may be long
            e = waiting[-1]
            late = [a for a in e.args if id(a) not in self.items]
            waiting.extend(late)
            if not late:
                waiting.pop()
                if id(e) not in self.items:
                    self.items[id(e)] = self._item(e)

    def _item(self, e: Expr) -> tuple[str, int]:
        add = self.graph.buffers.add
        arrays = {k: add(v, "i64" if k in ("indptr", "indices") else "f64") for k, v in e.arrays.items()}
        if isinstance(e, Variable):
            self.leaves.append(e)
            self.graph.variables.append({"name": e.name, "shape": list(e.shape), **arrays, **e.attrs})
            return "v", len(self.graph.variables) - 1
        if isinstance(e, Parameter):
            self.leaves.append(e)
            self.graph.parameters.append({"name": e.name, "shape": list(e.shape), "value": add(e._now())})
            return "p", len(self.graph.parameters) - 1
        self.exprs.append(e)
        return self.graph.node(e.op, [self.items[id(a)] for a in e.args], e.shape, **arrays, **e.attrs)

    def places(self) -> Places:
        """What messages call the nodes."""
        out = Places()
        leaves = sorted(self.leaves, key=lambda v: isinstance(v, Parameter))
        out.nodes = dict(enumerate([*leaves, *self.exprs]))
        return out


class Model:
    """A problem: variables, an objective, constraints.

    Examples
    --------
    Two circles of radius 1 in the smallest square.

    >>> from dcopt import dc
    >>> m = dc.Model()
    >>> c = m.var("c", (2, 2), start_normal=(0, 1))
    >>> m.minimize(dc.max(abs(c)) + 1)
    >>> m.subject_to((dc.norm2(c[0] - c[1]) >= 2).named("apart"))
    >>> round(m.solve(seed=1).objective, 4)
    1.7071
    """

    def __init__(self) -> None:
        self._leaves: list[Variable | Parameter] = []
        self._objective: tuple[str, Expr] | None = None
        self._constraints: list[Constraint] = []
        self._loaded: Loaded | None = None  # of the problem as it stands

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__, _loaded=None)  # copies are loaded by themselves

    def _declare(self, leaf: Any) -> Any:
        if any(v.name == leaf.name for v in self._leaves):
            raise ProblemError(f"the name {leaf.name} is taken", "problem")
        self._leaves.append(leaf)
        self._loaded = None
        return leaf

    def var(self, name: str, shape: Shape = (), *, at_least: ArrayLike | None = None, at_most: ArrayLike | None = None, symmetric: bool = False,
            psd: bool = False, start_at: ArrayLike | None = None, start_normal: tuple[float, float] | None = None,
            start_uniform: tuple[float, float] | None = None) -> Variable:
        """A variable with a name of its own. at_least and at_most are bounds, start_at is where it starts; start_normal (mean, deviation) and
        start_uniform (lo, hi) are how starts are drawn; symmetric and psd are for square matrices."""
        shape = (shape,) if isinstance(shape, int) else tuple(int(n) for n in shape)
        arrays = {k: flat(np.array(np.broadcast_to(v, shape))) for k, v in (("lo", at_least), ("hi", at_most), ("start", start_at)) if v is not None}
        spec: dict[str, Any] = {k: True for k, v in (("symmetric", symmetric and not psd), ("psd", psd)) if v}
        spec.update({k: [float(a) for a in v] for k, v in (("start_normal", start_normal), ("start_uniform", start_uniform)) if v is not None})
        return self._declare(Variable(name, shape, spec, arrays))  # type: ignore[no-any-return]

    def param(self, name: str, shape: Shape = (), value: ArrayLike = 0.0) -> Parameter:
        """Data that may change between solves, by its `value`; nothing is analysed again then."""
        return self._declare(Parameter(name, (shape,) if isinstance(shape, int) else tuple(shape), value))  # type: ignore[no-any-return]

    def _aim(self, sense: str, objective: Operand) -> None:
        objective = _expr(objective)
        if objective.size != 1:
            raise ProblemError(f"the objective has the shape {objective.shape}", "problem", "Add its entries up: dc.sum.", repr(objective))
        self._objective, self._loaded = (sense, objective), None

    def minimize(self, objective: Operand) -> None:
        """What is to be least."""
        self._aim("minimize", objective)

    def maximize(self, objective: Operand) -> None:
        """What is to be largest."""
        self._aim("maximize", objective)

    def subject_to(self, *constraints: Constraint) -> None:
        """Adds constraints."""
        for c in constraints:
            if not isinstance(c, Constraint):
                raise ProblemError(f"{c!r} is no constraint", "problem", "Constraints are made by <=, >= and == with a variable in them.")
        self._constraints += constraints
        self._loaded = None

    def _load(self) -> Loaded:
        if self._loaded is None:
            roots = [a for c in self._constraints for a in c.args] + ([self._objective[1]] if self._objective else [])
            low = _Lowering(roots, self._leaves)
            for leaf in low.leaves:
                if not any(leaf is v for v in self._leaves):
                    raise ProblemError(f"{leaf.name} is of another model", "problem")
            for k, c in enumerate(self._constraints):
                arrays = {name: low.graph.buffers.add(v) for name, v in c.arrays.items()}
                low.graph.constraints.append({"kind": c.kind, "args": [low.items[id(a)] for a in c.args], "name": c.name or f"constraint_{k}", **arrays})
            if self._objective:
                low.graph.objective = {"sense": self._objective[0], "node": low.items[id(self._objective[1])]}
            self._loaded = Loaded(low.graph, low.places())
        return self._loaded

    def _parameters(self, buffers: Buffers) -> dict[str, int]:
        return {p.name: buffers.add(p._now()) for p in self._leaves if isinstance(p, Parameter)}

    def solve(self, *, start: Result | Mapping[str, ArrayLike] | None = None, warm_start: bool = True, callback: Callback = None, verbose: bool = False,
              **settings: Unpack[Settings]) -> Result:
        """Solves the problem.

        Parameters
        ----------
        start : Result or mapping, optional
            Where to start: values of variables by name.
        warm_start : bool
            Without start, begin where the last solve ended.
        callback, verbose, **settings
            As of `dcopt.solve`.

        Returns
        -------
        Result
            Variables and constraints have the `value` and `dual` as well.

        Raises
        ------
        DcoptError
            For what has no split into a difference of convex functions, with the expression.

        Examples
        --------
        >>> from dcopt import dc
        >>> m = dc.Model()
        >>> x, a = m.var("x", at_least=-2, at_most=3), m.param("a", value=1.0)
        >>> m.minimize(abs(x) - 2 * abs(x - a))
        >>> m.solve(starts=5)["x"]
        -2.0
        >>> a.value = -1.0
        >>> m.solve(starts=5)["x"]
        3.0
        """
        given = checked({k.rstrip("_"): v for k, v in settings.items() if v is not None}, names(Settings))
        begin, loaded, buffers = time.perf_counter(), self._load(), Buffers()
        header: dict[str, Any] = {"type": "solve", "warm": warm_start, "settings": given, "parameters": self._parameters(buffers)}
        if start is not None:
            values = start.x if isinstance(start, Result) else start
            header["start"] = {k: buffers.add(v) for k, v in values.items()}
        reply = loaded.request(header, buffers, teller(callback, verbose))
        result = self._result(reply, time.perf_counter() - begin)
        if verbose:
            print(f"dcopt: {result.reason}, objective {result.objective:.6g}, {result.iterations} iterations, {result.seconds:.3f} s", flush=True)
        return result

    def _result(self, reply: Reply, seconds: float) -> Result:
        feasible = bool(reply.get("feasible"))
        status = outcome(reply["status"], feasible)
        x, y = reply.array("x"), reply.array("multipliers")
        none = status in ("infeasible", "unbounded")
        found, at = {}, 0
        for v in self._leaves:
            if isinstance(v, Variable):
                v.value = None if x is None or none else _shaped(x[at:at + v.size], v.shape)
                at += v.size
                if v.value is not None:
                    found[v.name] = v.value
        duals, at = {}, 0
        for k, c in enumerate(self._constraints):
            size = c.args[0].size
            c.dual = None if y is None else _shaped(y[at:at + size], c.shape)
            at += size
            if c.dual is not None:
                duals[c.name or f"constraint_{k}"] = c.dual
        bound, gap = (None if reply.get(k) is None else float(reply[k]) for k in ("bound", "gap"))
        return Result(status, reply["status"], float("nan") if none else number(reply.get("objective")), found, duals, feasible, number(reply.get("max_violation")),
                      bound, gap, reply.get("message", ""), reply["iterations"], seconds, details={k: v for k, v in reply.header.items() if k not in ("type", "id", "buffers")})

    def why_not(self) -> CurvatureError | UnsupportedError | None:
        """What stands in the way of a solution, with the place and the way out; None where nothing does."""
        try:
            self._load().request({"type": "check"})
        except (CurvatureError, UnsupportedError) as e:
            return e
        return None

    def to_dc(self) -> str:
        """The problem as text in the language of .dc files, parameters at their values."""
        buffers = Buffers()
        parameters = self._parameters(buffers)
        if parameters:
            self._load().request({"type": "set", "parameters": parameters}, buffers)
        return self._load().request({"type": "to_dc"}).text()


__all__ = [name for name, v in list(globals().items()) if not name.startswith("_") and getattr(v, "__module__", None) == __name__ and callable(v)]
