"""dcopt.dc: problems without CVXPY."""

import copy
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dcopt
import need
from dcopt import dc

RNG = np.random.default_rng(3)
X = RNG.uniform(0.5, 2, (2, 3))
Y = RNG.uniform(0.5, 2, (2, 3))
A, B = RNG.standard_normal((4, 2)), RNG.standard_normal((3, 2))
S = np.array([[2.0, 0.5], [0.5, 1.0]])
W = np.array([0.2, 0.3, 0.5, 1.0, 2.0, 0.7])


def at(value, **attributes):
    """A variable with a value."""
    v = dc.Model().var("x", np.shape(value), **attributes)
    v.value = value
    return v


def normcdf(x):
    from math import erf

    return np.vectorize(lambda t: (1 + erf(t / 2**0.5)) / 2)(x)


def huber(x, m):
    return np.where(np.abs(x) <= m, x**2, 2 * m * np.abs(x) - m * m)


# Each function of the module, its arguments (the first is a variable) and its value by NumPy.
VALUES = {
    "abs": (lambda x: abs(x - 1), lambda x: np.abs(x - 1)), "square": (lambda x: dc.square(x), np.square), "sqrt": (dc.sqrt, np.sqrt),
    "pos": (lambda x: dc.pos(x - 1), lambda x: np.maximum(x - 1, 0)), "exp": (dc.exp, np.exp), "log": (dc.log, np.log), "expm1": (dc.expm1, np.expm1),
    "log1p": (dc.log1p, np.log1p), "log2": (dc.log2, np.log2), "log10": (dc.log10, np.log10), "entropy": (dc.entropy, lambda x: -x * np.log(x)),
    "logistic": (dc.logistic, lambda x: np.log1p(np.exp(x))), "inv_pos": (dc.inv_pos, lambda x: 1 / x), "x_exp": (dc.x_exp, lambda x: x * np.exp(x)),
    **{f: (getattr(dc, f), getattr(np, f)) for f in ("sin", "cos", "sinh", "cosh", "tanh")},
    "tan": (lambda x: dc.tan(x / 2), lambda x: np.tan(x / 2)), "asinh": (dc.asinh, np.arcsinh), "atan": (dc.atan, np.arctan), "atanh": (lambda x: dc.atanh(x / 3), lambda x: np.arctanh(x / 3)),
    "sigmoid": (dc.sigmoid, lambda x: 1 / (1 + np.exp(-x))), "norm_cdf": (dc.norm_cdf, normcdf), "erf": (dc.erf, lambda x: 2 * normcdf(x * 2**0.5) - 1),
    "huber": (lambda x: dc.huber(x, 1.2), lambda x: huber(x, 1.2)), "power": (lambda x: x**3, lambda x: x**3), "power of two": (lambda x: x**2, lambda x: x**2),
    "power that varies": (lambda x: x**x, lambda x: x**x), "power of a number": (lambda x: 2**x, lambda x: 2**x), "root": (lambda x: x**0.5, np.sqrt),
    "mul": (lambda x: x * x + x * Y + 2 * x, lambda x: x * x + x * Y + 2 * x), "division": (lambda x: x / Y + 3 / x + x / 2, lambda x: x / Y + 3 / x + x / 2),
    "kl": (lambda x: dc.kl(x, Y), lambda x: x * np.log(x / Y) - x + Y), "sum": (dc.sum, np.sum), "sum down": (lambda x: x.sum(0), lambda x: x.sum(0)),
    "sum across": (lambda x: x.sum(axis=1), lambda x: x.sum(1)), "cumsum": (dc.cumsum, np.cumsum), "cumsum down": (lambda x: dc.cumsum(x, 0), lambda x: np.cumsum(x, 0)), "mean": (lambda x: dc.mean(x) + dc.mean(x, 1), lambda x: x.mean() + x.mean(1)),
    "max": (dc.max, np.max), "max down": (lambda x: dc.max(x, axis=0), lambda x: x.max(0)), "max across": (lambda x: dc.max(x, axis=-1), lambda x: x.max(1)),
    "max of two": (lambda x: dc.max(x, Y, 1), lambda x: np.maximum(np.maximum(x, Y), 1)), "min": (dc.min, np.min),
    "min of two": (lambda x: dc.min(x, 1), lambda x: np.minimum(x, 1)), "norm1": (dc.norm1, lambda x: np.abs(x).sum()),
    "norm2": (lambda x: dc.norm2(x, axis=1), lambda x: np.linalg.norm(x, axis=1)), "norm_inf": (dc.norm_inf, lambda x: np.abs(x).max()),
    "norm_p": (lambda x: dc.norm_p(x, 3), lambda x: (np.abs(x) ** 3).sum() ** (1 / 3)), "sum_squares": (lambda x: dc.sum_squares(x, 0), lambda x: (x**2).sum(0)),
    "sum_largest": (lambda x: dc.sum_largest(x, 2), lambda x: np.sort(x.ravel())[-2:].sum()),
    "dot_sort": (lambda x: dc.dot_sort(x, W), lambda x: np.sort(x.ravel()) @ np.sort(W)), "log_sum_exp": (dc.log_sum_exp, lambda x: np.log(np.exp(x).sum())),
    "geo_mean": (lambda x: dc.geo_mean(x, 0), lambda x: np.sqrt(x.prod(0))),
    "weighted_geo_mean": (lambda x: dc.weighted_geo_mean(x, W), lambda x: np.exp(W @ np.log(x.ravel(order="F")) / W.sum())),
    "quad_over_lin": (lambda x: dc.quad_over_lin(x, x[0, 0]), lambda x: (x**2).sum() / x[0, 0]), "quad": (lambda x: dc.quad(x[:, 0], S), lambda x: x[:, 0] @ S @ x[:, 0]),
    "matmul": (lambda x: A @ x @ B, lambda x: A @ x @ B), "matmul of vectors": (lambda x: A[0] @ x[:, 0] + x[0] @ B[:, 0], lambda x: A[0] @ x[:, 0] + x[0] @ B[:, 0]),
    "matmul of a vector": (lambda x: x @ B[:, 0] + A[:2] @ x[:, 1], lambda x: x @ B[:, 0] + A[:2] @ x[:, 1]), "matmul of both": (lambda x: x @ x.T, lambda x: x @ x.T),
    "matmul of both, vectors": (lambda x: x @ x[0] + x[:, 1] @ x.reshape(2, 3)[:, 1], lambda x: x @ x[0] + x[:, 1] @ x[:, 1]),
    "entries": (lambda x: x[1, ::-1] - x[0], lambda x: x[1, ::-1] - x[0]), "reshape": (lambda x: x.reshape(3, 2) + x.T, lambda x: x.reshape(3, 2) + x.T),
    "broadcast": (lambda x: x + x[:, :1] * x[0] - np.arange(3.0), lambda x: x + x[:, :1] * x[0] - np.arange(3.0)), "neg": (lambda x: 1 - (-x), lambda x: 1 + x),
    "stack": (lambda x: dc.stack([x[0, 0], 2.0, x[1, 1]]) + dc.max([x[0, 0], x[0, 1]]), lambda x: np.array([x[0, 0], 2, x[1, 1]]) + max(x[0, 0], x[0, 1])),
    "stack of rows": (lambda x: dc.stack([x[0], x[1] + 1, 2.0]), lambda x: np.stack([x[0], x[1] + 1, np.full(3, 2.0)])),
    "iteration": (lambda x: sum(row[k] for k, row in enumerate(x)), lambda x: x[0, 0] + x[1, 1]),
}
MATRICES = {
    "log_det": (dc.log_det, lambda x: np.log(np.linalg.det(x))), "lambda_max": (dc.lambda_max, lambda x: np.linalg.eigvalsh(x)[-1]),
    "lambda_min": (dc.lambda_min, lambda x: np.linalg.eigvalsh(x)[0]), "lambda_sum_largest": (lambda x: dc.lambda_sum_largest(x, 2), np.trace),
    "spectral_norm": (dc.spectral_norm, lambda x: np.linalg.svd(x)[1][0]), "nuclear_norm": (dc.nuclear_norm, lambda x: np.linalg.svd(x)[1].sum()),
    "trace": (dc.trace, np.trace), "mat_frac": (lambda x: dc.mat_frac([1.0, 2.0], x), lambda x: np.array([1, 2]) @ np.linalg.inv(x) @ np.array([1, 2])),
}


@pytest.mark.parametrize("name", [*VALUES, *MATRICES])
def test_values(name):
    f, want = VALUES.get(name) or MATRICES[name]
    value = X if name in VALUES else S
    got = f(at(value, symmetric=True) if name in MATRICES else at(value, at_least=0, at_most=3)).value
    assert np.shape(got) == np.shape(want(value))
    np.testing.assert_allclose(got, want(value), rtol=1e-12, atol=1e-12)


def test_sparse_matrices():
    sp = need.module("scipy.sparse")
    a, b = sp.random(5, 2, 0.6, random_state=1, format="coo"), sp.random(3, 4, 0.5, random_state=2, format="csc")
    x = at(X)
    np.testing.assert_allclose(dc.matmul(a, x).value, a @ X)
    np.testing.assert_allclose((x @ b).value, X @ b.toarray())
    np.testing.assert_allclose(dc.matmul(a, x[:, 0]).value, a @ X[:, 0])
    with pytest.raises(TypeError, match=r"dc\.matmul\(A, x\)"):
        a @ x
    big = sp.eye(100_000, format="csr")
    assert dc.matmul(big, dc.Model().var("y", 100_000)).shape == (100_000,)


def test_each_function_has_a_value_and_a_docstring():
    tested = " ".join([*VALUES, *MATRICES])
    from dcopt import _arrays, _functions

    public = {name for m in (_arrays, _functions) for name, v in vars(m).items()
              if not name.startswith("_") and getattr(v, "__module__", None) == m.__name__ and callable(v)}
    assert public | {"Model"} == set(dc.__all__)
    for name in dc.__all__:
        assert getattr(dc, name).__doc__, name
        if name[0].islower() and name not in ("le", "ge", "eq", "between", "semidefinite"):
            assert name in tested, name


def test_words_of_go():
    """docs/go.md: what the language calls a function has here the name that it has in Go."""
    path = Path(__file__).resolve().parents[2] / "docs" / "go.md"
    need.that(path.is_file(), need.Thing.CHECKOUT, f"for {path.name}")
    rows = re.findall(r"^\| `([a-z_0-9]+)` \| (.*) \|$", path.read_text(), re.M)
    assert len(rows) > 50
    for word, go in rows:
        if word in ("re", "im", "conj", "cumsum", "conv", "kron", "complex", "psd", "symmetric", "start", "vec"):  # by other words, or of complex numbers
            continue
        for name in re.findall(r"`([A-Z]\w*)`", go):
            snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
            assert name.endswith("Of") or snake in dc.__all__, f"{word}: {name}"


def test_duals_and_names():
    m = dc.Model()
    x = m.var("x", 3)
    m.minimize(dc.sum_squares(x - [1.0, 2, 3]))
    total, floor = (dc.sum(x) == 3).named("total"), x >= 0.5
    m.subject_to(total, floor)
    r = m.solve(backend_tol=1e-10)
    assert r.status == "optimal" and r.objective == pytest.approx(3.375, abs=1e-6)
    np.testing.assert_allclose(r["x"], [0.5, 0.75, 1.75], atol=1e-5)
    np.testing.assert_allclose(2 * (r["x"] - [1, 2, 3]) + r.duals["total"] - r.duals["constraint_1"], 0, atol=1e-5)
    assert np.all(floor.dual >= -1e-9) and total.dual == r.duals["total"] and x.value is r["x"]
    assert "total" in m.to_dc() and dcopt.from_dc(m.to_dc()).solve().objective == pytest.approx(r.objective, abs=1e-6)


def test_between_and_semidefinite():
    m = dc.Model()
    x, s = m.var("x", (2, 2)), m.var("S", (2, 2), psd=True)
    m.minimize(dc.trace(s) - dc.sum(x))
    m.subject_to(dc.between(-1, x, [[1, 2], [3, 4]]).named("box"), (s[0, 1] == 1).named("off"), dc.semidefinite(s - 0.5 * np.eye(2)).named("cone"))
    r = m.solve(backend_tol=1e-10)
    assert r.objective == pytest.approx(-10 + 3, abs=1e-5)
    np.testing.assert_allclose(r.duals["box"], np.ones((2, 2)), atol=1e-5)
    assert r.duals["cone"].shape == (2, 2) and np.allclose(r.duals["cone"], r.duals["cone"].T)


def test_parameters_and_warm_starts():
    m = dc.Model()
    x, p, a = m.var("x", 2, at_least=-5, at_most=5), m.param("p", 2, [1.0, 2.0]), m.param("a", (2, 2), np.eye(2))
    m.minimize(dc.sum_squares(a @ x - p))
    for value, matrix in (([1.0, 2.0], np.eye(2)), ([3.0, 0.1], np.eye(2)), ([2.0, 2.0], 2 * np.eye(2))):
        p.value, a.value = value, matrix
        np.testing.assert_allclose(m.solve()["x"], np.linalg.solve(matrix, value), atol=1e-4)
    loaded = m._loaded
    p.value = 1.0
    assert np.allclose(m.solve()["x"], 0.5, atol=1e-4) and m._loaded is loaded
    p.value = [1.0, 2.0, 3.0]
    with pytest.raises(dcopt.ProblemError, match=r"p: the value has the shape \(3,\)"):
        m.solve()


def test_starts():
    m = dc.Model()
    x = m.var("x", at_least=-2, at_most=3, start_at=0.5)
    m.maximize(abs(x))
    assert m.solve(max_iter=1)["x"] == pytest.approx(3) and m.solve(start={"x": -0.5}, max_iter=1)["x"] == pytest.approx(-2)
    assert m.solve(max_iter=1)["x"] == pytest.approx(-2), "where the last one ended" and m.solve(max_iter=1, warm_start=False)["x"] == pytest.approx(3)


def test_no_solution():
    m = dc.Model()
    x = m.var("x", 2)
    m.minimize(dc.sum(x))
    r = m.solve()
    assert r.status == "unbounded" and x.value is None and np.isnan(r.objective) and not r.x
    m.subject_to((x >= 1).named("low"), (x <= 0).named("high"))
    assert m.solve().status == "infeasible"


def test_a_long_sum_is_not_a_recursion():
    m = dc.Model()
    x = m.var("x", 3000, at_least=1)
    total = 0
    for k in range(3000):
        total = total + x[k]
    m.minimize(total)
    assert m.solve().objective == pytest.approx(3000)


def test_proof_and_progress(capsys):
    m = dc.Model()
    x = m.var("x", at_least=-2, at_most=3)
    m.minimize(abs(x) - 2 * abs(x - 1))
    r = m.solve(global_=True, verbose=True)
    assert r.details["proved"] and r.bound <= -4 + 1e-5 and "dcopt: converged" in capsys.readouterr().out


def refused(f, words, error=dcopt.ProblemError):
    with pytest.raises(error, match=words):
        f()


def test_mistakes_are_errors_with_a_place():
    m = dc.Model()
    x, y = m.var("x", 3), m.var("y", (2, 2))
    for f, words in (
        (lambda: x + y, r"x: shapes do not go together: \(3,\), \(2, 2\)"), (lambda: y @ x, r"y: matrices of the shapes \(2, 2\) and \(3,\)"),
        (lambda: x + [1.0, np.nan, 2.0], "infinite or NaN"), (lambda: x / 0, "division by 0"), (lambda: m.var("x"), "the name x is taken"),
        (lambda: m.minimize(x), r"x: the objective has the shape \(3,\)"), (lambda: m.subject_to(True), "True is no constraint"), (lambda: x + "a", "data is 'a', want numbers"),
        (lambda: dc.max(x, 1, axis=0), "has no axis"), (lambda: m.var("a", 2, at_least=[1, 2, 3]), r"a: at_least has the shape \(3,\), want \(2,\)\nOne number"),
        (lambda: m.var("b", 2, start_at="high"), "b: start_at is 'high', want numbers"), (lambda: m.var("c", 2.5), "the shape is 2.5, want an integer"),
        (lambda: m.var("d", -1), "the shape is -1"), (lambda: m.var("", 1), "the name is ''"), (lambda: m.var("e", start_normal=(1, 2, 3)), "e: start_normal has the shape"),
        (lambda: dc.between([1, 2], x, 3), r"lo has the shape \(2,\), want \(3,\)"), (lambda: x.reshape(2, 2), r"x: 3 entries have no shape \(2, 2\)"),
        (lambda: y.sum(axis=2), r"y: axis is 2, the array has the shape \(2, 2\)\nAxes are 0 to 1"), (lambda: dc.norm2(y, axis="rows"), "axis is 'rows'"),
        (lambda: dc.quad(x, np.eye(2)), r"the matrix has the shape \(2, 2\), want \(3, 3\)"), (lambda: x.diag(), "has no diagonal"), (lambda: dc.huber(x, "a"), "m is 'a'"),
        (lambda: x ** "a", "p is 'a'"), (lambda: dc.sum_largest(x, [1, 2]), "k has the shape"), (lambda: dc.dot_sort(x, "ab"), "weights is 'ab'"),
        (lambda: dc.Model().param("q", 2, value=[1, 2, 3])._now(), r"q: the value has the shape \(3,\), want \(2,\)"),
    ):
        refused(f, words)
    refused(lambda: bool(0 <= x), "dc.between", TypeError)
    refused(lambda: bool(x), "no truth value", TypeError)
    refused(lambda: len(x[0]), "no length", TypeError)
    other = dc.Model()
    other.minimize(dc.sum(x))
    refused(other.solve, "x is of another model")
    m.minimize(dc.sum(x))
    refused(lambda: m.solve(strats=3), "Did you mean starts", dcopt.DcoptError)
    m.subject_to(dc.log_det(y @ y) >= 1)
    assert "log_det" in str(m.why_not()).replace("logdet", "log_det")
    refused(m.solve, "logdet", dcopt.DcoptError)


def test_dcopt_alone_states_and_solves():
    """Without CVXPY, SciPy and scikit-learn."""
    code = f"""import sys
sys.path[:] = {sys.path!r}
for name in ("cvxpy", "scipy", "sklearn"):
    sys.modules[name] = None
import numpy as np
from dcopt import dc
m = dc.Model()
c = m.var("c", (10, 2), start_normal=(0, 3))
r = np.linspace(1, 2, 10)
m.minimize(dc.max(dc.max(abs(c), axis=1) + r))
m.subject_to(*(dc.norm2(c[i] - c[j]) >= r[i] + r[j] for i in range(10) for j in range(i)))
result = m.solve(seed=1, starts=5)
print(result.status, result.objective < 5.3)
"""
    p = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert p.stdout == "optimal True\n", p.stderr


def test_copies_and_pickles_of_models():
    m = dc.Model()
    x = m.var("x", 2, at_least=0)
    m.minimize(dc.sum_squares(x - [1.0, 2.0]))
    m.subject_to((dc.sum(x) == 1).named("sum"))
    m.solve()
    for other in (copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        np.testing.assert_allclose(other.solve()["x"], [0, 1], atol=1e-5)


def test_data_are_those_of_the_statement():
    """An array that its owner changes later changes no problem."""
    m = dc.Model()
    x, data = m.var("x", 2, at_least=0, at_most=10), np.zeros(2)
    m.maximize(dc.sum(x))
    for data[:] in ([3, 1], [2, 5]):
        m.subject_to(x <= data)
    low = np.ones(2)
    m.var("y", 2, at_least=low, start_at=low)
    low[:] = 5
    assert m.solve()["x"] == pytest.approx([2, 1]) and m.solve()["y"] == pytest.approx([1, 1])
