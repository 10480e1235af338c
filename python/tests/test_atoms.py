"""Every function of CVXPY in both directions, as docs/python-atoms.md lists them.

`DCOPT_UPDATE=1 pytest python/tests/test_atoms.py` writes the page anew.
"""

import os
from pathlib import Path

import numpy as np
import need

need.module("cvxpy")
need.cvxpy((1, 9), "the page is of its functions")
import cvxpy as cp  # noqa: E402
from cvxpy.atoms.atom import Atom  # noqa: E402

import dcopt  # noqa: E402

PAGE = Path(__file__).parents[2] / "docs" / "python-atoms.md"
VERSION = "1.9"

x = cp.Variable(3, name="x", bounds=[-1, 2])
y = cp.Variable(3, name="y", bounds=[0.5, 2])
t = cp.Variable(name="t", bounds=[0.5, 2])
X = cp.Variable((2, 2), name="X", bounds=[-2, 2])
S = cp.Variable((2, 2), name="S", symmetric=True)
P = cp.Variable((2, 2), name="P", PSD=True)
N, p = cp.Variable((2, 2), name="N", pos=True), cp.Variable(2, name="p", pos=True)
A = np.array([[1.0, 2.0], [3.0, 4.0]])
W = np.array([[2.0, 0.5], [0.5, 1.0]])
v = np.array([1.0, 2.0, 3.0])


def support():
    z = cp.Variable(3)
    return cp.suppfunc(z, [cp.norm(z) <= 1])(x)


def perspective():
    z = cp.Variable()
    return cp.perspective(cp.square(z), cp.Variable(nonneg=True))


# An expression for each name. x is within [-1, 2], y and t within [0.5, 2].
USES = {
    "abs": lambda: cp.abs(x), "bmat": lambda: cp.bmat([[X, S]]), "broadcast_to": lambda: cp.broadcast_to(x, (2, 3)), "ceil": lambda: cp.ceil(x),
    "concatenate": lambda: cp.concatenate([x, y]), "condition_number": lambda: cp.condition_number(P + np.eye(2)), "conj": lambda: cp.conj(x),
    "conv": lambda: cp.conv(v, x), "convolve": lambda: cp.convolve(v, x), "cummax": lambda: cp.cummax(x), "cumprod": lambda: cp.cumprod(y),
    "cumsum": lambda: cp.cumsum(x), "cvar": lambda: cp.cvar(x, 0.5), "deep_flatten": lambda: cp.deep_flatten([x, y]), "diag": lambda: cp.diag(X),
    "diff": lambda: cp.diff(x), "diff_pos": lambda: cp.diff_pos(p[0], p[1]), "dist_ratio": lambda: cp.dist_ratio(x, v, 2 * v),
    "dotsort": lambda: cp.dotsort(x, v), "einsum": lambda: cp.einsum("i,i->", x, v), "entr": lambda: cp.entr(y), "exp": lambda: cp.exp(x),
    "eye_minus_inv": lambda: cp.eye_minus_inv(N), "floor": lambda: cp.floor(x), "gen_lambda_max": lambda: cp.gen_lambda_max(S, P), "geo_mean": lambda: cp.geo_mean(y),
    "gmatmul": lambda: cp.gmatmul(A, p), "harmonic_mean": lambda: cp.harmonic_mean(y), "hermitian_wrap": lambda: cp.hermitian_wrap(S), "hstack": lambda: cp.hstack([x, y]),
    "huber": lambda: cp.huber(x), "imag": lambda: cp.imag(x), "inv_pos": lambda: cp.inv_pos(y), "inv_prod": lambda: cp.inv_prod(y), "kl_div": lambda: cp.kl_div(y, y[::-1]),
    "kron": lambda: cp.kron(A, X), "lambda_max": lambda: cp.lambda_max(S), "lambda_min": lambda: cp.lambda_min(S), "lambda_sum_largest": lambda: cp.lambda_sum_largest(S, 1),
    "lambda_sum_smallest": lambda: cp.lambda_sum_smallest(S, 1), "length": lambda: cp.length(x), "log": lambda: cp.log(y), "log1p": lambda: cp.log1p(y), "log_det": lambda: cp.log_det(P),
    "log_normcdf": lambda: cp.log_normcdf(x), "log_sum_exp": lambda: cp.log_sum_exp(x), "loggamma": lambda: cp.loggamma(y), "logistic": lambda: cp.logistic(x),
    "matmul": lambda: cp.matmul(X, S), "matrix_frac": lambda: cp.matrix_frac(x[:2], P + np.eye(2)), "max": lambda: cp.max(x), "maximum": lambda: cp.maximum(x, y),
    "mean": lambda: cp.mean(x), "min": lambda: cp.min(x), "minimum": lambda: cp.minimum(x, y), "mixed_norm": lambda: cp.mixed_norm(X, 2, 1), "moveaxis": lambda: cp.moveaxis(X, 0, 1),
    "multiply": lambda: cp.multiply(x, y), "neg": lambda: cp.neg(x), "norm": lambda: cp.norm(x), "norm1": lambda: cp.norm1(x), "norm2": lambda: cp.norm2(x), "normNuc": lambda: cp.normNuc(X),
    "norm_inf": lambda: cp.norm_inf(x), "one_minus_pos": lambda: cp.one_minus_pos(N), "outer": lambda: cp.outer(x, v), "partial_trace": lambda: cp.partial_trace(cp.kron(A, X), (2, 2), 0),
    "partial_transpose": lambda: cp.partial_transpose(cp.kron(A, X), (2, 2), 0), "permute_dims": lambda: cp.permute_dims(X, (1, 0)),
    "perspective": perspective,
    "pf_eigenvalue": lambda: cp.pf_eigenvalue(N), "pnorm": lambda: cp.pnorm(x, 3), "pos": lambda: cp.pos(x), "power": lambda: cp.power(y, 1.5), "prod": lambda: cp.prod(x),
    "promote": lambda: cp.promote(t, (2,)), "psd_wrap": lambda: cp.psd_wrap(X), "ptp": lambda: cp.ptp(x), "quad_form": lambda: cp.quad_form(x[:2], np.diag([1.0, -1.0])),
    "quad_over_lin": lambda: cp.quad_over_lin(x, t), "quantum_cond_entr": lambda: cp.quantum_cond_entr(cp.Variable((4, 4), PSD=True), [2, 2]),
    "quantum_rel_entr": lambda: cp.quantum_rel_entr(P, P + np.eye(2)), "real": lambda: cp.real(x), "rel_entr": lambda: cp.rel_entr(y, y[::-1]), "reshape": lambda: cp.reshape(X, (4,), order="F"),
    "resolvent": lambda: cp.resolvent(N, 1), "scalar_product": lambda: cp.scalar_product(x, v), "scalene": lambda: cp.scalene(x, 1, 2), "sigma_max": lambda: cp.sigma_max(X),
    "sign": lambda: cp.sign(x), "skew_symmetric_wrap": lambda: cp.skew_symmetric_wrap(X), "sqrt": lambda: cp.sqrt(y), "square": lambda: cp.square(x), "squeeze": lambda: cp.squeeze(cp.reshape(x, (1, 3), order="F")),
    "stack": lambda: cp.stack([x, y]), "std": lambda: cp.std(x), "sum": lambda: cp.sum(x), "sum_largest": lambda: cp.sum_largest(x, 2), "sum_smallest": lambda: cp.sum_smallest(x, 2),
    "sum_squares": lambda: cp.sum_squares(x), "suppfunc": support, "swapaxes": lambda: cp.swapaxes(X, 0, 1), "symmetric_wrap": lambda: cp.lambda_max(cp.symmetric_wrap(X)),
    "tr_inv": lambda: cp.tr_inv(P + np.eye(2)), "trace": lambda: cp.trace(X), "transpose": lambda: cp.transpose(X), "tv": lambda: cp.tv(x), "upper_tri": lambda: cp.upper_tri(X),
    "var": lambda: cp.var(x), "vdot": lambda: cp.vdot(x, v), "vec": lambda: cp.vec(X, order="F"), "vec_to_upper_tri": lambda: cp.vec_to_upper_tri(x), "von_neumann_entr": lambda: cp.von_neumann_entr(P),
    "vstack": lambda: cp.vstack([x, y]), "xexp": lambda: cp.xexp(y),
}

# Classes behind the functions, and what is no function of variables.
OTHERS = {
    "AddExpression", "CallbackParam", "Cone", "Constant", "Constraint", "CvxpyDeprecationWarning", "DCPError", "DGPError", "DPPError", "ExpCone", "Expression", "FiniteSet", "GeoMean",
    "GeoMeanApprox", "MatrixFrac", "Maximize", "Minimize", "MulExpression", "NonNeg", "NonPos", "Objective", "OpRelEntrConeQuad", "PSD", "Parameter", "Pnorm", "PnormApprox", "PowCone3D",
    "PowCone3DApprox", "PowConeND", "Power", "PowerApprox", "Problem", "Prod", "QuadForm", "RelEntrConeQuad", "SOC", "SolverError", "Sum", "Trace", "Variable", "Zero", "disable_warnings",
    "enable_warnings", "get_num_threads", "installed_solvers", "linearize", "set_num_threads", "warnings_enabled",
}


def answer(objective):
    why = dcopt.why_not(cp.Problem(objective))
    if why is None:
        return "yes"
    text = str(why).splitlines()[0].partition(": ")[2] or str(why)
    return text.split(": ")[-1]


def table():
    rows = []
    for name, make in sorted(USES.items(), key=lambda u: u[0].lower()):
        e = make()
        e = e if e.is_scalar() else cp.sum(e)
        rows.append((name, answer(cp.Minimize(e)), answer(cp.Maximize(e))))
    return rows


def page(rows):
    yes = sum(r[k] == "yes" for r in rows for k in (1, 2))
    head = f"""# CVXPY's functions

What `prob.solve(method="dcopt")` takes of the functions of CVXPY {VERSION}, minimised and maximised: {yes} of {2 * len(rows)}, or the reason. Of arrays it is the sum of the entries.
The arguments are variables with bounds; [modelling](modelling.md) has what bounds are good for. Functions that have no split of an argument that is not affine get a variable in its place.
`pytest python/tests/test_atoms.py` compares this page with the package.

| function | minimised | maximised |
|---|---|---|
"""
    return head + "".join(f"| `{n}` | {a} | {b} |\n" for n, a, b in rows)


def test_every_function_is_listed():
    names = {n for n in dir(cp) if not n.startswith("_") and callable(getattr(cp, n))}
    assert names - OTHERS == set(USES)
    classes = {c.__name__ for c in vars(cp).values() if isinstance(c, type) and issubclass(c, Atom)}
    assert classes - OTHERS <= set(USES)


def test_page_of_functions():
    rows = table()
    if os.environ.get("DCOPT_UPDATE"):
        PAGE.write_text(page(rows), encoding="utf-8")
    need.that(PAGE.exists(), need.Thing.CHECKOUT, f"for {PAGE.name}")
    assert PAGE.read_text(encoding="utf-8") == page(rows), "run it with DCOPT_UPDATE=1"
    assert sum(r[k] == "yes" for r in rows for k in (1, 2)) >= 180


def test_relative_entropy_of_matrices():
    """Of matrices with one trace it is at least 0, which it is where both are equal. The value of CVXPY's expression is another one unless that trace is 1."""
    m = np.array([[2.0, 0.5], [0.5, 1.0]])
    z = cp.Variable((2, 2), symmetric=True)
    prob = cp.Problem(cp.Minimize(cp.quantum_rel_entr(m, z)), [cp.trace(z) == np.trace(m)])
    assert abs(prob.solve(method="dcopt")) < 1e-4
    np.testing.assert_allclose(z.value, m, atol=1e-2)
