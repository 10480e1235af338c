package verify

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/internal/enum"
	"github.com/dcopt/dcopt/verify/internal/safe"
)

// Verdict says what is known of a claim, or of all claims of a result.
type Verdict uint8

const (
	Accepted   Verdict = iota // shown
	Incomplete                // neither shown nor false
	Refused                   // false
	numVerdict
)

var verdictText = [numVerdict]string{"accepted", "incomplete", "refused"}

// String is the verdict as the program's JSON has it.
func (v Verdict) String() string { return enum.String(v, "Verdict", verdictText[:]) }

// ParseVerdict is the inverse of String.
func ParseVerdict(name string) (Verdict, error) {
	return enum.Parse[Verdict](name, "verify: no verdict", verdictText[:])
}

// Finding is the verdict on one claim of a result, and its reason.
type Finding struct {
	Claim   string // the member of the result
	Verdict Verdict
	Text    string
}

// Report has a finding for each claim of a result.
type Report struct {
	Point
	Findings []Finding
}

// Verdict is refused where a claim is false, and accepted where all claims are shown.
func (r *Report) Verdict() (worst Verdict) {
	for _, f := range r.Findings {
		worst = max(worst, f.Verdict)
	}
	return worst
}

func (r *Report) add(claim string, v Verdict, format string, args ...any) {
	r.Findings = append(r.Findings, Finding{claim, v, fmt.Sprintf(format, args...)})
}

// verdict is that on a claim that is true if ok, and has another one otherwise.
func verdict(ok bool, otherwise Verdict) Verdict {
	if ok {
		return Accepted
	}
	return otherwise
}

// digits is the relative difference of two numbers that still agree if one of them is a bound that
// was rounded down in another order. Source: the tolerance by which results state that a bound is
// proved is a thousand times larger.
const digits = 1e-9

// checking is the check of one result under way.
type checking struct {
	*Problem
	*Report
	r *Result
	x []float64
	// of expressions at x, or as float64 arithmetic has them if x is outside a domain by rounding
	exact *values
	in    []safe.Span // where better points lie; nil before
	spent int         // on descents
	terms float64     // the size of the objective's terms
	unit  float64     // of the objective, at most 1
	noise float64     // that float64 arithmetic has in the objective
	scale float64     // the size of the objective, at least the unit
	// the largest bound of the cost that is shown: no feasible point has a smaller one; NaN before
	lower float64
	by    string // the reason
}

// Check tests all claims of a result together. The proof, if there is one, is of the same problem.
func (p *Problem) Check(r *Result, proof *Proved) (out Report) {
	c := &checking{Problem: p, Report: &out, r: r, lower: math.NaN()}
	for _, text := range r.wrong {
		c.add("result", Refused, "%s", text)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Sweep)) {
		c.add("sweep", Accepted, "the claims are of the problem with %s = %s", name, r.Sweep[name])
	}
	c.answer()
	defer func() {
		if wrong := safe.Caught(recover()); wrong != nil {
			c.add("result", Incomplete, "not checked: %v", wrong)
		}
	}()
	if proof != nil {
		c.proof(proof)
	}
	switch r.Status {
	case "infeasible":
		c.infeasible(proof)
	case "unbounded":
		c.unbounded()
	}
	if r.Status != "unbounded" && r.ray != nil {
		c.add("ray", Refused, "the status is %s, and the result has a ray", r.Status)
	}
	values := r.Objective != nil || r.Violation != nil || r.Bound != nil || r.Gap != nil ||
		r.Feasible != nil && *r.Feasible
	if len(r.variables) > 0 || values || r.lets != nil || r.Status != "infeasible" && r.Status != "unbounded" {
		c.at()
	}
	return out
}

// answer: words that say more than the other members are false.
func (c *checking) answer() {
	r := c.r
	if r.answer == nil || *r.answer == "" {
		return
	}
	proved := r.Proved != nil && *r.Proved
	text := *r.answer
	number := func(before, after string) (v float64, ok bool) { // that the text goes on with
		rest, found := strings.CutPrefix(text, before)
		digits, rest, ended := strings.Cut(rest, after)
		if ok = found && ended && json.Unmarshal([]byte(digits), &v) == nil; ok {
			text = rest
		}
		return v, ok
	}
	ok := false
	for words, said := range map[string]bool{
		"optimal, proved": proved, "infeasible, proved": proved && r.Status == "infeasible",
		"best point so far": !proved, "local minimum": r.Status == "converged" && !proved,
		"no feasible point": r.Feasible != nil && !*r.Feasible && !proved,
	} {
		if rest, found := strings.CutPrefix(text, words); found {
			text, ok = rest, said
		}
	}
	if proved {
		if _, some := number(" with ", " nodes"); !some {
			number(" with ", " node")
		}
	}
	percent := strings.Contains(text, " % better is possible")
	better, possible := number("; at most ", map[bool]string{true: " %", false: ""}[percent]+" better is possible")
	if bound, known := number(" (bound ", ", "); known {
		ok = ok && r.Bound != nil && bound == *r.Bound
		_, nodes := number("", " nodes)")
		ok = ok && nodes
	}
	if possible {
		least := math.Inf(1)
		if r.Bound != nil && r.Objective != nil {
			least = math.Abs(*r.Objective - *r.Bound)
		}
		if percent {
			least *= 100 / math.Abs(*r.Objective)
		}
		ok = ok && better >= 0.94*least // it has two digits
	}
	for _, words := range [2]string{"; no bound, as ", "; no better bound, as "} {
		if text == words+r.noBound {
			text = ""
		}
	}
	if !ok || text != "" {
		c.add("answer", Refused, "the other members do not say: %q", *r.answer)
	}
}

// at tests the claims on the point.
func (c *checking) at() {
	r := c.r
	var err error
	if c.x, err = c.point(r.variables); err != nil {
		c.add("variables", Refused, "%v", err)
		return
	}
	c.exact = newValues(c.x, false)
	c.Point = c.measure(c.exact, r.worst)
	rounds := newValues(c.x, true)
	rough := c.measure(rounds, r.worst)
	if r.worst != "" && math.IsInf(rough.named, -1) {
		c.add("worst", Refused, "the problem has no constraint and no variable %q that a point may break", r.worst)
	}
	switch {
	case rough.Outside != "" && c.Outside != "":
		by, v := "", Refused
		near := c.beside(c.tol)
		none := r.Status == "infeasible" || r.Status == "unbounded" ||
			r.Status != "converged" && r.Feasible != nil && !*r.Feasible
		switch {
		// The point need not have a value; nor a row one that the point is said to break.
		case none && (r.Objective == nil || !math.IsInf(c.Lo, -1)):
			v = Incomplete
		case c.limit() && c.measure(near, "").Outside == "": // nor be further inside than a tolerance
			by, v = fmt.Sprintf(" by %.3g, and has no value there", near.short), Incomplete
		}
		c.add("variables", v, "the point is outside the domain of %s%s", rough.Outside, by)
		return
	case rough.Outside != "":
		c.add("variables", Incomplete,
			"the point is so near to an end of the domain of %s that rounding errors decide", rough.Outside)
		return
	case c.Outside != "":
		c.Point, c.exact = rough, rounds
	}
	c.noise = safe.Above(rough.Hi, -rough.Lo)
	c.sizes()
	c.indices()
	c.objective(&rough)
	c.violation(&rough)
	c.letsOf()
	c.optimality()
	c.bounds()
	c.reason()
}

// reason: of the ends of a convergence those that say more than the status are shown.
func (c *checking) reason() {
	r := c.r
	if r.Status != "converged" || r.reason == nil {
		return
	}
	switch absent := r.absent != nil; *r.reason {
	case "minimum":
		if !c.enough(c.lower) {
			c.add("reason", Incomplete, "that the point is the minimum is not shown")
		}
	case "stationary", "no_better_step":
		if absent != (*r.reason == "no_better_step") {
			c.add("reason", Refused, "%s, and multipliers: %t", *r.reason, !absent)
		}
	case "not_attained":
		if !slices.ContainsFunc(c.box, func(b safe.Span) bool { return math.IsInf(b.Hi-b.Lo, 1) }) {
			c.add("reason", Refused, "all variables have bounds, so that no point runs off")
		}
	}
}

// beside are values with arguments beyond a domain by no more than the tolerance at its end, or so
// far inside where the end is open.
func (c *checking) beside(inside float64) *values {
	v := newValues(c.x, false)
	v.reach, v.inner = c.tol, inside
	return v
}

// limit reports whether the stated objective, if any, is the limit of values towards the ends of
// domains.
func (c *checking) limit() bool {
	for _, inside := range [2]float64{1e-150, 1e-300} { // Source: any that logarithms tell apart do
		v := c.r.Objective
		if v == nil {
			break
		}
		b, outside, err := enclose(c.Problem.objective, c.beside(inside))
		if outside != "" || err != nil || !(math.Abs(b.Span().Mid()-*v) <= c.tol*max(1, math.Abs(*v))) {
			return false
		}
	}
	return true
}

// objective: the stated number is a value that float64 arithmetic may have, and the stated error
// covers the difference.
func (c *checking) objective(rough *Point) {
	v, e := c.r.Objective, c.r.Error
	switch {
	case v != nil:
		lo, hi := min(rough.Lo, c.Lo), max(rough.Hi, c.Hi)
		ok, otherwise := *v >= lo && *v <= hi, Refused
		text := fmt.Sprintf("the objective is between %.17g and %.17g; the result states %.17g", c.Lo, c.Hi, *v)
		if e != nil && ok {
			if c.computed { // errors of data are not in the result's
				otherwise = Incomplete
			}
			ok = *v >= safe.Below(c.Lo, -*e) && *v <= safe.Above(c.Hi, *e)
			text += fmt.Sprintf(" with an error of at most %.3g", *e)
		}
		c.add("objective", verdict(ok, otherwise), "%s", text)
	case c.r.Status == "converged":
		c.add("objective", Incomplete, "the result is converged, and states no objective")
	}
}

// feasTol is the violation of a row, in its unit, up to which points are feasible if the file says
// no other. Source: the default of the option feas_tol, docs/language.md.
const feasTol = 1e-6

// violation: the stated number is one that float64 arithmetic may have, and feasible points satisfy
// the tolerance.
func (c *checking) violation(rough *Point) {
	r := c.r
	if v := r.Violation; v != nil {
		c.add("max_violation", verdict(*v >= rough.least && *v <= max(rough.Violation, c.Violation), Refused),
			"the violation is at most %.3g%s; the result states %.3g", c.Violation, where(c.Worst), *v)
	}
	otherwise := Refused
	if r.Violation == nil { // beyond all float64 numbers, the result says
		otherwise = Incomplete
	}
	if most := max(c.named, rough.named); r.worst != "" && !math.IsInf(most, -1) && !(most > 0 && most >= rough.least) {
		c.add("worst", otherwise, "%s is broken by at most %.3g, and a row by %.3g", r.worst, max(0, most), rough.least)
	}
	switch {
	case r.Feasible != nil && *r.Feasible || r.Status == "converged":
		claim := "feasible"
		if r.Feasible == nil || !*r.Feasible {
			claim = "status"
		}
		c.excess = min(c.excess, rough.excess)
		v := verdict(c.excess <= c.tol, Refused)
		// terms may be added up otherwise
		if v == Refused && c.excess <= c.tol/leastUnit && c.Violation <= c.tol {
			v = Incomplete
		}
		c.add(claim, v, "the point breaks a row by %.3g times its unit; feasible points break none by more than %.3g",
			c.excess, c.tol)
	case r.Feasible != nil:
		infinite := math.IsInf(rough.Lo, 0) || math.IsInf(rough.Hi, 0) // the objective is no number
		c.add("feasible", verdict(rough.excess > 0 || infinite, otherwise),
			"the result states that the point is not feasible")
	}
	if r.Status == "converged" && r.Feasible != nil && !*r.Feasible {
		c.add("status", Refused, "the result is converged, and states that its point is not feasible")
	}
}

func where(name string) string {
	if name == "" {
		return ""
	}
	return " at " + name
}

// show notes a bound of the cost.
func (c *checking) show(lower float64, by string) {
	if !(c.lower >= lower) {
		c.lower, c.by = lower, by
	}
}

// cost is a number of the objective as one that is minimised.
func (p *Problem) cost(v float64) float64 {
	if p.Maximize {
		return -v
	}
	return v
}

// proof notes the bound that a proof shows, and tests the one that it states.
func (c *checking) proof(proof *Proved) {
	lower, claimed := c.cost(proof.Lower), c.cost(proof.Claimed)
	c.show(lower, fmt.Sprintf("the proof, with %d leaves", proof.Leaves))
	switch {
	case math.IsInf(lower, 1):
		c.add("proof", verdict(c.r.Status == "infeasible", Refused),
			"the proof shows with %d leaves that no point is feasible", proof.Leaves)
	case c.r.Status != "infeasible" && !math.IsInf(claimed, 1): // else its file states no bound
		c.add("proof", verdict(lower >= claimed-digits*max(proof.unit, math.Abs(claimed)), Incomplete),
			"the proof shows with %d leaves that the objective of every feasible point is %s %.17g; "+
				"its file states %.17g",
			proof.Leaves, c.side(), proof.Lower, proof.Claimed)
	}
}

func (p *Problem) side() string {
	if p.Maximize {
		return "at most"
	}
	return "at least"
}

// bounds tests the claims on other points: bound, gap and proved.
func (c *checking) bounds() {
	r := c.r
	value := c.cost(c.worse())
	if r.Bound != nil {
		b := c.cost(*r.Bound)
		switch {
		case c.Violation == 0 && b > value+digits*max(c.unit, math.Abs(value)):
			c.add("bound", Refused,
				"the point is feasible, and its objective %.17g is better than the bound %.17g", c.worse(), *r.Bound)
		case math.IsNaN(c.lower):
			c.add("bound", Incomplete, "nothing shows a bound; solve --global --proof writes a proof")
		default:
			c.add("bound", verdict(c.lower >= b-digits*max(c.unit, math.Abs(b)), Incomplete),
				"every feasible point has an objective %s %.17g, by %s; the result states %.17g",
				c.side(), c.cost(c.lower), c.by, *r.Bound)
		}
	}
	switch {
	case r.Gap == nil:
	case r.Bound == nil || r.Objective == nil:
		c.add("gap", Refused, "the result states a gap, and no objective and bound")
	default:
		d, size := max(0, c.cost(*r.Objective)-c.cost(*r.Bound)), math.Abs(*r.Objective)
		least, most, v := d/max(min(1, otherUnit*c.terms), size), d/max(min(1, c.terms/otherUnit), size), Refused
		within := func(least, most float64) bool { return *r.Gap >= least*(1-digits) && *r.Gap <= most*(1+digits) }
		if within(d/max(1, size), d/max(math.SmallestNonzeroFloat64, size)) { // in some unit
			v = verdict(within(least, most), Incomplete)
		}
		c.add("gap", v, "objective and bound are apart by %.3g to %.3g; the result states a gap of %.3g",
			least, most, *r.Gap)
	}
	if r.Proved != nil && *r.Proved && r.Status != "infeasible" {
		switch {
		case c.excess > c.tol:
			c.add("proved", Refused, "the point is not feasible")
		case math.IsNaN(c.lower):
			c.add("proved", Incomplete, "nothing shows a bound; solve --global --proof writes a proof")
		default:
			gap := (value - c.lower) / max(c.unit, math.Abs(value))
			c.add("proved", verdict(gap <= provedGap, Incomplete),
				"the objective is at most %.3g from the best one, relative, by %s", max(0, gap), c.by)
		}
	}
}

// otherUnit is the factor by which the unit of the objective may be another one, as its terms may
// be split otherwise. Source: all but 4 of the gaps in results of the examples, the cases and the
// small MINLPLib problems are within it; with 4 three more are not.
const otherUnit = 32

// provedGap is the largest gap of results that state a proof. Source: docs/json.md, with half as
// much again for the two roundings of a bound to digits.
const provedGap = 1e-6 + 2*digits

// worse is the end of the objective's interval that is worse.
func (c *checking) worse() float64 {
	if c.Maximize {
		return c.Lo
	}
	return c.Hi
}

// sizes finds the size of the objective's terms, at the point or at the usual point, the larger
// one, and its size without its constant. At the usual point variables without bounds and starts
// have the size of their entries, unless these are rounding errors of the largest entry of all.
func (c *checking) sizes() {
	size, _ := c.exact.sizes(c.Problem.objective)
	usual, largest := newValues(slices.Clone(c.usual), false), 0.0
	for _, v := range c.x {
		largest = max(largest, math.Abs(v))
	}
	for _, v := range c.vars {
		entries := 0.0
		for _, j := range v.at {
			if j >= 0 && c.box[j] == safe.Whole() && v.start == 0 {
				entries = max(entries, math.Abs(c.x[j]))
			}
		}
		for _, j := range v.at {
			if j >= 0 && entries > 0x1p-52*largest {
				usual.x[j] *= entries
			}
		}
	}
	if c.terms = size; size < otherUnit { // else the unit is 1
		sum, _ := usual.sizes(c.Problem.objective)
		c.terms = max(size, sum)
	}
	if c.terms == 0 {
		c.terms = 1
	}
	c.unit = min(1, c.terms)
	c.scale = max(c.unit, min(size, math.Abs(c.cost(c.worse()))))
}

// NumVars is the number of variables; Evaluate wants as many.
func (p *Problem) NumVars() int { return p.n }
