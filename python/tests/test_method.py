"""prob.solve(method="dcopt")."""

import copy
import gc
import math
import pickle
import re
import sys
import types
import weakref

import numpy as np
import pytest

import need

cp = need.module("cvxpy")

import dcopt  # noqa: E402
from dcopt._worker import Stop  # noqa: E402


def solve(problem, **settings):
    return problem.solve(method="dcopt", **settings)


def test_convex_with_duals():
    x = cp.Variable(3, name="x")
    prob = cp.Problem(cp.Minimize(cp.sum_squares(x - np.array([1.0, 2, 3]))), [cp.sum(x) == 3, x >= 0.5])
    value = solve(prob)
    assert prob.status == cp.OPTIMAL
    mine = [x.value, prob.constraints[0].dual_value, prob.constraints[1].dual_value]
    prob.solve(solver=cp.CLARABEL)
    theirs = [x.value, prob.constraints[0].dual_value, prob.constraints[1].dual_value]
    assert value == pytest.approx(prob.value, abs=1e-6)
    for a, b in zip(mine, theirs):
        np.testing.assert_allclose(a, b, atol=1e-5)


def test_difference_of_convex():
    x = cp.Variable(2, name="x")
    prob = cp.Problem(cp.Maximize(cp.norm(x)), [cp.norm(x - np.array([1.0, 0])) <= 1, x[1] >= 0])
    assert solve(prob) == pytest.approx(2, abs=1e-5)
    assert prob.solver_stats.extra_stats["feasible"]


def test_packing():
    n = 10
    r = np.linspace(1, 2, n)
    c = cp.Variable((n, 2), name="c")
    apart = [cp.norm(c[i] - c[j], 2) >= r[i] + r[j] for i in range(n) for j in range(i)]
    prob = cp.Problem(cp.Minimize(cp.max(cp.max(cp.abs(c), axis=1) + r)), apart)
    value = solve(prob, seed=1, starts=5)
    assert prob.status == cp.OPTIMAL and value < 5.3
    assert min(float(np.min(k.args[1].value - k.args[0].value)) for k in apart) >= -1e-5


def test_products():
    x, y = cp.Variable(nonneg=True, name="x"), cp.Variable(nonneg=True, name="y")
    prob = cp.Problem(cp.Minimize(x + 2 * y), [x * y >= 2, x <= 10, y <= 10])
    assert solve(prob) == pytest.approx(4, abs=1e-5)
    a = np.array([[2.0, 1], [0, 3]])
    m = cp.Variable((2, 2), name="m")
    prob = cp.Problem(cp.Minimize(cp.sum_squares(m @ m - a)))
    assert solve(prob) == pytest.approx(0, abs=1e-5)


def test_parameters_without_recompiling():
    rng = np.random.default_rng(1)
    a, b = cp.Parameter((6, 3), name="a"), cp.Parameter(6, name="b")
    weight = cp.Parameter(nonneg=True, name="weight")
    x = cp.Variable(3, name="x")
    prob = cp.Problem(cp.Minimize(cp.norm(a @ x - b) + cp.exp(weight) * cp.norm1(x)))
    from dcopt._method import _Kept

    graph = None
    for _ in range(4):
        a.value, b.value, weight.value = rng.standard_normal((6, 3)), rng.standard_normal(6), rng.uniform()
        mine = solve(prob)
        assert graph is None or graph is _Kept.of(prob).loaded
        graph = _Kept.of(prob).loaded
        prob.solve(solver=cp.CLARABEL, ignore_dpp=True)
        assert mine == pytest.approx(prob.value, abs=1e-5)


def test_parameter_that_shapes_the_problem():
    p = cp.Parameter(nonneg=True, value=1.0)
    x = cp.Variable(3, name="x")
    prob = cp.Problem(cp.Minimize(cp.sum(cp.huber(x, p))), [x == np.array([1.0, 5, -3])])
    for p.value in (1.0, 2.0):
        assert solve(prob) == pytest.approx(float(np.sum(cp.huber(np.array([1.0, 5, -3]), p.value).value)), abs=1e-5)


def test_statuses():
    x = cp.Variable(name="x")
    prob = cp.Problem(cp.Minimize(x), [x >= 1, x <= 0])
    assert solve(prob) == np.inf and prob.status == cp.INFEASIBLE and x.value is None
    prob = cp.Problem(cp.Maximize(x), [x >= 1])
    assert solve(prob) == np.inf and prob.status == cp.UNBOUNDED
    prob = cp.Problem(cp.Minimize(x), [x >= 1])
    assert solve(prob) == pytest.approx(1, abs=1e-6) and prob.status == cp.OPTIMAL


def test_complex():
    z = cp.Variable(2, complex=True, name="z")
    prob = cp.Problem(cp.Minimize(cp.norm(z - np.array([1 + 2j, 3]))), [cp.abs(z) <= 2])
    mine, at = solve(prob), z.value
    prob.solve(solver=cp.CLARABEL)
    assert mine == pytest.approx(prob.value, abs=1e-6)
    np.testing.assert_allclose(at, z.value, atol=1e-4)


def test_semidefinite():
    x = cp.Variable((3, 3), PSD=True, name="X")
    c = np.array([[2.0, 1, 0], [1, 3, 1], [0, 1, 1]])
    prob = cp.Problem(cp.Minimize(cp.trace(c @ x)), [cp.trace(x) == 1, x[0, 1] == 0.1])
    mine = solve(prob)
    prob.solve(solver=cp.CLARABEL)
    assert mine == pytest.approx(prob.value, abs=1e-6)


def test_refusals_have_a_place_and_change_nothing():
    x = cp.Variable(2, name="x")
    x.value = np.array([3.0, 4.0])
    prob = cp.Problem(cp.Minimize(cp.sum(cp.sign(x))))
    with pytest.raises(dcopt.UnsupportedError, match=r"sign\(x\)"):
        solve(prob)
    np.testing.assert_array_equal(x.value, [3, 4])
    assert prob.status is None
    assert not dcopt.is_dc(prob) and "sign" in str(dcopt.why_not(prob))
    b = cp.Variable(boolean=True, name="b")
    with pytest.raises(dcopt.UnsupportedError, match="boolean"):
        solve(cp.Problem(cp.Minimize(b)))
    p = cp.Parameter(name="p")
    with pytest.raises(dcopt.DcoptError, match="no value"):
        solve(cp.Problem(cp.Minimize(cp.sum_squares(x - p))))
    with pytest.raises(dcopt.DcoptError):
        solve(cp.Problem(cp.Minimize(cp.sum_squares(x))), no_such_setting=1)


def test_to_dc_and_back(tmp_path, the_program):
    import json
    import subprocess

    x = cp.Variable(3, name="x")
    p = cp.Parameter(3, name="p", value=np.array([1.0, -2, 0.5]))
    prob = cp.Problem(cp.Minimize(cp.sum_squares(x - p) - 0.1 * cp.norm(x)), [cp.sum(x) == 1])
    value = solve(prob)
    f = tmp_path / "problem.dc"
    f.write_text(dcopt.to_dc(prob))
    out = subprocess.run([the_program, "solve", "--json", str(f)], stdout=subprocess.PIPE, check=True).stdout
    assert json.loads(out)["objective"] == pytest.approx(value, abs=1e-6)


def test_dccp_by_name():
    dcopt.replace_dccp()
    x = cp.Variable(2, name="x")
    y = cp.Variable(2, name="y")
    prob = cp.Problem(cp.Maximize(cp.norm(x - y, 2)), [x >= 0, x <= 1, y >= 0, y <= 1])
    assert prob.solve(method="dccp", k_ccp=5, tau_ini=0.01, seed=1, solver="ECOS") == pytest.approx(np.sqrt(2), abs=1e-5)


FUNCTIONS = {
    "abs": lambda x: cp.abs(x), "exp": lambda x: cp.exp(x), "log": lambda x: -cp.log(x + 3), "log1p": lambda x: -cp.log1p(x + 2), "entr": lambda x: -cp.entr(x + 3),
    "logistic": lambda x: cp.logistic(x), "maximum": lambda x: cp.maximum(x, 0.5, -x), "max axis": lambda x: cp.max(x, axis=1), "sqrt": lambda x: -cp.sqrt(x + 3),
    "minimum": lambda x: -cp.minimum(x, 1), "norm1": lambda x: cp.norm1(x), "norm axis": lambda x: cp.norm(x, 2, axis=1), "norm_inf": lambda x: cp.norm_inf(x),
    "pnorm": lambda x: cp.pnorm(x, 3), "log_sum_exp": lambda x: cp.log_sum_exp(x, axis=0), "sum_largest": lambda x: cp.sum_largest(x, 2), "square": lambda x: cp.square(x),
    "power 4": lambda x: cp.power(x, 4), "power 1.5": lambda x: cp.power(x + 3, 1.5), "inv_pos": lambda x: cp.inv_pos(x + 3), "quad_over_lin": lambda x: cp.quad_over_lin(x, 2 + cp.sum(x) / 10),
    "geo_mean": lambda x: -cp.geo_mean(cp.vec(x + 3, order="F")), "huber": lambda x: cp.huber(x, 0.7), "kl_div": lambda x: cp.kl_div(x + 3, 2), "rel_entr": lambda x: cp.rel_entr(x + 3, 2),
    "sigma_max": lambda x: cp.sigma_max(x), "norm_nuc": lambda x: cp.normNuc(x), "quad_form": lambda x: cp.quad_form(x[:, 0], np.array([[2.0, 1], [1, 3]])), "cummax": lambda x: cp.cummax(x, axis=1),
    "kron": lambda x: cp.abs(cp.kron(np.array([[1.0, -2]]), x)), "cumsum": lambda x: cp.square(cp.cumsum(x, axis=1)), "tv": lambda x: cp.tv(x), "mixed_norm": lambda x: cp.mixed_norm(x, 2, 1),
    "dotsort": lambda x: cp.dotsort(cp.vec(x, order="F"), np.array([3.0, 1])), "xexp": lambda x: cp.xexp(x + 3), "diff": lambda x: cp.square(cp.diff(x, axis=1)), "prod": lambda x: cp.square(x[0, 0] * x[0, 1] * x[1, 2] - 1),
}

try:  # CVXPY 1.9 has functions that are neither convex nor concave
    from cvxpy.atoms.elementwise import hyperbolic, trig
    from cvxpy.atoms.elementwise.normcdf import normcdf
except ImportError:
    SMOOTH = {}
else:
    SMOOTH = {
        "sin": trig.sin, "cos": trig.cos, "tan": lambda x: trig.tan(x / 2), "sinh": hyperbolic.sinh, "tanh": hyperbolic.tanh,
        "asinh": hyperbolic.asinh, "atanh": lambda x: hyperbolic.atanh(x / 4), "normcdf": normcdf,
        "a product": lambda x: cp.multiply(trig.sin(x), trig.cos(x)),
    }
    FUNCTIONS.update(SMOOTH)


if SMOOTH:
    def test_a_fit_of_a_sine():
        t = np.arange(40) * 0.3
        y = 1.3 * np.sin(0.8 * t + 0.4)
        a, w, f = cp.Variable(name="a", bounds=[0, 5]), cp.Variable(name="w", bounds=[0.1, 3]), cp.Variable(name="f", bounds=[-3.2, 3.2])
        assert solve(cp.Problem(cp.Minimize(cp.sum_squares(a * trig.sin(w * t + f) - y))), effort="normal") == pytest.approx(0, abs=1e-8)
        assert [float(v.value) for v in (a, w, f)] == pytest.approx([1.3, 0.8, 0.4], abs=1e-4)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_have_their_values(name):
    """Each function at a fixed point has the value that CVXPY gives it."""
    at = np.array([[0.3, -1.2, 2.0], [-0.4, 1.5, 0.1]])
    x = cp.Variable((2, 3), name="x")
    f = cp.sum(FUNCTIONS[name](x))
    assert solve(cp.Problem(cp.Minimize(f), [x == at])) == pytest.approx(float(cp.sum(FUNCTIONS[name](cp.Constant(at))).value), rel=1e-5, abs=1e-5)


def test_functions_by_name():
    at = np.array([[0.3, -1.2, 2.0], [-0.4, 1.5, 0.1]])
    x = cp.Variable((2, 3), name="x", bounds=[-3, 3])
    want = [[math.erf(v) for v in row] for row in at]
    assert dcopt.apply("erf", at).value == pytest.approx(np.array(want))
    f = cp.sum(dcopt.apply("erf", 2 * x - x))
    assert solve(cp.Problem(cp.Minimize(f), [x == at])) == pytest.approx(np.sum(want), rel=1e-5)
    assert float(f.value) == pytest.approx(np.sum(want), rel=1e-5)
    assert str(dcopt.apply("erf", x).copy()) == "erf(x)"
    with pytest.raises(dcopt.UnsupportedError, match="no function ersatz"):
        dcopt.apply("ersatz", x)


def test_parameters_that_multiply_each_other():
    x0 = cp.Parameter(name="x0")
    x, y = cp.Variable(name="x"), cp.Variable(name="y")
    g = x0 * x0 + 2 * x0 * (x - x0) - y
    prob = cp.Problem(cp.Minimize(cp.abs(x - 1)), [g == 0])
    for x0.value in (2.0, 1.0, -3.0):
        assert solve(prob) == pytest.approx(0, abs=1e-6)
        assert float(g.value) == pytest.approx(0, abs=1e-6)


def test_kron_of_a_parameter():
    c = cp.Parameter((2, 2), name="c", value=np.array([[0.5, 0.2], [0.1, 0.9]]))
    z = cp.Variable((1, 2), name="z")
    want = np.array([[0.3, 0.7]])
    prob = cp.Problem(cp.Minimize(cp.sum(z)), [cp.kron(z, c) >= cp.kron(want, c), z >= 0])
    solve(prob)
    np.testing.assert_allclose(z.value, want, atol=1e-5)


def test_constraints_on_data_alone():
    p = cp.Parameter(name="p", value=0.0)
    x = cp.Variable(name="x")
    prob = cp.Problem(cp.Minimize(x), [p == 1, x >= 2])
    assert solve(prob) == np.inf and prob.status == cp.INFEASIBLE
    p.value = 1.0
    assert solve(prob) == pytest.approx(2, abs=1e-6) and prob.status == cp.OPTIMAL
    assert solve(cp.Problem(cp.Minimize(x), [x >= 2, True])) == pytest.approx(2, abs=1e-6)


def test_matrix_functions_make_their_argument_symmetric():
    a = cp.Variable((2, 2), name="A")
    prob = cp.Problem(cp.Maximize(cp.lambda_min(a)), [cp.trace(a) == 4, a[0, 1] == 1])
    assert solve(prob) == pytest.approx(1, abs=1e-5)
    np.testing.assert_allclose(a.value, a.value.T, atol=1e-6)


def test_noise_of_the_last_solution_is_no_size():
    p = cp.Parameter(name="p", value=-1.0)
    x, y = cp.Variable(name="x"), cp.Variable(name="y")
    prob = cp.Problem(cp.Minimize(cp.abs(x - 1)), [2 * x - y + p == 0, x + y >= 0])
    y.value, x.value = 5e-16, 1.0
    assert solve(prob) == pytest.approx(0, abs=1e-6)


def test_parts_of_complex_variables_that_nothing_depends_on():
    z = cp.Variable(2, complex=True, name="z")
    assert solve(cp.Problem(cp.Minimize(cp.sum_squares(cp.real(z) - 1)))) == pytest.approx(0, abs=1e-6)
    np.testing.assert_allclose(z.value, [1, 1], atol=1e-5)


def test_matrices_in_an_array():
    need.cvxpy((1, 6), "for arrays of three dimensions")
    x = cp.Variable((2, 2, 2), symmetric=True, name="X")
    prob = cp.Problem(cp.Minimize(cp.trace(x[0]) + 2 * cp.trace(x[1])), [x >> 0, x[0, 0, 1] >= 1, x[1, 1, 0] >= 2])
    assert solve(prob) == pytest.approx(10, abs=1e-5)
    np.testing.assert_allclose(x.value, x.value.transpose(0, 2, 1), atol=1e-6)
    y = prob.constraints[0].dual_value
    np.testing.assert_allclose(np.sum(y * x.value, axis=(1, 2)), 0, atol=1e-4)
    np.testing.assert_allclose(y, [[[1, -1], [-1, 1]], [[2, -2], [-2, 2]]], atol=1e-3)
    z = cp.Variable((2, 2, 2), NSD=True, name="Z")
    assert solve(cp.Problem(cp.Maximize(cp.sum(z)), [z[0, 0, 1] == 1, z[1] == -np.eye(2)])) == pytest.approx(-2, abs=1e-5)


def test_duals_of_complex_cones():
    z, t = cp.Variable(2, complex=True, name="z"), cp.Variable(name="t")
    a = np.array([1 + 2j, -1j])
    cone, real, hermitian = cp.SOC(t, z), cp.SOC(cp.Constant(4), cp.hstack([t, t])), cp.Variable((2, 2), hermitian=True, name="H")
    prob = cp.Problem(cp.Minimize(t + cp.real(cp.trace(hermitian))), [cone, real, z == a, hermitian >> np.array([[0, 1j], [-1j, 0]])])
    assert solve(prob) == pytest.approx(np.sqrt(6), abs=1e-5)
    y, u = cone.dual_value
    assert y == pytest.approx(1, abs=1e-5)
    np.testing.assert_allclose(u, -a / np.sqrt(6), atol=1e-5)  # the unit vector against z
    np.testing.assert_allclose(np.abs(prob.constraints[2].dual_value), np.abs(a) / np.sqrt(6), atol=1e-5)
    assert real.dual_value[1].shape == (2,) and np.allclose(prob.constraints[3].dual_value, np.eye(2), atol=1e-4)


def test_multipliers_of_a_power_cone_at_zero():
    w, z = cp.Variable(3, name="w"), cp.Variable(name="z")
    cone = cp.PowConeND(w, z, np.array([0.5, 0.25, 0.25]))
    prob = cp.Problem(cp.Minimize(w[0]), [cone, z == 0, w[1:] == 1])
    assert solve(prob) == pytest.approx(0, abs=1e-6)
    np.testing.assert_allclose(cone.dual_value[0], [1, 0, 0], atol=1e-4)


def test_tolerance_of_the_backend():
    x = cp.Variable(3, name="x")
    prob = cp.Problem(cp.Minimize(cp.sum(cp.power(x, 4)) + cp.exp(cp.sum(x))))
    errors = []
    for tol in (1e-8, 1e-11):
        solve(prob, backend_tol=tol, warm_start=False)
        errors.append(np.max(np.abs(4 * x.value**3 + np.exp(np.sum(x.value)))))
    assert max(errors) < 1e-6  # of the first the point is polished
    with pytest.raises(dcopt.DcoptError, match="backend_tol"):
        solve(prob, backend_tol=-1.0)


def test_geometric_programs():
    x, y, z = (cp.Variable(pos=True, name=n) for n in "xyz")
    p = cp.Parameter(pos=True, name="p", value=4.0)
    prob = cp.Problem(cp.Maximize(x * y * z), [p * x * y * z + 2 * x * z <= 10, x <= 2 * y, y <= 2 * x, z >= 1])
    for p.value in (4.0, 2.0):
        value = solve(prob, gp=True)
        point = [v.value for v in (x, y, z)]
        prob.solve(solver=cp.CLARABEL, gp=True)
        assert value == pytest.approx(prob.value, rel=1e-4)
        np.testing.assert_allclose(point, [v.value for v in (x, y, z)], rtol=1e-3)
    with pytest.raises(dcopt.CurvatureError, match="geometric"):
        solve(cp.Problem(cp.Minimize(x - y)), gp=True)


def test_complex_parameters_may_change():
    a = cp.Parameter(2, complex=True, name="a", value=np.array([1j, 2]))
    z = cp.Variable(2, complex=True, name="z")
    prob = cp.Problem(cp.Minimize(cp.norm(z - a)), [cp.abs(z) <= 1])
    for a.value in (np.array([1j, 2]), np.array([3, -4j])):
        assert solve(prob) == pytest.approx(np.linalg.norm(np.maximum(np.abs(a.value) - 1, 0)), abs=1e-5)
        np.testing.assert_allclose(z.value, a.value / np.abs(a.value), atol=1e-4)


def test_functions_by_the_cones_of_cvxpy():
    """What dcopt lacks, in problems that are convex by CVXPY's rules."""
    need.cvxpy((1, 8), "for sum_largest of 1.5")
    from cvxpy.transforms.partial_optimize import partial_optimize

    x, t = cp.Variable(3, nonneg=True, name="x"), cp.Variable(nonneg=True, name="t")
    in_order = [cp.sum(x) == 3, x <= 2]
    y = cp.Variable(2, name="y")
    inner = cp.Variable(3, name="inner")
    part = partial_optimize(cp.Problem(cp.Minimize(cp.sum(inner)), [inner >= x - 1, inner >= 1 - x]), [inner], [x])
    for prob, value in (
        (cp.Problem(cp.Maximize(cp.pnorm(x, 0.5)), in_order), 9), (cp.Problem(cp.Maximize(cp.pnorm(x, -1)), in_order), 1 / 3),
        (cp.Problem(cp.Minimize(cp.perspective(cp.sum_squares(y), t) + t), [y >= 1]), np.sqrt(8)),
        (cp.Problem(cp.Minimize(cp.transforms.indicator([x >= 1]) + cp.sum_squares(x))), 3),
        (cp.Problem(cp.Maximize(cp.geo_mean(x, [0, 0, 1])), in_order), 2), (cp.Problem(cp.Maximize(cp.geo_mean(x, [0, 1, 1])), in_order), 1.5),
        (cp.Problem(cp.Minimize(part), [x[0] == 3, x[1:] == 0.5]), 3),
        (cp.Problem(cp.Minimize(cp.sum_largest(x, 1.5)), [x >= np.array([1, 2, 4])]), 5),
    ):
        assert solve(prob) == pytest.approx(value, abs=1e-4)
    assert solve(cp.Problem(cp.Minimize(cp.pnorm(x, 0.5)), in_order), seed=1) == pytest.approx((1 + np.sqrt(2)) ** 2, abs=1e-3)  # at a vertex


def test_entries_that_are_not_used_have_a_domain():
    x = cp.Variable((2, 2), name="x")
    f = cp.log(1 - cp.exp(x))
    assert solve(cp.Problem(cp.Maximize(cp.trace(f) + x[0, 1]), [x >= -1, x[0, 0] == -1, x[1, 1] == -1])) == pytest.approx(2 * np.log(1 - np.exp(-1)), abs=1e-5)


def test_dccp_with_options_of_its_solver():
    x = cp.Variable(name="x")
    prob = cp.Problem(cp.Minimize(cp.sqrt(x + 1)), [x >= 3])
    assert dcopt.as_dccp(prob, max_iter=50, solver="SCS", eps=1e-3, max_slack=1e-3, verify_dccp=False) == pytest.approx(2, abs=1e-6)


def test_a_parameter_without_value_is_cvxpys_error():
    p = cp.Parameter(name="p")
    with pytest.raises(cp.error.ParameterError):
        solve(cp.Problem(cp.Minimize(cp.square(cp.Variable() - p))))


def test_functions_of_an_empty_array_have_their_domain():
    """CVXPY calls what is made of no entries a constant."""
    need.cvxpy((1, 7), "for arrays without entries")
    x = cp.Variable()
    nothing = cp.log(x - 1) + cp.log(2 - x) + np.array([])
    assert solve(cp.Problem(cp.Maximize(cp.sum(nothing)))) == 0 and 1 < x.value < 2


@pytest.mark.parametrize("n", [2, 3])
def test_perspective_of_a_function_of_a_matrix(n):
    """matrix_frac is its own perspective. Its cone is a matrix by its triangle."""
    need.that("CLARABEL" in cp.installed_solvers(), need.Thing.CLARABEL, "perspectives of functions of matrices are stated as for it")
    need.that(hasattr(cp, "perspective"), need.Thing.CVXPY, "for perspective")
    x, p, s = cp.Variable(n), cp.Variable((n, n), PSD=True), cp.Variable(nonneg=True)
    a = np.arange(1.0, n + 1)
    b = np.eye(n) + .3
    prob = cp.Problem(cp.Minimize(cp.perspective(cp.matrix_frac(x, p), s)), [x == a, p == b, s == 2])
    assert solve(prob) == pytest.approx(a @ np.linalg.solve(b, a), rel=1e-5)


def test_nan_is_a_value_error_with_a_place():
    x = cp.Variable(2, name="x", value=[1.0, 2.0])
    for objective, rules, place in ((cp.sum(x) * np.nan, [x >= 0], "nan"), (cp.sum(np.array([np.inf, 1]) @ x), [x >= 1], "inf"),
                                    (cp.sum(x), [x >= np.array([1, np.nan])], "nan")):
        with pytest.raises(dcopt.ProblemError, match="contains NaN") as e:
            cp.Problem(cp.Minimize(objective), rules).solve(method="dcopt")
        assert isinstance(e.value, ValueError) and place in e.value.place and e.value.help
        np.testing.assert_array_equal(x.value, [1.0, 2.0])
    assert solve(cp.Problem(cp.Minimize(cp.sum(x)), [x >= 1, x <= np.inf])) == pytest.approx(2)


def test_parametric_loops_give_what_a_new_problem_gives():
    """Vectors, matrices and weights of convex functions as parameters, the variables left as they are or changed between."""
    rng = np.random.default_rng(4)
    x, a, b, lam = cp.Variable(4), cp.Parameter((6, 4)), cp.Parameter(6), cp.Parameter(nonneg=True)
    prob = cp.Problem(cp.Minimize(cp.sum_squares(a @ x - b) + lam * cp.norm1(x)), [cp.sum(x) <= 1])
    for k in range(8):
        a.value, b.value, lam.value = rng.normal(size=(6, 4)), rng.normal(size=6), rng.uniform(0, 3)
        if k == 5:
            x.value = rng.normal(size=4)
        solve(prob)
        y = cp.Variable(4)
        new = cp.Problem(cp.Minimize(cp.sum_squares(a.value @ y - b.value) + lam.value * cp.norm1(y)), [cp.sum(y) <= 1])
        solve(new)
        assert prob.value == pytest.approx(new.value, rel=1e-6, abs=1e-7)
        np.testing.assert_allclose(x.value, y.value, atol=1e-4)
        np.testing.assert_allclose(prob.constraints[0].dual_value, new.constraints[0].dual_value, atol=1e-4)


def packing(n):
    c = cp.Variable((n, 2), name="c")
    return cp.Problem(cp.Minimize(cp.max(cp.abs(c))), [cp.norm(c[i] - c[j]) >= 1 for i in range(n) for j in range(i)])


def told(enough, problem, **settings):
    """What a solve without end tells until it is enough, and its value: it is stopped then, be the machine fast or busy."""
    frames, stop = [], Stop()

    def tell(p):
        frames.append(p)
        if enough(frames):
            stop.ask()

    with stop, pytest.warns(UserWarning, match="ended as cancelled"):
        return frames, solve(problem, callback=tell, starts=10**6, **settings)


def test_verbose_tells_on_standard_output(capsys):
    told(lambda frames: len(frames) == 3, packing(12), verbose=True)
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert err == "" and lines[-1].startswith("dcopt: cancelled") and "iterations" in lines[-1]
    assert len(lines) > 3 and all(re.search(r"s, iteration \d+, objective .*, violation .*, (best|no feasible)", line) for line in lines[:-1])


def test_progress_has_the_best_so_far():
    def bests(frames):
        return [p.best for p in frames if p.best is not None]

    def four(frames):
        return len(bests(frames)) > 3

    prob = packing(12)
    frames, value = told(four, prob)
    assert bests(frames) == sorted(bests(frames), reverse=True) and bests(frames)[-1] >= value - 1e-9
    assert all(p.best <= p.objective for p in frames if p.feasible) and all(a.seconds < b.seconds for a, b in zip(frames, frames[1:]))
    frames, _ = told(four, cp.Problem(cp.Maximize(-prob.objective.args[0]), prob.constraints))
    assert bests(frames) == sorted(bests(frames)) and bests(frames)[0] < 0


def test_callbacks():
    def stop(p):
        raise StopIteration

    prob = packing(12)
    with pytest.raises(StopIteration):
        solve(prob, callback=stop, starts=10000)
    assert solve(cp.Problem(cp.Minimize(cp.abs(cp.Variable() - 1)))) == pytest.approx(0, abs=1e-6)
    with pytest.raises(dcopt.DcoptError, match="callback is 3"):
        solve(prob, callback=3)


def test_a_bar(monkeypatch):
    shown, stop = [], Stop()

    class Bar:
        n = 0

        def __init__(self, **settings):
            pass

        def update(self, k):
            self.n += k

        def set_postfix(self, **values):
            shown.append((self.n, values["best"]))
            if len(shown) == 3:
                stop.ask()

    monkeypatch.setitem(sys.modules, "tqdm", types.SimpleNamespace(auto=types.SimpleNamespace(tqdm=Bar)))
    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=Bar))
    with stop, pytest.warns(UserWarning, match="ended as cancelled"):
        solve(packing(12), callback="tqdm", starts=10**6)
    assert [n for n, _ in shown] == sorted(n for n, _ in shown)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ImportError, match="pip install tqdm"):
        solve(packing(12), callback="tqdm")


def test_quotients_of_what_bounds_do_not_keep_from_0():
    """The Sharpe ratio, whose best portfolio a quadratic program has, and Rayleigh's quotient, whose least value is an eigenvalue."""
    n = 4
    rng = np.random.default_rng(0)
    a = rng.standard_normal((n, n))
    s, mu = a @ a.T + np.eye(n), rng.standard_normal(n)
    w, v = cp.Variable(n, name="w"), cp.Variable(n)
    solve(ratio := cp.Problem(cp.Maximize(mu @ w / cp.sqrt(cp.quad_form(w, s))), [cp.sum(w) == 1, w >= 0]))
    least = cp.Problem(cp.Minimize(cp.quad_form(v, s)), [mu @ v == 1, v >= 0]).solve()
    assert ratio.status == "optimal" and ratio.value == pytest.approx(least**-0.5, rel=1e-6)
    b = cp.Variable(n, bounds=[-1, 2], name="b")
    solve(rayleigh := cp.Problem(cp.Minimize(cp.quad_form(b, s) / cp.sum_squares(b)), [cp.sum(b) == 1]))
    assert rayleigh.status == "optimal" and rayleigh.value == pytest.approx(np.linalg.eigvalsh(s)[0], rel=1e-6)


def test_functions_of_what_is_not_affine():
    """They have no split; of a variable in the place of the argument they have one."""
    need.that(hasattr(cp, "cumprod"), need.Thing.CVXPY, "for cumprod")
    rng = np.random.default_rng(1)
    a, sparse = rng.standard_normal((6, 12)), np.zeros(12)
    sparse[[2, 7]] = 1, -2
    x, y, s, m, d = cp.Variable(12), cp.Variable(3), cp.Variable(name="s"), cp.Variable(), rng.standard_normal(50)
    x_, y_ = cp.Variable((4, 2), nonneg=True), cp.Variable((2, 3), nonneg=True)
    data = rng.random((4, 2)) @ rng.random((2, 3)) + 0.1
    wrapped, right = cp.Variable((2, 2)), np.array([[2.0, 1.0], [1.0, 3.0]])
    for prob, want in (
        (cp.Problem(cp.Minimize(cp.sum(cp.sqrt(cp.abs(x)))), [a @ x == a @ sparse]), 1 + np.sqrt(2)),
        (cp.Problem(cp.Minimize(25 * cp.log(2 * np.pi * cp.square(s)) + cp.sum_squares(d - m) / (2 * cp.square(s))), [s >= 0.01]),
         25 * np.log(2 * np.pi * d.var()) + 25),
        (cp.Problem(cp.Maximize(cp.exp(cp.sum(cp.log(y)))), [cp.sum(y) <= 3]), 1),
        (cp.Problem(cp.Minimize(cp.sum(cp.kl_div(data, x_ @ y_))), [x_ <= 2, y_ <= 2]), 0),
        (cp.Problem(cp.Maximize(cp.sum(cp.cumprod(y))), [cp.sum(y) <= 3, y >= 0]), 4),
        (cp.Problem(cp.Minimize(cp.abs(y[0] / y[1] - 2) + cp.square(y[0] - 1)), []), 0),
        (cp.Problem(cp.Minimize(cp.maximum(y[0] / y[1], y[1] / y[0]) + cp.square(y[0] - 1)), [y[1] >= 0]), 1),
        (cp.Problem(cp.Minimize(cp.real(y[0]) + cp.imag(y[1]) + cp.sum_squares(y)), []), -0.25),
        (cp.Problem(cp.Minimize(cp.lambda_max(cp.symmetric_wrap(wrapped))), [wrapped == right]), np.linalg.eigvalsh(right)[1]),
        (cp.Problem(cp.Minimize(cp.dist_ratio(y[:2], np.zeros(2), np.array([2.0, 0.0]))), [y[0] >= 0.5]), 1 / 3),
        (cp.Problem(cp.Minimize(cp.condition_number(cp.diag(y))), [y[0] == 1, y[1] == 4, y[2] >= 2, y[2] <= 3]), 4),
    ):
        assert dcopt.is_dc(prob)
        solve(prob, seed=1)
        assert prob.value == pytest.approx(want, abs=1e-4), prob
        assert prob.objective.value == pytest.approx(want, abs=1e-3), prob


def test_sums_and_products_along_an_axis():
    need.that(hasattr(cp, "cumprod"), need.Thing.CVXPY, "for cumprod")
    rng = np.random.default_rng(0)
    at = 1 + rng.random((3, 4))
    for f, axes in ((cp.cumsum, (0, 1, None)), (cp.cummax, (0, 1)), (cp.cumprod, (0, 1))):
        for axis in axes:
            x = cp.Variable((3, 4))
            x.value = at
            right = f(x, axis).value
            prob = cp.Problem(cp.Minimize(cp.sum_squares(f(x, axis) - right) + cp.sum_squares(x - at)))
            assert solve(prob) == pytest.approx(0, abs=1e-9), (f, axis)


def test_hints_are_ways_out():
    """A refusal asks for what is not there."""
    m = dcopt.Model()
    m.minimize(dcopt.dc.lambda_max(m.var("X", (2, 2), at_least=-1)))
    assert m.why_not().help == "take (X + X')/2"
    why = dcopt.why_not(cp.sum(dcopt.apply("tan", cp.Variable(2))))
    assert why.help.startswith("give the variables bounds that keep it between two poles")


def test_solver_beside_the_method_is_an_error():
    x = cp.Variable(name="x")
    prob = cp.Problem(cp.Minimize(cp.abs(x - 1)))
    with pytest.raises(dcopt.DcoptError, match="solver= has no meaning"):
        solve(prob, solver="CLARABEL")
    assert x.value is None


def test_iterations_of_dccp_are_those_of_a_descent():
    """At the sparse singular vector of this problem dcopt was cut off where DCCP was not, and the worse by .6%."""
    rng = np.random.RandomState(1)
    u, s, v = np.linalg.svd(rng.randn(10, 10), full_matrices=False)
    a = u @ np.diag(s / s[-1]) @ v
    mu, x = cp.Parameter(nonneg=True), cp.Variable(10)
    prob = cp.Problem(cp.Minimize(cp.norm(a @ x)), [cp.norm(x, 2) == 1, cp.norm(x, 1) <= mu])
    for mu.value in np.linspace(1, np.sqrt(10), 50)[20:27]:
        value = dcopt.as_dccp(prob, max_iter=50)
    assert prob.status == "optimal" and value <= 1.58836 * 1.0001


def test_texts_of_constraints_are_made_for_messages_alone(monkeypatch):
    """Their constants are printed: that took most of the translation of a problem of many constraints."""
    texts = []
    monkeypatch.setattr(cp.constraints.constraint.Constraint, "__str__", lambda c: texts.append(c) or "the constraint")
    x = cp.Variable(2, name="x")
    prob = cp.Problem(cp.Minimize(cp.sum(x)), [x >= -1, x <= 1, cp.norm(x) >= 1])
    solve(prob)
    assert not texts
    prob = cp.Problem(cp.Minimize(cp.sum(x)), [x >= -1, x <= 1, cp.norm1(x) <= 1, cp.norm(x) >= 1.3])
    with pytest.warns(UserWarning, match="not feasible"):
        solve(prob)
    assert prob.status == "infeasible_inaccurate" and "the constraint" in prob.solver_stats.extra_stats["worst"] and texts


def test_matrix_is_symmetric_once():
    """Functions of one matrix share the constraint that it is symmetric, and their cone."""
    p, rng = cp.Variable((3, 3), name="p"), np.random.default_rng(1)
    prob = cp.Problem(cp.Minimize(cp.sum([cp.matrix_frac(rng.normal(size=3), p) for _ in range(5)]) + cp.trace(p)))
    assert str(dcopt.to_dc(prob)).count("p_is_symmetric") == 1
    value = solve(prob)
    prob.solve(solver=cp.CLARABEL)
    assert value == pytest.approx(prob.value, abs=1e-5)
    np.testing.assert_allclose(p.value, p.value.T, atol=1e-6)


@pytest.mark.parametrize("entropy", ["of the eigenvalues", "of the matrix"])
def test_rounding_in_imaginary_parts(entropy):
    """The imaginary parts of traces are zero but for rounding errors, which are no equations."""
    rng = np.random.default_rng(0)
    u, _ = np.linalg.qr(rng.normal(size=(3, 3)) + 1j * rng.normal(size=(3, 3)))
    a, b = ([[8.38972, 1.02671, 0.87991], [1.02671, 8.41455, 7.31307], [0.87991, 7.31307, 2.35915]],
            [[6.92907, 4.37713, 5.11915], [4.37713, 7.96725, 4.42217], [5.11915, 4.42217, 2.72919]])
    a, b = u @ np.array(a) @ u.conj().T, u @ np.array(b) @ u.conj().T
    if entropy == "of the matrix":
        x = cp.Variable((3, 3), hermitian=True)
        turned = u.conj().T @ x @ u
        cost, rest = -cp.von_neumann_entr(x), [turned - cp.diag(cp.diag(turned)) == 0]
    else:
        values = cp.Variable(3)
        x, cost, rest = u @ cp.diag(values) @ u.conj().T, -cp.sum(cp.entr(values)), []
    prob = cp.Problem(cp.Minimize(cost), [cp.trace(a @ x) == 19.16342, cp.trace(b @ x) == 17.62551, *rest])
    assert solve(prob) == pytest.approx(-0.1337292, abs=1e-6)
    assert prob.status == cp.OPTIMAL


@pytest.mark.parametrize("kind", ["convex", "complex", "geometric"])
def test_problems_end_with_their_last_reference(kind):
    if kind == "geometric":
        x = cp.Variable(pos=True)
        prob = cp.Problem(cp.Minimize(x + 1 / x))
        prob.solve(method="dcopt", gp=True)
    else:
        x = cp.Variable(complex=kind == "complex")
        prob = cp.Problem(cp.Minimize(cp.abs(x - 2)), [(cp.real(x) if kind == "complex" else x) <= 1])
        prob.solve(method="dcopt")
    copies = [copy.copy(prob), pickle.loads(pickle.dumps(prob))]
    for c in copies:
        c.solve(method="dcopt", gp=kind == "geometric")
        assert c.value == pytest.approx(prob.value, abs=1e-6)
    ended = weakref.ref(prob)
    del prob, x, copies, c
    gc.collect()
    assert ended() is None


@pytest.mark.parametrize("settings, text", [
    (dict(tolerance=1), "there is no setting tolerance"), (dict(start=3), "Did you mean starts"), (dict(tol=-1), "the setting tol is -1, want > 0"),
    (dict(starts=1.5), "the setting starts is 1.5, want an integer"), (dict(time_limit=float("nan")), "the setting time_limit is nan"),
    (dict(time_limit=-1), "the setting time_limit is -1, want a number of seconds > 0"), (dict(time_limit="a"), "the setting time_limit is .a., want"),
])
def test_settings_that_are_none(settings, text):
    x = cp.Variable(2, value=[3.0, 4.0])
    with pytest.raises(dcopt.DcoptError, match=text):
        solve(cp.Problem(cp.Minimize(cp.sum_squares(x))), **settings)
    assert x.value.tolist() == [3, 4]


def test_a_parameter_of_another_size_is_an_error_with_its_place():
    """CVXPY looks at shapes when .value is set; whoever goes around it is not to upset the worker."""
    x, a = cp.Variable(), cp.Parameter(name="a", value=1.0)
    prob = cp.Problem(cp.Minimize(cp.square(x + a)))
    assert solve(prob) == pytest.approx(0, abs=1e-6)
    a.save_value(np.array([1.0, 2.0]))
    with pytest.raises(dcopt.ProblemError, match="^a: the value has 2 numbers, want 1$"):
        solve(prob)
    a.save_value(np.array(np.nan))
    with pytest.raises(dcopt.ProblemError, match="a: entry 0 of the value is NaN\nGive the parameter finite numbers"):
        solve(prob)
    a.value = 2.0
    solve(prob)
    assert x.value == pytest.approx(-2, abs=1e-6)


def test_what_is_no_problem():
    with pytest.raises(TypeError, match="not int"):
        dcopt.is_dc(1)


def test_parameters_as_costs():
    """Parameters that are the coefficients of an affine part of the objective are costs: other values need no other problem."""
    rng = np.random.default_rng(0)
    for sense, sign in ((cp.Minimize, 1), (cp.Maximize, -1)):
        x, c, w = cp.Variable(4), cp.Parameter(4), cp.Parameter()
        problem = cp.Problem(sense(sign * cp.sum_squares(x) + c @ x + (w + 2) * (x[0] - x[1]) + 3 * x[2] + 1), [cp.abs(x) <= 1])
        for _ in range(3):
            c.value, w.value = rng.normal(size=4), rng.normal()
            slope = -sign * (c.value + [w.value + 2, -w.value - 2, 3, 0]) / 2
            want = np.clip(slope, -1, 1)
            problem.solve(method="dcopt", requires_grad=True)
            assert np.allclose(x.value, want, atol=1e-6)
            assert np.allclose(problem.constraints[0].dual_value, 2 * np.maximum(np.abs(slope) - 1, 0), atol=1e-5)
            x.gradient = np.ones(4)
            problem.backward()
            inside = np.abs(slope) < 1
            assert np.allclose(c.gradient, -sign * inside / 2, atol=1e-6)
            assert np.isclose(w.gradient, -sign * (float(inside[0]) - float(inside[1])) / 2, atol=1e-6)
        assert dcopt.is_dc(problem)
        value = problem.value
        assert np.isclose(problem.solve(method="dcopt", global_=True), value, atol=1e-6)
        c.value = -c.value
        assert np.isclose(problem.solve(method="dcopt"), problem.solve(solver=cp.CLARABEL), atol=1e-6)


@pytest.mark.parametrize("at", [300.0, 1000.0])
def test_start_that_overflows(at):
    x, y, z = cp.Variable(40, name="x"), cp.Variable(40, name="y"), cp.Variable(name="z", bounds=[0.1, 5])
    x.value = np.full(40, at)
    near = cp.square(x[0]) + cp.square(z) <= 9
    prob = cp.Problem(cp.Minimize(cp.sum_squares(x - 1) - cp.square(z) - cp.sum(y) / 10), [y == -cp.exp(x), near])
    assert abs(solve(prob, starts=5) - 1.6257056111) < 1e-6
    assert prob.status == cp.OPTIMAL


def test_many_entries_of_parameters():
    """CVXPY reads a thousand entries of parameters by another part of it: the coefficients are the same."""
    rng = np.random.default_rng(3)
    n = 35
    x, c, a = cp.Variable(n), cp.Parameter(n), cp.Parameter((n, n))
    prob = cp.Problem(cp.Minimize(c @ x), [a @ x >= 1, x >= 0])
    for _ in range(2):
        c.value, a.value = rng.uniform(1, 2, n), rng.uniform(size=(n, n))
        value = solve(prob)
        assert value == pytest.approx(prob.solve(solver="CLARABEL"), rel=1e-6)


def test_a_proved_point_ends_a_convex_run():
    """The first point is proved, and those of the problem in other units break the cones by more than feasible points may."""
    x, hypos = cp.Variable(5), cp.Variable(2)
    w = cp.bmat([[x[4], x[3]], [x[1], x[0]], [x[2], 1.0]])
    alpha = np.array([[0.2, 0.4], [0.4, 0.3], [0.4, 0.3]])
    row = x[4] + x[1] + 0.5 * x[2] + 0.5 * x[3] + 0.25 * x[0] == 2
    prob = cp.Problem(cp.Maximize(cp.sum(hypos) - x[4]), [row, cp.constraints.power.PowConeND(w, hypos, alpha)])
    assert prob.solve(method="dcopt") == pytest.approx(2.0143862, abs=1e-6)
    assert prob.status == "optimal" and prob.solver_stats.num_iters < 20
