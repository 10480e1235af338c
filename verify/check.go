package verify

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
)

// Result is the members of a result of `dcopt solve --json` that can be checked.
type Result struct {
	Status    string                     `json:"status"`
	Objective *float64                   `json:"objective"`
	Error     float64                    `json:"objective_error"`
	Violation *float64                   `json:"max_violation"`
	Feasible  *bool                      `json:"feasible"`
	Bound     *float64                   `json:"bound"`
	Proved    *bool                      `json:"proved"`
	Ray       map[string]json.RawMessage `json:"ray"`
	Variables map[string]json.RawMessage `json:"variables"`
	// Multipliers of constraints and bounds.
	Duals      map[string]json.RawMessage `json:"duals"`
	BoundDuals map[string]json.RawMessage `json:"bound_duals"`
}

// ParseResult reads a result.
func ParseResult(text []byte) (*Result, error) {
	r := &Result{}
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(r); err != nil {
		return nil, fmt.Errorf("no result of dcopt solve --json: %w", err)
	}
	if r.Status == "" {
		return nil, fmt.Errorf("no result of dcopt solve --json: it has no status")
	}
	return r, nil
}

// Point is an evaluation of a point. The objective lies between Lo and Hi.
type Point struct {
	Lo, Hi float64
	// Violation: no bound or constraint is broken by more. Worst names one that is broken by
	// about so much.
	Violation float64
	Worst     string
	// Outside says which function has no value at the point; "" where all have one.
	Outside string
}

// Finding is a statement of a result that was checked.
type Finding struct {
	OK   bool
	Text string
}

// point is the numbers of the variables.
func (p *Problem) point(from map[string]json.RawMessage) ([]float64, error) {
	x := make([]float64, p.n)
	for _, v := range p.vars {
		raw, ok := from[cmp.Or(v.of, v.name)]
		if !ok {
			return nil, fmt.Errorf("the result has no variable %s", cmp.Or(v.of, v.name))
		}
		var any any
		if err := json.Unmarshal(raw, &any); err != nil {
			return nil, fmt.Errorf("the variable %s: %w", v.name, err)
		}
		any = v.part(any)
		flat, err := flattenJSON(any, nil)
		if err != nil || len(flat) != len(v.at) {
			return nil, fmt.Errorf("the variable %s has not the %d numbers that the problem declares", v.name, len(v.at))
		}
		for k, j := range v.at {
			if j >= 0 {
				x[j] = flat[k]
			}
		}
		for k, j := range v.at {
			if j >= 0 && x[j] != flat[k] {
				return nil, fmt.Errorf("the variable %s is not symmetric", v.name)
			}
		}
	}
	return x, nil
}

// part is the value of a part of a complex variable in that of the whole.
func (v *variable) part(whole any) any {
	parts, ok := whole.(map[string]any)
	switch {
	case v.of == "" || !ok:
		return whole
	case v.imaginary:
		return parts["im"]
	}
	return parts["re"]
}

func flattenJSON(v any, to []float64) ([]float64, error) {
	switch v := v.(type) {
	case float64:
		return append(to, v), nil
	case []any:
		var err error
		for _, e := range v {
			if to, err = flattenJSON(e, to); err != nil {
				return nil, err
			}
		}
		return to, nil
	}
	return nil, fmt.Errorf("no number")
}

// floats rounds an interval outward.
func (a ball) floats() (lo, hi float64) {
	lo, acc := a.lo.Float64()
	if acc == big.Above {
		lo = math.Nextafter(lo, math.Inf(-1))
	}
	hi, acc = a.hi.Float64()
	if acc == big.Below {
		hi = math.Nextafter(hi, math.Inf(1))
	}
	return lo, hi
}

// Evaluate evaluates the objective and all constraints at a point, of the length and order of
// the file's variables.
func (p *Problem) Evaluate(x []float64) (out Point, err error) {
	defer func() {
		if wrong := caught(recover()); wrong != nil {
			err = wrong
		}
	}()
	memo := map[*expr]ball{}
	broken := func(amount ball, name string) {
		if _, hi := amount.floats(); hi > out.Violation {
			out.Violation, out.Worst = hi, name
		}
	}
	for _, v := range p.vars {
		for _, j := range v.at {
			if j < 0 {
				continue
			}
			if lo := p.lo[j]; x[j] < lo && !math.IsInf(lo, 1) {
				broken(exactly(lo).sub(exactly(x[j])), "bounds of "+v.name)
			}
			if hi := p.hi[j]; x[j] > hi && !math.IsInf(hi, -1) {
				broken(exactly(x[j]).sub(exactly(hi)), "bounds of "+v.name)
			}
			if math.IsInf(p.lo[j], 1) || math.IsInf(p.hi[j], -1) {
				out.Violation, out.Worst = math.Inf(1), "bounds of "+v.name
			}
		}
	}
	for i := range p.rows {
		r := &p.rows[i]
		b, domain, err := enclose(r.e, x, memo)
		switch {
		case err != nil:
			return out, fmt.Errorf("constraint %s: %w", r.name, err)
		case domain != "":
			out.Outside, out.Violation, out.Worst = domain, math.Inf(1), r.name
			continue
		}
		if math.IsInf(r.hi, -1) || math.IsInf(r.lo, 1) {
			out.Violation, out.Worst = math.Inf(1), r.name
			continue
		}
		if !math.IsInf(r.hi, 1) {
			broken(b.sub(exactly(r.hi)), r.name)
		}
		if !math.IsInf(r.lo, -1) {
			broken(exactly(r.lo).sub(b), r.name)
		}
	}
	b, domain, err := enclose(p.objective, x, memo)
	if err != nil {
		return out, err
	}
	if domain != "" {
		out.Outside, out.Lo, out.Hi = domain, math.Inf(-1), math.Inf(1)
		return out, nil
	}
	out.Lo, out.Hi = b.floats()
	return out, nil
}

// enclose is at, with the domain that the point is outside of.
func enclose(e *expr, x []float64, memo map[*expr]ball) (b ball, domain string, err error) {
	defer func() {
		var d domainError
		if wrong := caught(recover()); errors.As(wrong, &d) {
			domain = d.what
		} else if wrong != nil {
			err = wrong
		}
	}()
	return at(e, x, memo), "", nil
}

// slack is the relative difference of two numbers that still agree: a result has its
// numbers by float64 arithmetic. Source: the largest of dcopt's own bounds of rounding
// errors in its test set is below it.
const slack = 1e-9

// Check evaluates the point of a result, and compares the statements of the result. The error
// says why that cannot be done.
func (p *Problem) Check(r *Result) (pt Point, found []Finding, err error) {
	add := func(ok bool, format string, args ...any) {
		found = append(found, Finding{ok, fmt.Sprintf(format, args...)})
	}
	switch r.Status {
	case "infeasible":
		if p.checkFarkas(r, add) {
			return pt, found, nil
		}
		if ok, why := p.empty(); ok {
			add(true, "no point is feasible: interval arithmetic leaves nothing of the bounds")
		} else {
			add(false, "that no point is feasible is not shown: %s", why)
		}
		return pt, found, nil
	case "unbounded":
		p.checkRay(r, add)
		return pt, found, nil
	}
	x, err := p.point(r.Variables)
	if err != nil {
		return pt, nil, err
	}
	if pt, err = p.Evaluate(x); err != nil {
		return pt, nil, err
	}
	if r.Objective != nil {
		v := *r.Objective
		tol := r.Error + slack*max(1e-300, math.Abs(v), math.Abs(pt.Lo))
		add(pt.Outside == "" && v >= pt.Lo-tol && v <= pt.Hi+tol, "the objective is between %.17g and %.17g; the result states %.17g", pt.Lo, pt.Hi, v)
	}
	if r.Violation != nil {
		v := *r.Violation
		add(pt.Violation <= v*(1+1e-6)+slack*max(1, v), "the violation is at most %.3g%s; the result states %.3g", pt.Violation, where(pt.Worst), v)
	}
	if pt.Outside != "" {
		add(false, "the point is outside the domain of %s", pt.Outside)
	}
	if r.Feasible != nil && *r.Feasible && r.Violation == nil {
		add(pt.Violation <= 1e-6, "the point is feasible to 1e-6")
	}
	if pt.Outside == "" {
		p.checkMultipliers(r, x, pt, add)
	}
	return pt, found, nil
}

func where(name string) string {
	if name == "" {
		return ""
	}
	return " at " + name
}

// empty reports whether interval arithmetic shows that no point is feasible.
func (p *Problem) empty() (ok bool, why string) {
	for i := range p.rows {
		if r := &p.rows[i]; r.e.isConst() && !(r.lo <= r.e.num && r.e.num <= r.hi) {
			return true, ""
		}
	}
	f, err := flatten(&Problem{objective: number(0), rows: p.rows, vars: p.vars, n: p.n, lo: p.lo, hi: p.hi}, p.bounds())
	if err != nil {
		return false, err.Error()
	}
	box := append([]span(nil), f.box...)
	if !f.narrow(box, math.Inf(1), 1000, progress) {
		return true, ""
	}
	return false, "interval arithmetic leaves a part of the bounds; solve --global --proof writes a proof where one is found"
}

// checkRay looks whether the objective falls along a ray from a feasible point.
func (p *Problem) checkRay(r *Result, add func(ok bool, format string, args ...any)) {
	x, err := p.point(r.Variables)
	if err != nil {
		add(false, "the result has no point to begin at: %v", err)
		return
	}
	d, err := p.point(r.Ray)
	if err != nil {
		add(false, "the result has no ray")
		return
	}
	last := math.Inf(1)
	for _, t := range []float64{0, 1, 1e3, 1e6, 1e9} {
		y := make([]float64, len(x))
		size := 1.0
		for j := range y {
			y[j] = x[j] + t*d[j]
			size = max(size, math.Abs(y[j]))
		}
		pt, err := p.Evaluate(y)
		v := pt.Hi
		if p.Maximize {
			v = -pt.Lo
		}
		if err != nil || pt.Violation > 1e-6*size || !(v < last) {
			add(false, "along the ray, at %g times it, the violation is %.3g and the objective between %.6g and %.6g: it does not fall for ever", t, pt.Violation, pt.Lo, pt.Hi)
			return
		}
		last = v
	}
	add(true, "along the ray the objective falls, and the constraints hold, to 1e9 times it")
}

// Compare says whether a proof shows the bound of a result.
func (p *Problem) Compare(r *Result, proof Proved) []Finding {
	better := func(a, b float64) bool { // a is no weaker than b
		tol := slack * max(proof.unit, math.Abs(b))
		if p.Maximize {
			return a <= b+tol
		}
		return a >= b-tol
	}
	infeasible := math.IsInf(proof.Lower, 1) && !p.Maximize || math.IsInf(proof.Lower, -1) && p.Maximize
	word := "at least"
	if p.Maximize {
		word = "at most"
	}
	var out []Finding
	switch {
	case infeasible:
		out = append(out, Finding{r.Status == "infeasible", fmt.Sprintf("the proof shows with %d leaves that no point is feasible", proof.Leaves)})
	case r.Status == "infeasible":
		out = append(out, Finding{false, "the proof does not show that no point is feasible"})
	default:
		ok := r.Bound == nil || better(proof.Lower, *r.Bound)
		text := fmt.Sprintf("the proof shows with %d leaves that the objective of every feasible point is %s %.17g", proof.Leaves, word, proof.Lower)
		if r.Bound != nil {
			text += fmt.Sprintf("; the result states %.17g", *r.Bound)
		}
		out = append(out, Finding{ok, text})
	}
	if !infeasible && !better(proof.Lower, proof.Claimed) {
		out = append(out, Finding{false, fmt.Sprintf("the proof file states %.17g, which its leaves do not show", proof.Claimed)})
	}
	return out
}

// NumVars is the number of variables; Evaluate wants as many.
func (p *Problem) NumVars() int { return p.n }
