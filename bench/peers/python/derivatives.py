"""Times of a solve and a gradient beside diffcp, on the classes of BenchmarkDerivative of qpbackend/ipm.

    python -m venv V && V/bin/pip install numpy==1.26.4 scipy==1.14.1 clarabel==0.11.1 diffcp==1.1.4
    V/bin/python bench/peers/python/derivatives.py

Both run on one processor. The problems are of the same classes and sizes, not the same ones. diffcp has no
quadratic objectives, so that of the class qp is a second-order cone of 102 rows, as CVXPY states it. Times are
processor times: of diffcp the median of 15 problems, of dcopt the mean of 128 runs, one problem as new, and a batch by one solver.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import diffcp
import numpy as np
import scipy.sparse as sp

ROOT = Path(__file__).resolve().parents[3]


def qp(rng):
    n, m = 100, 200
    a, f = rng.standard_normal((m, n)), rng.standard_normal((n, n)) / 10
    b = a @ rng.standard_normal(n) + rng.random(m)
    # t >= |f x|^2 / 2: |(t - 1, sqrt(2) f x)| <= t + 1
    top = np.zeros((n + 2, n + 1))
    top[0, n], top[1, n] = -1, -1
    top[2:, :n] = -np.sqrt(2) * f
    A = np.vstack([np.hstack([a, np.zeros((m, 1))]), top])
    rhs = np.concatenate([b, [1, -1], np.zeros(n)])
    return sp.csc_matrix(A), rhs, np.append(rng.standard_normal(n), 1), {"l": m, "q": [n + 2]}


def soc(rng):
    n, m = 50, 110
    A, s, y = rng.standard_normal((m, n)), rng.standard_normal(m) / 2, rng.standard_normal(m) / 2
    s[::11], y[::11] = 4, 4
    return sp.csc_matrix(A), A @ rng.standard_normal(n) + s, -A.T @ y, {"q": [11] * 10}


def sdp(rng):
    n, k = 30, 20
    m = k * (k + 1) // 2
    A = rng.standard_normal((m, n))
    unit = np.concatenate([np.eye(k)[j:, j] for j in range(k)])  # lower triangle, column by column
    return sp.csc_matrix(A), A @ rng.standard_normal(n) + unit, -A.T @ unit, {"s": [k]}


def diffcp_seconds(problem, mode):
    A, b, c, cones = problem
    begin = time.process_time()
    x, y, s, _, adjoint = diffcp.solve_and_derivative(A, b, c, cones, mode=mode, solve_method="CLARABEL")
    adjoint(np.ones(len(c)), np.zeros(len(b)), np.zeros(len(b)))
    return time.process_time() - begin


REPEATS = 128


def dcopt_seconds(program, name):
    """Of one of REPEATS, with the start of the program and the drawing of problems in it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program, "-test.run", "xxx", "-test.bench", f"BenchmarkDerivative/{name}$", "-test.benchtime", f"{REPEATS}x"],
                   cwd=ROOT, env=dict(os.environ, GOMAXPROCS="1"), capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / REPEATS


def main():
    ratios = []
    print("| problem | dcopt, ms | diffcp dense, ms | diffcp lsqr, ms | ratio to the faster |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "ipm.test")
        subprocess.run(["go", "test", "-c", "-o", program, "./qpbackend/ipm"], cwd=ROOT, check=True)
        for name, draw in (("qp", qp), ("soc", soc), ("sdp", sdp)):
            rng = np.random.default_rng(8)
            peers = {mode: statistics.median(diffcp_seconds(draw(rng), mode) for _ in range(15)) for mode in ("dense", "lsqr")}
            best = min(peers.values())
            for kind in ("one", "batch"):
                mine = dcopt_seconds(program, f"{name}/{kind}")
                ratios.append(best / mine)
                print(f"| {name}, {kind} | {1000 * mine:.1f} | {1000 * peers['dense']:.1f} | {1000 * peers['lsqr']:.1f} | {best / mine:.1f} |")
    print(f"geometric mean of the ratios: {np.exp(np.mean(np.log(ratios))):.1f}")


if __name__ == "__main__":
    main()
