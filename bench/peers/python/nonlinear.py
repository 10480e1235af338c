"""The 43 problems of nonlinear_problems.py by dcopt, by CVXPY's nonlinear programs (DNLP) with Ipopt, and by DCCP.

    python nonlinear.py [--second] [--out FILE] [--settings JSON] [PROBLEM ...]

needs CVXPY 1.9, dccp and cyipopt beside dcopt, and Linux; DCOPT_PROGRAM may name the program. All begin at the same start, DCCP
too. Each has a process of its own, which solves a problem of another kind first. Timed is the processor, of the whole solve(),
compilation included: the least of four solves of problems made anew. Of DCCP, which draws its starts, one start is solved. --settings are
those of dcopt, by default '{"effort": "local"}'. --second takes the 32 problems of nonlinear_second.py.
"""

import argparse
import json
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import nonlinear_problems
import nonlinear_second

PROBLEMS = nonlinear_second.PROBLEMS if "--second" in sys.argv else nonlinear_problems.PROBLEMS

WHO = {"dcopt": {"method": "dcopt"}, "ipopt": {"solver": "IPOPT", "nlp": True}, "dccp": {"method": "dccp", "seed": 0, "k_ccp": 1}}
# A point that breaks no constraint by more is feasible. Source: feas_tol of dcopt, for terms of size 1 to 10.
FEASIBLE = 1e-5
# Objectives that are nearer, relatively, are the same.
SAME = 1e-4
PATIENCE = 60


def run(who, names, settings):
    """Solves, and prints a line of JSON for each problem."""
    import cvxpy as cp
    import numpy as np

    warnings.simplefilter("ignore")
    if who == "dccp":
        import dccp  # noqa: F401: it registers its method
    clock, options = time.process_time, WHO[who]
    if who == "dcopt":
        import dcopt  # noqa: F401
        from parametric import processor as clock

        options = {**options, **settings}

    def late(number, frame):
        raise TimeoutError(f"{PATIENCE} s")

    signal.signal(signal.SIGALRM, late)
    x = cp.Variable(2)
    x.value = np.ones(2)
    cp.Problem(cp.Minimize(cp.sum_squares(x)), [cp.square(x[0]) >= 1] if who != "ipopt" else []).solve(**options)
    for name in names:
        out = {"problem": name, "who": who, "error": "", "seconds": None, "value": None}
        for _ in range(4):
            prob = PROBLEMS[name]()
            signal.alarm(PATIENCE)
            begin = clock()
            try:
                prob.solve(**options)
            except BaseException as e:
                out["error"] = f"{type(e).__name__}: {e}".splitlines()[0][:160]
                break
            finally:
                signal.alarm(0)
            out["seconds"] = min(out["seconds"] or np.inf, clock() - begin)
            if all(v.value is not None for v in prob.variables()):
                broken = max((float(np.max(c.violation(), initial=0)) for c in prob.constraints), default=0.0)
                out.update(status=prob.status, value=float(np.sum(prob.objective.value)), feasible=broken <= FEASIBLE, broken=broken,
                           maximise=isinstance(prob.objective, cp.Maximize))
        print(json.dumps(out), flush=True)


def table(results):
    import numpy as np

    rows, ratios, counts = [], [], {}
    for name in dict.fromkeys(r["problem"] for r in results):
        by = {r["who"]: r for r in results if r["problem"] == name}
        good = {w: r for w, r in by.items() if r.get("feasible") and not r["error"]}
        sign = -1 if any(r.get("maximise") for r in by.values()) else 1
        best = min((sign * r["value"] for r in good.values()), default=np.nan)
        cells = [name]
        for who in WHO:
            r = by.get(who, {"error": "not run", "seconds": None})
            if who in good:
                reached = sign * r["value"] - best <= SAME * max(1, abs(best))
                counts[who, "best" if reached else "feasible"] = counts.get((who, "best" if reached else "feasible"), 0) + 1
                cells += [f"{1e3 * r['seconds']:.0f}", f"{r['value']:.6g}" + ("" if reached else " (worse)")]
            else:
                kind = "refused" if r["error"] and "Timeout" not in r["error"] else "none"
                counts[who, kind] = counts.get((who, kind), 0) + 1
                cells += [f"{1e3 * r['seconds']:.0f}" if r["seconds"] else "", kind]
        ratio = by["dcopt"]["seconds"] / by["ipopt"]["seconds"] if "dcopt" in good and "ipopt" in good else None
        if ratio:
            ratios.append(ratio)
        rows.append((ratio, [*cells, f"{ratio:.2f}" if ratio else ""]))
    print("| problem | dcopt, ms | objective | DNLP with Ipopt, ms | objective | DCCP, ms | objective | dcopt / Ipopt |\n|---|---|---|---|---|---|---|---|")
    for _, cells in rows:
        print("| " + " | ".join(cells) + " |")
    print(f"\n{len(ratios)} that both solve: geometric mean of the ratios {np.exp(np.mean(np.log(ratios))):.2f}, largest {max(ratios):.1f}")
    for (who, what), n in sorted(counts.items()):
        print(f"{who}: {what} {n}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--run", help=argparse.SUPPRESS)
    parser.add_argument("--who", default=",".join(WHO))
    parser.add_argument("--settings", type=json.loads, default={"effort": "local"})
    parser.add_argument("--second", action="store_true")
    parser.add_argument("problems", nargs="*")
    args = parser.parse_args()
    names = args.problems or list(PROBLEMS)
    if args.run:
        return run(args.run, names, args.settings)
    results = []
    for who in args.who.split(","):
        lines = subprocess.run([sys.executable, __file__, "--run", who, "--settings", json.dumps(args.settings), *["--second"] * args.second, *names], stdout=subprocess.PIPE, text=True).stdout.splitlines()
        results += [json.loads(line) for line in lines if line.startswith("{")]
    if args.out:
        args.out.write_text(json.dumps(results, indent=1))
    table(results)


if __name__ == "__main__":
    main()
