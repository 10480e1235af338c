"""What it takes to state a problem: dcopt's translation and its compilation in the worker, against CVXPY's get_problem_data for Clarabel.

The problems are of the kinds of CVXPY's benchmarks (github.com/cvxpy/benchmarks), stated anew, some of them smaller. Times are of the
processor, Python and worker together; the least of REPEAT problems made anew, each side in turn.

Run with dcopt and CVXPY installed, on Linux: python compile_times.py [PROBLEM ...]
It fails where a problem takes more than MOST times the time of CVXPY.
"""

import sys
import warnings

import cvxpy as cp
import numpy as np
from parametric import processor
from scipy import sparse

from dcopt._method import translated

REPEAT = 3
# Source: a limit of time: who knows CVXPY is not to notice the translation.
MOST = 2
rng = np.random.default_rng(0)


def huber_regression():
    x, a = cp.Variable(200), rng.normal(size=(1000, 200))
    return cp.Problem(cp.Minimize(cp.sum(cp.huber(a @ x - rng.normal(size=1000)))))


def simple_qp():
    x, a = cp.Variable(400), rng.normal(size=(400, 400))
    return cp.Problem(cp.Minimize(cp.quad_form(x, cp.psd_wrap(a.T @ a)) + rng.normal(size=400) @ x), [rng.normal(size=(200, 400)) @ x <= 1])


def simple_lp():
    x = cp.Variable(1000)
    return cp.Problem(cp.Minimize(rng.normal(size=1000) @ x), [rng.normal(size=(400, 1000)) @ x <= 1, cp.abs(x) <= 5])


def parametrised_lp():
    n = 60
    x, c, a, b = cp.Variable(n), cp.Parameter(n), cp.Parameter((n, n)), cp.Parameter(n)
    for p in (c, a, b):
        p.value = rng.uniform(size=p.shape)
    return cp.Problem(cp.Minimize(c @ x), [a @ x >= b, x >= 0])


def support_vectors():
    n, m = 200, 1000
    w, b, gamma = cp.Variable((n, 1)), cp.Variable(), cp.Parameter(nonneg=True, value=0.1)
    loss = cp.sum(cp.pos(1 - cp.multiply(np.sign(rng.normal(size=(m, 1))), rng.normal(size=(m, n)) @ w - b)))
    return cp.Problem(cp.Minimize(loss / m + gamma * cp.norm1(w)))


def inpainting():
    n = 80
    u, image, known = cp.Variable((n, n)), rng.uniform(size=(n, n)), (rng.uniform(size=(n, n)) < 0.5).astype(float)
    return cp.Problem(cp.Minimize(cp.tv(u)), [cp.multiply(known, u) == cp.multiply(known, image)])


def value_at_risk():
    n, m = 50, 2000
    w, t = cp.Variable(n), cp.Variable()
    return cp.Problem(cp.Minimize(t + cp.sum(cp.pos(-rng.normal(size=(m, n)) @ w - t)) / (0.05 * m)), [cp.sum(w) == 1, w >= 0])


def semidefinite():
    n, p = 30, 30
    x = cp.Variable((n, n), symmetric=True)
    sym = [(lambda a: a + a.T)(rng.normal(size=(n, n))) for _ in range(p)]
    return cp.Problem(cp.Minimize(cp.trace(sym[0] @ x)), [x >> 0] + [cp.trace(a @ x) <= 1 for a in sym])


def gini():
    n, m = 20, 60
    w, returns = cp.Variable(n), rng.normal(size=(m, n))
    i, j = np.triu_indices(m, 1)
    r = returns @ w
    return cp.Problem(cp.Minimize(cp.norm1(r[i] - r[j])), [cp.sum(w) == 1, w >= 0])


def advertising():
    m, n = 24, 200
    d, revenue = cp.Variable((m, n)), rng.uniform(size=(m, n))
    shown = [cp.minimum(revenue[k] @ d[k], 5) for k in range(m)]
    return cp.Problem(cp.Maximize(cp.sum(cp.hstack(shown))), [d >= 0, cp.sum(d, axis=0) <= 10, cp.sum(d, axis=1) >= 1])


def factor_model():
    n, k = 1000, 30
    w, f = cp.Variable(n), cp.Variable(k)
    b = sparse.random(n, k, 0.3, random_state=0)
    return cp.Problem(cp.Minimize(cp.sum_squares(f) + cp.sum_squares(cp.multiply(rng.uniform(size=n), w)) - rng.normal(size=n) @ w),
                      [f == b.T @ w, cp.sum(w) == 1, w >= 0, cp.norm1(w) <= 2])


def matrix_stuffing():
    n = 300
    x = cp.Variable(n)
    return cp.Problem(cp.Minimize(cp.sum(x)), [x[k] + (x[k + 1] if k + 1 < n else 0) >= k for k in range(n)])


def many_norms():
    x = cp.Variable((50, 3))
    i, j = np.triu_indices(50, 1)
    return cp.Problem(cp.Minimize(sum(cp.norm(x[a] - x[b]) for a, b in zip(i[:600], j[:600]))), [cp.sum(x) == 1])


def control():
    n, m, t = 12, 4, 50
    x, u, a, b = cp.Variable((n, t + 1)), cp.Variable((m, t)), rng.normal(size=(n, n)) / 4, rng.normal(size=(n, m))
    steps = [x[:, k + 1] == a @ x[:, k] + b @ u[:, k] for k in range(t)]
    return cp.Problem(cp.Minimize(cp.sum_squares(x) + cp.sum_squares(u)), steps + [x[:, 0] == 1, cp.abs(u) <= 1])


PROBLEMS = [huber_regression, simple_qp, simple_lp, parametrised_lp, support_vectors, inpainting, value_at_risk, semidefinite, gini, advertising,
            factor_model, matrix_stuffing, many_norms, control]


def ours(prob):
    translated(prob).loaded.load()


def theirs(prob):
    prob.get_problem_data(cp.CLARABEL)


def main():
    warnings.simplefilter("ignore")
    ours(control())
    theirs(control())
    ratios = []
    print("| problem | dcopt, ms | CVXPY, ms | ratio |\n|---|---|---|---|")
    for make in PROBLEMS:
        if sys.argv[1:] and make.__name__ not in sys.argv[1:]:
            continue
        least = {ours: np.inf, theirs: np.inf}
        for _ in range(REPEAT):
            for side in least:
                prob = make()
                begin = processor()
                side(prob)
                least[side] = min(least[side], processor() - begin)
        ratios.append(least[ours] / least[theirs])
        print(f"| {make.__name__} | {1e3 * least[ours]:.1f} | {1e3 * least[theirs]:.1f} | {ratios[-1]:.2f} |", flush=True)
    print(f"\ngeometric mean {np.exp(np.mean(np.log(ratios))):.2f}, largest {max(ratios):.2f}")
    sys.exit(max(ratios) > MOST)


if __name__ == "__main__":
    main()
