"""Problem files and texts, and results."""

import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import dcopt
import need

BENT = "var x in [-2, 3]\nminimize abs(x) - 2*abs(x - 1)"


def test_a_file_with_data_beside_it(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text("1,2\n3,4\n")
    (tmp_path / "m.dc").write_text('param A = csv("a.csv")\nvar x[2] in [0, 9]\nminimize sumsq(A*x - [1, 1])\nsubject to\n  floor: sum(x) >= 1')
    monkeypatch.chdir("/")
    r = dcopt.solve_file(tmp_path / "m.dc", tol=1e-9)
    assert (r.status, r.reason, r.feasible) == ("optimal", "converged", True) and r["x"].shape == (2,)
    assert r.objective == pytest.approx(np.sum((np.array([[1, 2], [3, 4]]) @ r["x"] - 1) ** 2)) and r.duals["floor"] >= 0
    text = (tmp_path / "m.dc").read_text()
    assert dcopt.from_dc(text, tmp_path).solve(tol=1e-9).objective == r.objective
    with pytest.raises(dcopt.ProblemError, match="no such file"):
        dcopt.from_dc(text).solve()


def test_a_bound_and_its_proof():
    r = dcopt.from_dc(BENT).solve(global_=True)
    assert r.objective == pytest.approx(-4) and r["x"] == pytest.approx(-2)
    assert r.bound <= r.objective and r.gap < 1e-5 and r.details["proved"] and "optimal, proved" in r.message


def test_params_and_start():
    problem = dcopt.from_dc("param a = [1, 2]\nparam b = 0\nvar x[2]\nminimize sumsq(x - a) + b")
    np.testing.assert_allclose(problem.solve(params={"a": [3.0, 4.0], "b": 5})["x"], [3, 4], atol=1e-6)
    assert problem.solve(params={"b": 5}).objective == pytest.approx(5)
    ends = dcopt.from_dc("var x in [-2, 3]\nminimize -abs(x)")
    for x, end in ((-0.5, -2), (0.5, 3)):  # one iteration goes to the end of its side
        first = ends.solve(start={"x": x}, max_iter=1)
        assert first["x"] == pytest.approx(end) == ends.solve(start=first, max_iter=1)["x"]


def test_no_point():
    r = dcopt.from_dc("var x\nminimize x\nsubject to\n a: x >= 1\n b: x <= 0").solve()
    assert (r.status, r.x, r.feasible) == ("infeasible", {}, False) and np.isnan(r.objective) and "a, b" in r.message and set(r.duals) == {"a", "b"}
    assert dcopt.from_dc("var x\nminimize x").solve().status == "unbounded"


def test_complex_values():
    np.testing.assert_allclose(dcopt.from_dc("var z[2] complex\nminimize sumsq(z - 1)").solve()["z"], [1, 1], atol=1e-6)


@pytest.mark.parametrize("text, settings, error, words", [
    ("var x\nminimize foo(x)", {}, dcopt.ProblemError, "standard input:2:10: unknown function"),
    (BENT, {"strats": 3}, dcopt.DcoptError, "there is no setting strats\nDid you mean starts?"),
    (BENT, {"time_limit": float("nan")}, dcopt.DcoptError, "time_limit is nan"),
    (BENT, {"params": {"a": 1}}, dcopt.DcoptError, 'no param "a"'),
    (BENT, {"effort": "slow"}, dcopt.DcoptError, 'the setting effort is "slow", want local, quick'),
])
def test_mistakes(text, settings, error, words):
    with pytest.raises(error, match=words):
        dcopt.from_dc(text).solve(**settings)


def test_no_file():
    with pytest.raises(dcopt.DcoptError, match="no such file"):
        dcopt.solve_file("/nonexistent/m.dc")


def test_verbose_prints_the_iterations(capsys):
    dcopt.from_dc(BENT).solve(verbose=True, effort="quick")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:4] == ["start", "iter", "hop", "objective"] and len(lines) > 3


def test_a_convex_program_in_a_file(tmp_path):
    np.savez(tmp_path / "qp.npz", P=np.eye(2), q=-np.ones(2), G=np.ones((1, 2)), h=np.ones(1))
    r = dcopt.solve_file(tmp_path / "qp.npz")
    assert (r.status, r.reason) == ("optimal", "solved") and r.objective == pytest.approx(-0.75)


def test_the_problem_of_cvxpy_as_text():
    cp = need.module("cvxpy")
    x = cp.Variable(2, name="x")
    prob = cp.Problem(cp.Maximize(cp.norm(x)), [cp.sum(x) <= 3, x >= 0])
    assert dcopt.from_dc(dcopt.to_dc(prob)).solve().objective == pytest.approx(prob.solve(method="dcopt"), abs=1e-6)


def test_results_are_shown():
    need.module("matplotlib")
    r = dcopt.from_dc("var c[3,2] in [-1, 1]\nvar M[3,3] in [0, 1]\nvar s in [0, 1]\nminimize sumsq(c - 1) + sumsq(M) - s").solve()
    assert "objective" in repr(r) and "<td style='text-align:left'>optimal</td>" in r._repr_html_() and "<th style='text-align:left'>c</th>" in r._repr_html_()
    axes = r.plot().axes
    titles = [a.get_title() for a in axes]
    assert titles[:3] == ["c", "M", "s"] and titles[3:5] == ["objective", "max violation"]
    np.testing.assert_allclose(axes[0].lines[0].get_xdata(), r["c"][:, 0])
    with pytest.raises(dcopt.DcoptError, match="nothing to draw"):
        dcopt.Result("infeasible", "infeasible", float("nan")).plot()


def test_interrupt_returns_the_best_point():
    need.that(sys.platform != "win32", need.Thing.UNIX, "for its signals")
    program = textwrap.dedent("""
        import signal
        signal.signal(signal.SIGINT, signal.default_int_handler)
        import dcopt
        text = "var c[30,2] in [-20, 20]  start normal(0, 5)\\nminimize max(i in 1..30) norminf(c[i,:])\\nsubject to\\n" \\
               "  apart[i in 1..30, j in i+1..30]: norm2(c[i,:] - c[j,:]) >= 1"
        r = dcopt.from_dc(text).solve(starts=100000, verbose=True)
        print(r.reason, r.feasible, r["c"].shape == (30, 2), flush=True)
    """)
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, env=env, text=True) as p:
        try:
            head = p.stdout.readline().split()
            while float(p.stdout.readline().split()[head.index("violation")]) > 1e-6:
                pass
            p.send_signal(signal.SIGINT)
            out = p.communicate(timeout=120)[0].splitlines()
        finally:
            p.kill()
    assert out[-1] == "cancelled True True"
