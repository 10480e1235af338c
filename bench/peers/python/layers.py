"""Times of a solve and a gradient as a layer of PyTorch, beside cvxpylayers, on the classes of derivatives.py.

    apt-get install python3-torch
    python3 -m venv --system-site-packages V && V/bin/pip install numpy==1.26.4 cvxpy==1.7.5 cvxpylayers==0.1.9 python/
    V/bin/python bench/peers/python/layers.py

Both layers solve the same problems and pull the same gradient back, one problem at a time and in batches. cvxpylayers solves by SCS with the tolerance that it
has by default, 1e-4, and once more by Clarabel, whose solutions are as exact as those of dcopt. Times are processor times of a problem, of Python and of dcopt's worker together: the median
of 15 single problems, and one batch, without the first call of each. Gaps are the largest differences of a solution from that of dcopt. Linux alone tells the worker's times.
"""

import argparse
import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import statistics
import time
from pathlib import Path

import cvxpy as cp
import numpy as np
import torch
from cvxpylayers.torch import CvxpyLayer

from dcopt._worker import worker
from dcopt.torch import Layer


def qp(rng):
    n, m = 100, 200
    x, b, q = cp.Variable(n), cp.Parameter(m), cp.Parameter(n)
    a, f = rng.standard_normal((m, n)), rng.standard_normal((n, n)) / 10
    problem = cp.Problem(cp.Minimize(cp.sum_squares(f @ x) / 2 + q @ x), [a @ x <= b])
    return problem, [b, q], x, lambda: [a @ rng.standard_normal(n) + rng.random(m), rng.standard_normal(n)]


def soc(rng):
    n, m = 50, 110
    x, b, q = cp.Variable(n), cp.Parameter(m), cp.Parameter(n)
    a = rng.standard_normal((m, n))

    def draw():
        s, y = rng.standard_normal(m) / 2, rng.standard_normal(m) / 2
        s[::11], y[::11] = 4, 4
        return [a @ rng.standard_normal(n) + s, -a.T @ y]

    cones = [cp.SOC(b[k] - a[k] @ x, b[k + 1:k + 11] - a[k + 1:k + 11] @ x) for k in range(0, m, 11)]
    return cp.Problem(cp.Minimize(q @ x), cones), [b, q], x, draw


def sdp(rng):
    n, k = 30, 20
    x, b, q = cp.Variable(n), cp.Parameter((k, k), symmetric=True), cp.Parameter(n)
    a = rng.standard_normal((n, k, k))
    a = (a + a.transpose(0, 2, 1)) / 2
    costs = -np.array([np.trace(m) for m in a])
    problem = cp.Problem(cp.Minimize(q @ x), [b - sum(x[i] * a[i] for i in range(n)) >> 0])
    return problem, [b, q], x, lambda: [np.tensordot(rng.standard_normal(n), a, 1) + np.eye(k), costs]


def processor():
    tasks = Path(f"/proc/{worker().process.pid}/task").iterdir()
    return time.process_time() + sum(int((t / "schedstat").read_text().split()[0]) for t in tasks) / 1e9


def seconds(layer, values, **options):
    tensors = [torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in values]
    begin = processor()
    (x,) = layer(*tensors, **options)[:1]
    x.sum().backward()
    return processor() - begin, np.from_dlpack(x.detach())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--batch", type=int, default=128)
    args = parser.parse_args()
    torch.set_num_threads(1)
    peers = {"SCS": {}, "Clarabel": {"solver_args": {"solve_method": "Clarabel"}}}
    ratios = {name: [] for name in peers}
    print("| problem | dcopt, ms | " + " | ".join(f"cvxpylayers with {name}, ms | ratio | gap" for name in peers) + " |")
    print("|---" * (2 + 3 * len(peers)) + "|")
    for case in (qp, soc, sdp):
        problem, parameters, x, draw = case(np.random.default_rng(3))
        mine, theirs = Layer(problem, parameters, [x]), CvxpyLayer(problem, parameters=parameters, variables=[x])
        for size, repeats in ((1, 15), (args.batch, 1)):
            def some():
                return draw() if size == 1 else [np.stack(v) for v in zip(*(draw() for _ in range(size)))]

            seconds(mine, some())
            seconds(theirs, draw())
            times, gaps = {name: [] for name in ("dcopt", *peers)}, dict.fromkeys(peers, 0.0)
            for _ in range(repeats):
                values = some()
                t, point = seconds(mine, values)
                times["dcopt"].append(t)
                for name, options in peers.items():
                    t, other = seconds(theirs, values, **options)
                    times[name].append(t)
                    gaps[name] = max(gaps[name], float(np.max(np.abs(other - point))))
            got = {name: 1000 * statistics.median(t) / size for name, t in times.items()}
            cells = []
            for name in peers:
                ratios[name].append(got[name] / got["dcopt"])
                cells += [f"{got[name]:.1f}", f"{ratios[name][-1]:.1f}", f"{gaps[name]:.0e}"]
            print(f"| {case.__name__}, {'one' if size == 1 else f'batch of {size}'} | {got['dcopt']:.1f} | " + " | ".join(cells) + " |", flush=True)
    for name, list_ in ratios.items():
        print(f"geometric mean of the ratios to {name}: {np.exp(np.mean(np.log(list_))):.1f}")


if __name__ == "__main__":
    main()
