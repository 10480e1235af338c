"""Solves examples/radial_velocity.dc, power_flow.dc and tanh_network.dc by scipy from 20 starts each.

usage: python smooth_models.py [SEED]

The first and the third are least squares (least_squares, trust region with bounds), the second has
equations (SLSQP). Starts are drawn uniformly from the bounds of the variables by numpy's default
generator, seed 0 if none is given. Of SLSQP a point counts that breaks no equation by more than
1e-6. Prints the least objective, how many starts reach it within 1e-6 relatively, and the time.
"""

import sys
import time

import numpy as np
from scipy.optimize import least_squares, minimize

STARTS = 20
APART = 1e-6


def squares(residual, lo, hi, rng):
    """The objectives of all starts of a least squares problem."""
    out = []
    for _ in range(STARTS):
        r = least_squares(residual, rng.uniform(lo, hi), bounds=(lo, hi), xtol=1e-12, ftol=1e-12, gtol=1e-12, max_nfev=5000)
        out.append(2 * r.cost)
    return out


def radial_velocity(rng):
    n = 40
    k = np.arange(1, n + 1)
    t = 2.5 * k + np.sin(7 * k)
    v = 12 + 55 * np.sin(0.73 * t + 1.1) + 3 * np.sin(1000 * k)

    def residual(x):
        return (x[0] * np.sin(x[1] * t + x[2]) + x[3] - v) / np.sqrt(n)

    return squares(residual, np.array([0, 0.1, -np.pi, -50]), np.array([100, 2, np.pi, 50]), rng)


def tanh_network(rng):
    n = 30
    k = np.arange(1, n + 1)
    x = 6 * k / n - 3
    y = x * np.exp(-x**2 / 2) + 0.05 * np.sin(99 * k)

    def residual(z):
        w, b, v, c = z[0:3], z[3:6], z[6:9], z[9]
        fit = np.tanh(np.outer(x, w) + b) @ v + c
        return np.concatenate([(fit - y) / np.sqrt(n), np.sqrt(1e-4) * w, np.sqrt(1e-4) * v])

    hi = np.concatenate([np.full(9, 5.0), [3]])
    return squares(residual, -hi, hi, rng)


def power_flow(rng):
    g = np.array([[0, 1, 2], [1, 0, 1.5], [2, 1.5, 0]])
    b = np.array([[0, 10, 15], [10, 0, 12], [15, 12, 0]])
    cost, load, reactive = np.array([1, 1.4]), np.array([0.3, 0.4, 2.6]), np.array([0.1, 0.1, 0.8])
    lo = np.concatenate([np.full(3, 0.9), np.full(3, -1.0), [0, 0], [-1, -1]])
    hi = np.concatenate([np.full(3, 1.1), np.full(3, 1.0), [2, 2], [1.5, 1.5]])

    def balance(x):
        v, t, p, q = x[0:3], x[3:6], np.append(x[6:8], 0), np.append(x[8:10], 0)
        d = t[:, None] - t
        vv = np.outer(v, v)
        active = np.sum(g * v[:, None] ** 2 - vv * (g * np.cos(d) - b * np.sin(d)), axis=1)
        other = np.sum(b * v[:, None] ** 2 - vv * (g * np.sin(d) + b * np.cos(d)), axis=1)
        return np.concatenate([[t[0]], active - p + load, other - q + reactive])

    def objective(x):
        return cost @ x[6:8] + 0.1 * x[6:8] @ x[6:8]

    out = []
    for _ in range(STARTS):
        r = minimize(objective, rng.uniform(lo, hi), method="SLSQP", bounds=list(zip(lo, hi)),
                     constraints={"type": "eq", "fun": balance}, options={"ftol": 1e-12, "maxiter": 1000})
        if np.max(np.abs(balance(r.x))) <= 1e-6:
            out.append(objective(r.x))
    return out


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    for solve in radial_velocity, power_flow, tanh_network:
        rng, begin = np.random.default_rng(seed), time.perf_counter()
        values = solve(rng)
        best = min(values, default=np.inf)
        reached = sum(v <= best + APART * max(1, abs(best)) for v in values)
        print(f"{solve.__name__} {best:.9g}, {reached} of {STARTS} starts, {time.perf_counter() - begin:.2f} s")


if __name__ == "__main__":
    main()
