package judge

import (
	"fmt"
	"math"
)

// Answer is the solver's statement about a problem. Numbers that it does not state
// are NaN.
type Answer struct {
	Status               string // as in the program's JSON
	X                    []float64
	Objective, Violation float64
	ObjectiveError       float64 // stated bound on the error of Objective
	FeasTol              float64
}

// Kind is a way to be wrong.
type Kind string

// The kinds. All but NotConverged are wrong answers.
const (
	Panic            Kind = "panic"
	Refused          Kind = "refused by the compiler"
	Failed           Kind = "error of the solver"
	OverTime         Kind = "over the time limit"
	NotANumber       Kind = "NaN or infinite entry"
	WrongObjective   Kind = "objective off"
	WrongViolation   Kind = "violation off"
	LooseError       Kind = "stated error useless"
	BrokenAbsolute   Kind = "converged, breaks a row by more than feas_tol"
	BrokenRelative   Kind = "converged, breaks a row by more than feas_tol of its terms"
	OutsideDomain    Kind = "converged outside a domain"
	OutsideBounds    Kind = "converged outside a bound"
	FalseInfeasible  Kind = "infeasible, but has a feasible point"
	FalseUnbounded   Kind = "unbounded, but is bounded"
	MissedInfeasible Kind = "converged, but is infeasible"
	MissedUnbounded  Kind = "converged, but is unbounded"
	WorseThanPlanted Kind = "convex, worse than a known point"
	WorseThanStart   Kind = "worse than its feasible start"
	LostStart        Kind = "infeasible point for a feasible start"
	NotAtRest        Kind = "converged, but a small step improves much"
	Differs          Kind = "program and library differ"
	NotConverged     Kind = "not converged"
)

// A Finding is something wrong with an answer.
type Finding struct {
	Kind Kind
	Text string
}

// worse is how much worse than a known point a converged one of a convex problem
// may be, relative to the largest term of the objective at either: ten times the
// default tolerance of the procedure. corner is the same relative to the largest
// term at two corners of the box: a tenth of the backend's tolerance.
const worse, corner = 1e-5, 1e-9

// Judge says what is wrong with an answer.
func (p *Problem) Judge(a *Arith, ans Answer) []Finding {
	j := judgement{p: p, a: a, ans: ans}
	for _, v := range ans.X {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			j.say(NotANumber, "x = %v", ans.X)
			return j.found
		}
	}
	j.outcome()
	if len(ans.X) == len(p.Lo) {
		j.at = p.At(a, ans.X)
		j.numbers()
		j.feasibility()
		j.beside()
		j.rest()
	}
	return j.found
}

type judgement struct {
	p     *Problem
	a     *Arith
	ans   Answer
	at    Exact
	found []Finding
}

func (j *judgement) say(k Kind, format string, args ...any) {
	j.found = append(j.found, Finding{k, fmt.Sprintf(format, args...)})
}

func (j *judgement) converged() bool { return j.ans.Status == "converged" }

// outcome judges the status alone.
func (j *judgement) outcome() {
	p, s := j.p, j.ans.Status
	switch {
	case s == "infeasible" && p.Planted != nil:
		j.say(FalseInfeasible, "feasible: %v", p.Planted)
	case s == "unbounded" && p.Bounded():
		j.say(FalseUnbounded, "all variables have bounds")
	case s == "unbounded" && p.NonNegative:
		j.say(FalseUnbounded, "the objective is at least 0")
	case j.converged() && p.Infeasible:
		j.say(MissedInfeasible, "at %v", j.ans.X)
	case j.converged() && p.Unbounded:
		j.say(MissedUnbounded, "at %v, %g", j.ans.X, j.ans.Objective)
	}
	expected := p.Infeasible && s == "infeasible" || p.Unbounded && s == "unbounded"
	if !j.converged() && !expected {
		j.say(NotConverged, "%s", s)
	}
}

// numbers compares the stated numbers with the true ones.
func (j *judgement) numbers() {
	t, ans := &j.at, &j.ans
	if t.Outside == nil && !t.Overflow && !math.IsInf(ans.Objective, 0) {
		allowed := t.ObjectiveErr
		if !math.IsNaN(ans.ObjectiveError) {
			allowed = ans.ObjectiveError
			if ans.ObjectiveError > 1000*t.ObjectiveErr {
				j.say(LooseError, "stated %.3g, an honest evaluation has %.3g", ans.ObjectiveError, t.ObjectiveErr)
			}
		}
		exact, _ := t.Objective.Float64()
		switch {
		case math.IsNaN(ans.Objective):
			j.say(NotANumber, "objective NaN, exact %.17g", exact)
		default:
			if d, _ := j.a.Sub(t.Objective, j.a.Of(ans.Objective)).Float64(); math.Abs(d) > allowed {
				j.say(WrongObjective, "reported %.17g, exact %.17g, allowed %.3g", ans.Objective, exact, allowed)
			}
		}
	}
	if t.Outside != nil || t.Overflow {
		return
	}
	if v := ans.Violation; math.IsNaN(v) || v < t.Least || v > t.Most {
		j.say(WrongViolation, "reported %.17g, exact %.17g in [%.3g, %.3g], %s", v, t.Violation, t.Least, t.Most,
			t.Worst)
	}
}

// feasibility judges a point that is said to be converged.
func (j *judgement) feasibility() {
	t := &j.at
	if !j.converged() || t.Overflow {
		return
	}
	if t.Outside != nil {
		j.say(OutsideDomain, "%v at %v", t.Outside, j.ans.X)
	}
	if t.Bound > 0 {
		j.say(OutsideBounds, "by %.3g", t.Bound)
	}
	switch {
	case t.Relative > j.ans.FeasTol:
		j.say(BrokenRelative, "by %.3g, of its terms %.3g: %s", t.Violation, t.Relative, t.Worst)
	case t.Least > j.ans.FeasTol:
		j.say(BrokenAbsolute, "by %.3g, of its terms %.3g: %s", t.Violation, t.Relative, t.Worst)
	}
}

// beside compares the point with others that are known.
func (j *judgement) beside() {
	p, t := j.p, &j.at
	if t.Overflow || t.Outside != nil {
		return
	}
	if p.Convex && j.converged() && p.Planted != nil && t.Relative <= j.ans.FeasTol {
		d, allowed := j.behind(p.Planted, worse)
		for _, x := range [][]float64{p.Lo, p.Hi} {
			if p.Bounded() {
				allowed += corner * p.At(j.a, x).ObjectiveSize
			}
		}
		if d > allowed {
			j.say(WorseThanPlanted, "by %.6g (allowed %.3g) than %v", d, allowed, p.Planted)
		}
	}
	if p.Start == nil || math.IsInf(j.ans.Objective, 0) {
		return
	}
	start := p.At(j.a, p.Start)
	if start.Outside != nil || start.Overflow || start.Most > 0 {
		return
	}
	if t.Least > j.ans.FeasTol {
		j.say(LostStart, "%s, breaks by %.3g (of its terms %.3g), the start by nothing", j.ans.Status, t.Violation,
			t.Relative)
	} else if d, allowed := j.behind(p.Start, 0); d > allowed {
		j.say(WorseThanStart, "%s, by %.6g", j.ans.Status, d)
	}
}

// behind is how much worse the answer's point is than x, and how much it may be
// for rounding and a relative tolerance.
func (j *judgement) behind(x []float64, tol float64) (d, allowed float64) {
	other := j.p.At(j.a, x)
	if other.Objective == nil || other.Overflow {
		return 0, 0
	}
	d, _ = j.a.Sub(j.at.Objective, other.Objective).Float64()
	if j.p.Maximize {
		d = -d
	}
	return d, tol*max(j.at.ObjectiveSize, other.ObjectiveSize) + j.at.ObjectiveErr + other.ObjectiveErr
}
