"""The functions of arrays of functions: the words of module dc beside those of _arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Protocol, Sequence

import numpy as np

from ._arrays import Expr, Operand, _along, _each, _expr, _grouped, _numbers, _places, _select, sum
from ._errors import ProblemError
from ._graph import flat

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = [
    "abs", "asinh", "atan", "atanh", "cos", "cosh", "cumsum", "dot_sort", "entropy", "erf", "exp", "expm1", "geo_mean", "huber", "inv_pos", "kl", "lambda_max",
    "lambda_min", "lambda_sum_largest", "log", "log10", "log1p", "log2", "log_det", "log_sum_exp", "logistic", "mat_frac", "max", "mean", "min", "norm1",
    "norm2", "norm_cdf", "norm_inf", "norm_p", "nuclear_norm", "pos", "quad", "quad_over_lin", "sigmoid", "sin", "sinh", "spectral_norm", "sqrt", "square",
    "sum_largest", "sum_squares", "tan", "tanh", "trace", "weighted_geo_mean", "x_exp",
]


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
    return _each("huber", x, m=_numbers("m", m, ()).item())


def kl(x: Operand, y: Operand) -> Expr:
    """x log(x/y) - x + y of each entry, for x, y >= 0."""
    return _each("kl", x, y)


# Functions of several entries. axis: along which; None: of all entries.

def cumsum(x: Operand, axis: int | None = None) -> Expr:
    """The sums of the entries up to each, row by row or along an axis."""
    x = _expr(x)
    places = _along(x, axis) if axis is not None else _places(x.shape).reshape(-1)
    sums = Expr("cumsum", [_select(x, places)], places.shape, groups=x.size // len(places))
    return sums if axis is None else _select(sums, np.moveaxis(_places(sums.shape), 0, axis))


def mean(x: Operand, axis: int | None = None) -> Expr:
    """The mean of the entries, or along an axis."""
    x = _expr(x)
    return sum(x, axis) / (x.size if axis is None else len(_along(x, axis)))


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
    return _grouped("norm", x, axis, p=_numbers("p", p, ()).item())


def sum_largest(x: Operand, k: int, axis: int | None = None) -> Expr:
    """The sum of the k largest entries."""
    return _grouped("sumlargest", x, axis, k=int(_numbers("k", k, ())))


def dot_sort(x: Operand, weights: ArrayLike, axis: int | None = None) -> Expr:
    """The sum of the products of entries and weights, both sorted."""
    return _grouped("dotsort", x, axis, arrays={"weights": flat(_numbers("weights", weights))})


def weighted_geo_mean(x: Operand, weights: ArrayLike, axis: int | None = None) -> Expr:
    """The product of entries >= 0 to the powers of the weights over their sum."""
    return _grouped("wgeomean", x, axis, arrays={"weights": flat(_numbers("weights", weights))})


def quad_over_lin(x: Operand, y: Operand) -> Expr:
    """The sum of the squares of x over the number y > 0."""
    return _grouped("quadoverlin", x, None, [_expr(y)])


def quad(x: Operand, p: ArrayLike) -> Expr:
    """x'Px with a symmetric matrix P, which may be indefinite."""
    x = _expr(x)
    return Expr("quad", [x], (), {"matrix": flat(_numbers("the matrix", p, (x.size, x.size)))})


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
