"""Parametric loops beside CVXPY's own: one problem of 20 variables, solved again and again with other values of its
parameters, by method="dcopt" and by CVXPY's compiled program (DPP) with Clarabel. Both sides have a copy of the problem and
solve it with the same values in turn, BLOCK solves each, so that both see the same machine. The first solve of each side, which
compiles, is not counted. A line has milliseconds per solve in the fastest block of each side, as timeit does: other programs only
add to it; their ratio; the median of the ratios of the blocks, in which these programs are; and the largest relative difference of
the optimal values. Times are those of the processor, of Python and of dcopt's worker together, which other
programs on the machine change least; --wall: those of the clock. Linux alone tells the worker's.

Run with dcopt and CVXPY installed: python bench/peers/python/parametric.py [--solves 1000] [CASE ...]
"""

import argparse
import statistics
import time
from pathlib import Path

import cvxpy as cp
import numpy as np

import dcopt  # noqa: F401: registers the method
from dcopt._worker import worker

BLOCK = 20
N = 20


def vector(rng):
    """Least squares within bounds: the measurements change."""
    a = rng.normal(size=(40, N))
    x, b = cp.Variable(N), cp.Parameter(40)
    prob = cp.Problem(cp.Minimize(cp.sum_squares(a @ x - b)), [x >= -1, x <= 1])
    return prob, [(b, lambda r: r.normal(size=40))]


def portfolio(rng):
    """A portfolio: the expected returns change."""
    f = rng.normal(size=(N, N)) / np.sqrt(N)
    x, mu = cp.Variable(N), cp.Parameter(N)
    prob = cp.Problem(cp.Maximize(mu @ x - cp.sum_squares(f @ x)), [cp.sum(x) == 1, x >= 0])
    return prob, [(mu, lambda r: r.normal(size=N))]


def matrix(rng):
    """Least squares within bounds: the matrix changes."""
    b = rng.normal(size=30)
    x, a = cp.Variable(N), cp.Parameter((30, N))
    prob = cp.Problem(cp.Minimize(cp.sum_squares(a @ x - b)), [x >= -1, x <= 1])
    return prob, [(a, lambda r: r.normal(size=(30, N)))]


def rows(rng):
    """A quadratic program whose inequalities change, matrix and right side."""
    x, g, h = cp.Variable(N), cp.Parameter((10, N)), cp.Parameter(10)
    c = rng.normal(size=N)
    prob = cp.Problem(cp.Minimize(cp.sum_squares(x - c)), [g @ x <= h])
    return prob, [(g, lambda r: r.normal(size=(10, N))), (h, lambda r: r.uniform(.1, 1, 10))]


def lasso(rng):
    """The weight of a penalty changes."""
    a, b = rng.normal(size=(40, N)), rng.normal(size=40)
    x, lam = cp.Variable(N), cp.Parameter(nonneg=True)
    prob = cp.Problem(cp.Minimize(cp.sum_squares(a @ x - b) + lam * cp.norm1(x)))
    return prob, [(lam, lambda r: r.uniform(.1, 10))]


def linear(rng):
    """A linear program whose costs change."""
    a = rng.uniform(size=(15, N))
    x, c = cp.Variable(N, nonneg=True), cp.Parameter(N)
    return cp.Problem(cp.Maximize(c @ x), [a @ x <= 1]), [(c, lambda r: r.uniform(size=N))]


def control(rng):
    """A state that is steered to 0, 2 states, 6 steps and 1 input: the first state changes."""
    a, b = np.array([[1, .2], [0, 1]]), np.array([[0], [.2]])
    x, u, first = cp.Variable((2, 7)), cp.Variable((1, 6)), cp.Parameter(2)
    cost = cp.sum_squares(x) + .1 * cp.sum_squares(u)
    rules = [x[:, 0] == first, x[:, 1:] == a @ x[:, :-1] + b @ u, cp.abs(u) <= 1]
    return cp.Problem(cp.Minimize(cost), rules), [(first, lambda r: r.uniform(-1, 1, 2))]


CASES = {f.__name__: f for f in (vector, portfolio, matrix, rows, lasso, linear, control)}


def processor():
    """Seconds of the processor that this process and the worker have had."""
    tasks = Path(f"/proc/{worker().process.pid}/task").iterdir()
    return time.process_time() + sum(int((t / "schedstat").read_text().split()[0]) for t in tasks) / 1e9


def run(case, solves, clock, seed=1):
    sides = []
    for options in ({"method": "dcopt"}, {"solver": cp.CLARABEL}):
        prob, params = case(np.random.default_rng(seed))
        sides.append((prob, params, options))
    draw = np.random.default_rng(seed + 1)

    def block(side, values):
        prob, params, options = side
        begin = clock()
        out = []
        for v in values:
            for (p, _), x in zip(params, v):
                p.value = x
            out.append(prob.solve(**options))
        return clock() - begin, np.array(out)

    def some(n):
        return [[make(draw) for _, make in sides[0][1]] for _ in range(n)]

    for side in sides:
        block(side, some(3))
    ours, theirs, gap = [], [], 0.0
    for k in range(max(1, solves // BLOCK)):
        values = some(BLOCK)
        order = sides if k % 2 == 0 else sides[::-1]
        got = {id(s): block(s, values) for s in order}
        (t, f), (u, g) = got[id(sides[0])], got[id(sides[1])]
        ours.append(t)
        theirs.append(u)
        gap = max(gap, float(np.max(np.abs(f - g) / np.maximum(1, np.abs(g)))))
    ratios = [u / t for t, u in zip(ours, theirs)]
    return min(ours) / BLOCK, min(theirs) / BLOCK, min(theirs) / min(ours), statistics.median(ratios), gap


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--solves", type=int, default=1000)
    parser.add_argument("--wall", action="store_true")
    args = parser.parse_args()
    print("| problem | dcopt, ms | CVXPY with Clarabel, ms | ratio | median of the ratios | largest difference of the values |")
    print("|---|---|---|---|---|---|")
    for name in args.cases or CASES:
        t, u, ratio, mid, gap = run(CASES[name], args.solves, time.perf_counter if args.wall else processor)
        print(f"| {name}: {CASES[name].__doc__} | {1e3 * t:.3f} | {1e3 * u:.3f} | {ratio:.2f} | {mid:.2f} | {gap:.0e} |", flush=True)


if __name__ == "__main__":
    main()
