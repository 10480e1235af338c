"""What method="dcopt" costs for five problems in several sizes: processor time of Python and of the worker, the solver included. The
first solve translates and loads the problem, with a worker that runs; the second has the problem again with another value of its
parameter. The median of REPEAT problems with other numbers each; "of it solving" is what the worker says of the second solve, by
the clock. The bound for what is not the solver is 5 ms and 1 us for each coefficient.

Run with dcopt and CVXPY installed, on Linux: python bench/peers/python/overhead.py
"""

import statistics

import cvxpy as cp
import numpy as np
from parametric import processor

REPEAT = 7


def lasso(rng, m, n):
    x, b = cp.Variable(n), cp.Parameter(m)
    return cp.Problem(cp.Minimize(cp.sum_squares(rng.normal(size=(m, n)) @ x - b) + cp.norm1(x))), b, m * n


def transport(rng, m, n):
    x, b = cp.Variable((m, n), nonneg=True), cp.Parameter(n, nonneg=True)
    return cp.Problem(cp.Minimize(cp.sum(cp.multiply(rng.uniform(size=(m, n)), x))), [cp.sum(x, axis=1) <= 2 * n / m, cp.sum(x, axis=0) == b]), b, 3 * m * n


def control(rng, n, steps):
    a, x, u, b = rng.normal(size=(n, n)) / np.sqrt(n), cp.Variable((n, steps + 1)), cp.Variable((n, steps)), cp.Parameter(n)
    return cp.Problem(cp.Minimize(cp.sum_squares(x) + cp.sum_squares(u)), [x[:, 1:] == a @ x[:, :-1] + u, x[:, 0] == b, cp.abs(u) <= 1]), b, steps * n * (n + 4)


def logistic(rng, m, n):
    x, b = cp.Variable(n), cp.Parameter(n)
    return cp.Problem(cp.Minimize(cp.sum(cp.logistic(rng.normal(size=(m, n)) @ x)) + cp.sum_squares(x - b))), b, m * n


def packing(rng, n, d):
    c, b = cp.Variable((n, d)), cp.Parameter(d)
    apart = [cp.norm(c[i] - c[j]) >= 1 for i in range(n) for j in range(i)]
    return cp.Problem(cp.Minimize(cp.max(cp.abs(c - np.ones((n, 1)) @ cp.reshape(b, (1, d), order="F")))), apart), b, n * n * d


CASES = [
    *((lasso, s) for s in ((10, 5), (40, 20), (100, 50), (200, 100))), *((transport, s) for s in ((5, 8), (20, 30), (40, 60))),
    *((control, s) for s in ((2, 10), (4, 30), (8, 60))), *((logistic, s) for s in ((50, 5), (200, 10))), *((packing, s) for s in ((4, 2), (8, 2))),
]


def main():
    print("| problem | coefficients | first solve, ms | second, ms | of it solving | bound without solving, ms |\n|---|---|---|---|---|---|")
    for case, sizes in CASES:
        cost, solving = [[], []], []
        for k in range(REPEAT):
            rng = np.random.default_rng(k)
            prob, p, count = case(rng, *sizes)
            for out in cost:
                p.value = rng.uniform(.1, 1, p.shape)
                begin = processor()
                prob.solve(method="dcopt", time_limit=20)
                out.append(processor() - begin)
            solving.append(prob.solver_stats.extra_stats["seconds"]["solve"])
        first, second, solved = (1e3 * statistics.median(c) for c in (*cost, solving))
        print(f"| {case.__name__} {sizes[0]} x {sizes[1]} | {count} | {first:.2f} | {second:.2f} | {solved:.2f} | {5 + 1e-3 * count:.1f} |", flush=True)


if __name__ == "__main__":
    main()
