"""Problems for `nonlinear.py --second`, each with a start, that no change of dcopt was measured on.

Of Hock and Schittkowski (1981) other problems with a nonlinear function that is not convex, by their numbers; test functions of Moré,
Garbow and Hillstrom (1981); a chained Rosenbrock function under equations (Lukšan and Vlček 1999); Bratu's equation; fits of curves;
electrons on a sphere (Dolan, Moré and Munson 2004); a fall along a curve of least time.
"""

import cvxpy as cp
import numpy as np
from nonlinear_problems import at, cube, minimise

PROBLEMS = {}


def problem(f):
    PROBLEMS[f.__name__] = f
    return f


def valley(x):
    return 100 * cp.square(x[1] - cp.square(x[0])) + cp.square(1 - x[0])


def product(*xs):
    out = xs[0]
    for x in xs[1:]:
        out = out * x
    return out


@problem
def hs001():
    x = at([-2, 1])
    return minimise(valley(x), x[1] >= -1.5)


@problem
def hs002():
    x = at([-2, 1])
    return minimise(valley(x), x[1] >= 1.5)


@problem
def hs005():
    x = at([0, 0])
    return minimise(cp.nlp.sin(x[0] + x[1]) + cp.square(x[0] - x[1]) - 1.5 * x[0] + 2.5 * x[1] + 1, x >= [-1.5, -3], x <= [4, 3])


@problem
def hs009():
    x = at([0, 0])
    return minimise(cp.nlp.sin(np.pi / 12 * x[0]) * cp.nlp.cos(np.pi / 16 * x[1]), 4 * x[0] - 3 * x[1] == 0)


@problem
def hs015():
    x = at([-2, 1])
    return minimise(valley(x), x[0] * x[1] >= 1, x[0] + cp.square(x[1]) >= 0, x[0] <= 0.5)


@problem
def hs016():
    x = at([-2, 1])
    return minimise(valley(x), x[0] + cp.square(x[1]) >= 0, cp.square(x[0]) + x[1] >= 0, x[0] >= -0.5, x <= [0.5, 1])


@problem
def hs018():
    x = at([2, 2])
    return minimise(0.01 * cp.square(x[0]) + cp.square(x[1]), x[0] * x[1] >= 25, cp.sum_squares(x) >= 25, x >= [2, 0], x <= 50)


@problem
def hs019():
    x = at([20.1, 5.84])
    return minimise(cube(x[0] - 10) + cube(x[1] - 20), cp.sum_squares(x - 5) >= 100, cp.sum_squares(x - [6, 5]) <= 82.81, x >= [13, 0], x <= 100)


@problem
def hs020():
    x = at([-2, 1])
    return minimise(valley(x), x[0] + cp.square(x[1]) >= 0, cp.square(x[0]) + x[1] >= 0, cp.sum_squares(x) >= 1, x[0] >= -0.5, x[0] <= 0.5)


@problem
def hs023():
    x = at([3, 1], bounds=[-50, 50])
    return minimise(cp.sum_squares(x), cp.sum(x) >= 1, cp.sum_squares(x) >= 1, 9 * cp.square(x[0]) + cp.square(x[1]) >= 9,
                    cp.square(x[0]) - x[1] >= 0, cp.square(x[1]) - x[0] >= 0)


@problem
def hs024():
    x, r = at([1, 0.5], bounds=[0, None]), np.sqrt(3)
    return minimise((cp.square(x[0] - 3) - 9) * cp.power(x[1], 3) / (27 * r), x[0] / r >= x[1], x[0] + r * x[1] >= 0, x[0] + r * x[1] <= 6)


@problem
def hs030():
    x = at([1, 1, 1], bounds=[-10, 10])
    return minimise(cp.sum_squares(x), cp.square(x[0]) + cp.square(x[1]) >= 1, x[0] >= 1)


@problem
def hs031():
    x = at([1, 1, 1], bounds=[-10, 10])
    return minimise(9 * cp.square(x[0]) + cp.square(x[1]) + 9 * cp.square(x[2]), x[0] * x[1] >= 1, x[1] >= 1, x[2] <= 1)


@problem
def hs033():
    x = at([0, 0, 3], bounds=[0, None])
    return minimise((x[0] - 1) * (x[0] - 2) * (x[0] - 3) + x[2], cp.square(x[2]) - cp.square(x[1]) - cp.square(x[0]) >= 0,
                    cp.sum_squares(x) >= 4, x[2] <= 5)


@problem
def hs036():
    x = at([10] * 3, bounds=[0, None])
    return minimise(-product(*x), x @ [1, 2, 2] <= 72, x <= [20, 11, 42])


@problem
def hs037():
    x = at([10] * 3, bounds=[0, 42])
    return minimise(-product(*x), x @ [1, 2, 2] <= 72, x @ [1, 2, 2] >= 0)


@problem
def hs046():
    x = at([np.sqrt(2) / 2, 1.75, 0.5, 2, 2])
    return minimise(cp.square(x[0] - x[1]) + cp.square(x[2] - 1) + cp.power(x[3] - 1, 4) + cp.power(x[4] - 1, 6),
                    cp.square(x[0]) * x[3] + cp.nlp.sin(x[3] - x[4]) == 1, x[1] + cp.power(x[2], 4) * cp.square(x[3]) == 2)


@problem
def hs047():
    x = at([2, np.sqrt(2), -1, 2 - np.sqrt(2), 0.5])
    return minimise(cp.square(x[0] - x[1]) + cube(x[1] - x[2]) + cp.power(x[2] - x[3], 4) + cp.power(x[3] - x[4], 4),
                    x[0] + cp.square(x[1]) + cube(x[2]) == 3, x[1] - cp.square(x[2]) + x[3] == 1, x[0] * x[4] == 1)


@problem
def hs060():
    x = at([2] * 3, bounds=[-10, 10])
    return minimise(cp.square(x[0] - 1) + cp.square(x[0] - x[1]) + cp.power(x[1] - x[2], 4),
                    x[0] * (1 + cp.square(x[1])) + cp.power(x[2], 4) == 4 + 3 * np.sqrt(2))


@problem
def hs061():
    x = at([0] * 3)
    return minimise(4 * cp.square(x[0]) + 2 * cp.square(x[1]) + 2 * cp.square(x[2]) - 33 * x[0] + 16 * x[1] - 24 * x[2],
                    3 * x[0] - 2 * cp.square(x[1]) == 7, 4 * x[0] - cp.square(x[2]) == 11)


@problem
def hs064():
    x = at([1] * 3, bounds=[1e-5, None])
    inverse = cp.power(x, -1)
    return minimise(x @ [5, 20, 10] + inverse @ [50000, 72000, 144000], inverse @ [4, 32, 120] <= 1)


@problem
def hs080():
    x = at([-2, 2, 2, -1, -1])
    most = np.array([2.3, 2.3, 3.2, 3.2, 3.2])
    return minimise(cp.exp(product(*x)), cp.sum_squares(x) == 10, x[1] * x[2] - 5 * x[3] * x[4] == 0, cube(x[0]) + cube(x[1]) == -1,
                    x >= -most, x <= most)


@problem
def wood():
    x = at([-3, -1, -3, -1])
    return minimise(valley(x[:2]) + 90 * cp.square(x[3] - cp.square(x[2])) + cp.square(1 - x[2]) + 10 * cp.square(x[1] + x[3] - 2)
                    + 0.1 * cp.square(x[1] - x[3]))


@problem
def powell_singular():
    x = at([3, -1, 0, 1])
    return minimise(cp.square(x[0] + 10 * x[1]) + 5 * cp.square(x[2] - x[3]) + cp.power(x[1] - 2 * x[2], 4) + 10 * cp.power(x[0] - x[3], 4))


@problem
def beale():
    x = at([1, 1])
    return minimise(sum(cp.square(c - x[0] * (1 - cp.power(x[1], k))) for k, c in ((1, 1.5), (2, 2.25)))
                    + cp.square(2.625 - x[0] * (1 - cube(x[1]))))


@problem
def chained_rosenbrock():
    # with the equations of Lukšan and Vlček's first problem
    n = 12
    x = at([-1.2, 1] * (n // 2))
    middle = x[1:-1]
    return minimise(100 * cp.sum_squares(cp.square(x[:-1]) - x[1:]) + cp.sum_squares(x[:-1] - 1),
                    3 * cp.multiply(cp.square(middle), middle) + 2 * x[2:] - 5
                    + cp.multiply(cp.nlp.sin(middle - x[2:]), cp.nlp.sin(middle + x[2:]))
                    + 4 * middle - cp.multiply(x[:-2], cp.exp(x[:-2] - middle)) - 3 == 0)


@problem
def bratu():
    # u'' + 3 e^u = 0 at 50 places, with the least change of a source
    n = 50
    h = 1 / (n + 1)
    u, s = cp.Variable(n + 2), cp.Variable(n)
    u.value, s.value = np.zeros(n + 2), np.zeros(n)
    return minimise(cp.sum_squares(s), u[0] == 0, u[n + 1] == 0, u[2:] - 2 * u[1:-1] + u[:-2] + 3 * h**2 * cp.exp(u[1:-1]) == h**2 * s, u[n // 2] == 0.3)


@problem
def circle_fit():
    rng = np.random.default_rng(21)
    a = rng.uniform(0, 2, 25)
    p = np.column_stack([1 + 2 * np.cos(a), 3 + 2 * np.sin(a)]) + 0.05 * rng.normal(size=(25, 2))
    c, r = at([1, 2]), at([1], bounds=[0.1, 10])
    far = cp.sqrt(cp.square(p[:, 0] - c[0]) + cp.square(p[:, 1] - c[1]))
    return minimise(cp.sum_squares(far - r[0]))


@problem
def exponential_fit():
    t = np.linspace(0, 4, 30)
    data = 2 * np.exp(-0.8 * t) + 0.5 + 0.02 * np.random.default_rng(22).normal(size=30)
    x = at([1, 0.5, 0])
    return minimise(cp.sum_squares(x[0] * cp.exp(-x[1] * t) + x[2] - data))


@problem
def michaelis_menten():
    s = np.linspace(0.2, 5, 20)
    data = 3 * s / (0.7 + s) + 0.05 * np.random.default_rng(23).normal(size=20)
    x = at([1, 1], bounds=[0.01, 20])
    return minimise(cp.sum_squares(cp.multiply(x[0] * s, cp.power(x[1] + s, -1)) - data))


@problem
def electrons():
    n = 6
    rng = np.random.default_rng(24)
    x = cp.Variable((n, 3))
    v = rng.normal(size=(n, 3))
    x.value = v / np.linalg.norm(v, axis=1)[:, None]
    i, j = np.triu_indices(n, 1)
    return minimise(cp.sum(cp.power(cp.sum(cp.square(x[i] - x[j]), axis=1), -0.5)), cp.sum(cp.square(x), axis=1) == 1)


@problem
def fall():
    # the least time along a curve of 20 pieces of equal width that falls by 1: at the height y the speed is the root of 2 g y
    n = 20
    y = at(np.linspace(0, 1, n + 1)[1:], bounds=[0.01, 3])
    speed = cp.sqrt(y)
    length = cp.sqrt((1 / n) ** 2 + cp.square(y[1:] - y[:-1]))
    first = cp.multiply(cp.sqrt((1 / n) ** 2 + cp.square(y[0])), cp.power(y[0], -0.5))
    return minimise(first + cp.sum(cp.multiply(2 * length, cp.power(speed[1:] + speed[:-1], -1))), y[n - 1] == 1)
