"""Peers of dcbench scale: scale_peers.py NAME LIMIT FOLDER solves the problem in the
folder and prints a result as dcopt solve --json does.

    dccp          the convex-concave procedure over CVXPY, with the defaults of DCCP
    clarabel      the same procedure written by hand over Clarabel, assembled once
    scikit-learn  KMeans from the given centres

LIMIT, in seconds, ends a procedure between two convex problems."""

import json
import os
import sys
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")


def data(folder, name):
    return np.loadtxt(os.path.join(folder, name + ".csv"), delimiter=",", ndmin=2)


def family(folder):
    for f in ("r", "P"):
        if os.path.exists(os.path.join(folder, f + ".csv")):
            return {"r": "pack", "P": "kmeans"}[f]
    return "bls"


def pairs(n):
    return np.triu_indices(n, 1)


def packing(c, r):
    """The side and the largest overlap of circles."""
    i, j = pairs(len(r))
    gap = r[i] + r[j] - np.linalg.norm(c[i] - c[j], axis=1)
    return float(np.max(np.max(np.abs(c), axis=1) + r)), float(max(0, gap.max()))


def dccp(folder, limit):
    import cvxpy as cp
    import dccp  # noqa: F401

    kind = family(folder)
    if kind == "pack":
        r = data(folder, "r").ravel()
        x = cp.Variable((len(r), 2), value=data(folder, "c0"))
        i, j = pairs(len(r))
        prob = cp.Problem(cp.Minimize(cp.max(cp.norm(x, "inf", axis=1) + r)), [cp.norm(x[i] - x[j], 2, axis=1) >= r[i] + r[j]])
        measure = lambda: packing(x.value, r)
    else:
        A, y = data(folder, "A"), data(folder, "y").ravel()
        x = cp.Variable(A.shape[1], value=data(folder, "x0").ravel())
        prob = cp.Problem(cp.Minimize(cp.sum_squares(A @ x - y)), [x >= -1, x <= 1, cp.square(x) >= 1])
        measure = lambda: (float(np.sum((A @ x.value - y) ** 2)), float(max(0, np.max(1 - x.value**2))))
    prob.solve(method="dccp", seed=0, solver="CLARABEL")
    objective, violation = measure()
    return "converged" if prob.status == cp.OPTIMAL else prob.status, objective, violation, 0


def clarabel(folder, limit):
    import clarabel
    from scipy import sparse

    # minimise t + tau*sum(s)  over  t - r >= |c|, s >= 0, the tangents of the distances
    r, c = data(folder, "r").ravel(), data(folder, "c0")
    n = len(r)
    i, j = pairs(n)
    m = len(i)
    side = sparse.vstack([sparse.eye(2 * n), -sparse.eye(2 * n)])
    side = sparse.hstack([side, sparse.csc_matrix((4 * n, m)), -np.ones((4 * n, 1))])
    sides = np.tile(-np.repeat(r, 2), 2)
    rows = np.arange(m)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    begin, last, tau = time.monotonic(), np.inf, 0.005
    for k in range(200):
        d = c[i] - c[j]
        length = np.maximum(np.linalg.norm(d, axis=1), 1e-12)
        u = d / length[:, None]
        at = [(rows, 2 * i, -u[:, 0]), (rows, 2 * i + 1, -u[:, 1]), (rows, 2 * j, u[:, 0]), (rows, 2 * j + 1, u[:, 1]), (rows, 2 * n + rows, -np.ones(m))]
        apart = sparse.csc_matrix((np.concatenate([a[2] for a in at]), (np.concatenate([a[0] for a in at]), np.concatenate([a[1] for a in at]))), (m, 2 * n + m + 1))
        slack = sparse.hstack([sparse.csc_matrix((m, 2 * n)), -sparse.eye(m), sparse.csc_matrix((m, 1))])
        A = sparse.vstack([side, apart, slack]).tocsc()
        b = np.concatenate([sides, -(r[i] + r[j]), np.zeros(m)])
        q = np.concatenate([np.zeros(2 * n), np.full(m, tau), [1.0]])
        P = sparse.csc_matrix((len(q), len(q)))
        x = np.array(clarabel.DefaultSolver(P, q, A, b, [clarabel.NonnegativeConeT(len(b))], settings).solve().x)
        c = x[: 2 * n].reshape(n, 2)
        value, gap = packing(c, r)
        if gap < 1e-6 and abs(last - value) <= 1e-6 * value:
            return "converged", value, gap, k + 1
        last, tau = value, min(1.2 * tau, 1e3)
        if time.monotonic() - begin > limit:
            return "time_limit", value, gap, k + 1
    return "iteration_limit", value, gap, 200


def kmeans(folder, limit):
    from sklearn.cluster import KMeans

    P, c0 = data(folder, "P"), data(folder, "c0")
    fit = KMeans(len(c0), init=c0, n_init=1, max_iter=1000, tol=0).fit(P)
    return "converged", float(fit.inertia_) / len(P), 0.0, int(fit.n_iter_)


def main():
    name, limit, folder = sys.argv[1:]
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # solvers print
    solve = {"dccp": dccp, "clarabel": clarabel, "scikit-learn": kmeans}[name]
    status, objective, violation, iterations = solve(folder, float(limit))
    print(json.dumps({"status": status, "objective": objective, "max_violation": violation, "iterations": iterations}), file=answer)


if __name__ == "__main__":
    main()
