"""Solves a problem by SCIP, to a gap of 1e-6.

    python scip_global.py SECONDS PROBLEM.json

PROBLEM.json is a list of expressions, as verify.Problem.WriteTree writes it. SECONDS are of
processor time. Prints a line of JSON: status, objective, bound, nodes, seconds, version.
Maxima are stated by absolute values, (a + b + |a - b|)/2. Functions that SCIP cannot be
given end with the status "refused".

Needs PySCIPOpt 6.3.0 from PyPI, which has SCIP 10.0: requirements-scip.txt.
"""

import json
import math
import resource
import sys

import pyscipopt as ps


class Refused(Exception):
    pass


def larger(a, b):
    return 0.5 * (a + b + abs(a - b))


def largest(parts):
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    return larger(largest(parts[:half]), largest(parts[half:]))


class Model:
    def __init__(self, problem):
        self.problem = problem
        self.model = ps.Model()
        self.x = [self.model.addVar(f"x{j}", lb=lo, ub=hi) for j, (lo, hi) in enumerate(zip(problem["lo"], problem["hi"]))]
        self.done = []
        for node in problem["nodes"]:
            self.done.append(self.make(node))

    def make(self, node):
        op, num = node["op"], node.get("num", 0.0)
        a = [self.done[k] for k in node.get("args", [])]
        w = node.get("weights", [])
        if op == "const":
            return num
        if op == "var":
            return self.x[node.get("var", 0)] + 0.0
        if op == "sum":
            return ps.quicksum(v * e for v, e in zip(w, a))
        if op == "mul":
            return a[0] * a[1]
        if op == "power":
            return self.power(a[0], num)
        if op == "abs":
            return abs(a[0])
        if op == "exp":
            return ps.exp(a[0])
        if op == "log":
            return ps.log(a[0])
        if op in ("sin", "cos"):
            return getattr(ps, op)(a[0])
        if op == "entr":
            return -(a[0] * ps.log(a[0]))
        if op == "logistic":
            return ps.log(1 + ps.exp(a[0]))
        if op == "xexp":
            return a[0] * ps.exp(a[0])
        if op == "max":
            return largest(a)
        if op == "norm":
            if num != 2:
                raise Refused(f"the norm with exponent {num}")
            return ps.sqrt(ps.quicksum(e * e for e in a))
        if op == "lse":
            return ps.log(ps.quicksum(ps.exp(e) for e in a))
        if op == "largest":
            return self.sum_largest(a, node.get("count", 0))
        if op == "geo":
            out = 1.0
            for v, e in zip(w, a):
                out = out * self.power(e, v)
            return out
        if op == "quadover":
            return ps.quicksum(e * e for e in a[:-1]) / a[-1]
        if op == "kl":
            u, v = a
            return u * ps.log(u) - u * ps.log(v) - u + v
        if op == "huber":  # 2m|u| - m^2 from m on: t^2 + 2m(|u| - t), t = min(|u|, m)
            size = abs(a[0])
            t = size + num - larger(size, num)
            return t * t + 2 * num * (size - t)
        raise Refused(op)

    def power(self, e, p):
        if p == 0.5:
            return ps.sqrt(e)
        if p == -1:
            return 1 / e
        if p == int(p):
            return e ** int(p)
        return e**p

    def sum_largest(self, parts, count):
        parts, total = list(parts), 0.0
        for r in range(min(count, len(parts))):
            for i in range(len(parts) - 1 - r):
                u, v = parts[i], parts[i + 1]
                top = larger(u, v)
                parts[i], parts[i + 1] = u + v - top, top
            total = total + parts[len(parts) - 1 - r]
        return total

    def state(self):
        m, p = self.model, self.problem
        for row in p["rows"]:
            e, lo, hi = self.done[row["node"]], row["lo"], row["hi"]
            if isinstance(e, (int, float)):
                if lo is not None and e < lo or hi is not None and e > hi:
                    m.addCons(self.x[0] - self.x[0] >= 1)
                continue
            if lo is not None and lo == hi:
                m.addCons(e == lo)
                continue
            if lo is not None:
                m.addCons(e >= lo)
            if hi is not None:
                m.addCons(e <= hi)
        cost = self.done[p["objective"]]
        sense = "maximize" if p["maximize"] else "minimize"
        if isinstance(cost, (int, float)):
            m.setObjective(cost + 0 * self.x[0], sense)
            return
        t = m.addVar("cost", lb=None, ub=None)
        m.addCons(t <= cost if p["maximize"] else t >= cost)
        m.setObjective(t, sense)


def main(limit, path):
    with open(path) as f:
        problem = json.load(f)
    out = {"version": f"SCIP {ps.Model().version()}, PySCIPOpt {ps.__version__}", "status": "", "objective": None, "bound": None, "nodes": 0, "message": ""}
    try:
        model = Model(problem)
        model.state()
    except (Refused, NotImplementedError, TypeError, AttributeError) as err:
        out.update(status="refused", message=str(err))
        print(json.dumps(out))
        return
    m = model.model
    m.hideOutput()
    m.setParam("timing/clocktype", 1)  # processor time
    m.setParam("limits/time", max(0.1, limit))
    # SCIP's gap is relative to the lesser of the two numbers, ours to max(1, the objective).
    m.setParam("limits/gap", 1e-6)
    m.setParam("limits/absgap", 1e-6)
    m.setParam("parallel/maxnthreads", 1)
    m.optimize()
    infinite = m.infinity()
    bound = m.getDualbound()
    out["status"], out["nodes"] = m.getStatus(), m.getNTotalNodes()
    if m.getNSols():
        out["objective"] = m.getObjVal()
    if abs(bound) < infinite and math.isfinite(bound):
        out["bound"] = bound
    usage = resource.getrusage(resource.RUSAGE_SELF)
    out["seconds"] = usage.ru_utime + usage.ru_stime
    print(json.dumps(out))


if __name__ == "__main__":
    main(float(sys.argv[1]), sys.argv[2])
