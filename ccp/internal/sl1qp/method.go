package sl1qp

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/ccp/internal/subproblem"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/program"
	"github.com/dcopt/dcopt/qpbackend"
)

// Method is the method for one problem, and for one goroutine.
type Method struct {
	Sub     *subproblem.Problem
	Backend qpbackend.Backend

	p  *program.Problem
	w  *curvature
	y  []float64 // multipliers of the rows
	lo []float64 // bounds of the columns
	hi []float64
	Δ  float64
	weight
	asked   tolerances
	found   bool      // w has its places
	size    []float64 // of the variables
	solves  int       // convex problems
	cost    int       // iterations of the backend since the last Note
	defined []bool    // variables that an equation defines
}

// weight is the penalty of slacks.
type weight struct {
	τ, most float64
	price   []float64 // of the rows' slacks, in multiples of τ; 1 for a row without one
}

// tolerances are of the backend, and of the rows.
type tolerances struct{ tol, feas float64 }

// New returns the method for q, a problem that program.Problem.Linearised has made; nil where
// it has functions of too many variables each, or an objective whose quadratic part
// changes.
func New(ctx context.Context, q *program.Problem, b qpbackend.Backend) (*Method, error) {
	sub, err := subproblem.Compile(ctx, q)
	if err != nil {
		return nil, err
	}
	m := &Method{Sub: sub, Backend: b, p: q, defined: q.Defined()}
	if m.w = newCurvature(sub); m.w == nil || sub.Chooses() {
		return nil, nil
	}
	m.lo, m.hi = sub.Compiled.QP.Lo, sub.Compiled.QP.Hi
	m.size = make([]float64, q.NumVars())
	m.w.size = m.size
	sub.Lin.Now.Lo, sub.Lin.Now.Hi = append([]float64(nil), m.lo...), append([]float64(nil), m.hi...)
	return m, nil
}

// Start is where the method begins.
type Start struct {
	X     []float64
	Tau   float64                   // penalty weight τ
	Unit  float64                   // of τ: the slope of the objective over the slope of the constraints
	Duals [][]float64               // by constraint, see subproblem.Multipliers; nil: not known
	More  func(solves int) bool     // whether another convex problem may follow so many
	Least func(x []float64) float64 // the smallest decrease of the objective that counts at x
	Tol   float64                   // accuracy asked of the backend
	Feas  float64                   // tolerance of program.Problem.Feasible
	// how far the multipliers of the last convex problem are from first-order conditions at x, at
	// most 1 if they hold
	Slope func(x []float64) float64
	// Note is told of each point that the method goes to, with the iterations of the
	// backend since the last one; its error ends the method.
	Note func(x []float64, τ float64, cost int) error
}

// End is where it has ended.
type End struct {
	X []float64
	// Stationary: X is feasible, the convex problem there promises no decrease that counts, and
	// Start.Slope is at most 1.
	Stationary bool
	Solves     int // convex problems
}

// The constants of the trust region, in multiples of the sizes of variables, and of the
// ratio of actual and predicted decrease: Nocedal and Wright 2006, Algorithm 4.1. The
// region begins where a variable may change by its own size.
// Source: that algorithm for good and poor, section 3.1 there for enough; docs/lab/ccp.md,
// Constants, for the others.
const (
	firstRegion = 1.0
	leastRegion = 1e-10
	mostRegion  = 1e3
	good        = 0.75
	poor        = 0.25
	enough      = 1e-4 // of the predicted decrease
	within      = 0.9  // of the region: a shorter step is not bounded by it
	shrink      = 10   // where the backend fails

	// share of Start.Least below which a promised decrease is none: the step that is
	// then made gains two more digits, as Newton's method converges quadratically.
	share = 0.1
)

// The price τ of slacks grows by the factor steering where the convex problem then closes all
// violations, or where it closes now less than the share open of what it closes then (Byrd, Nocedal
// and Waltz 2008). It grows by the factor growth at a point that is not feasible and promises
// nothing. Where it is more than heavy times the largest multiplier, it falls to eased times that
// multiplier, by no more than the factor steering at once, as a single multiplier may be next to 0
// by chance: a heavier penalty makes steps along curved equations short.
// Source: docs/lab/ccp.md, Constants.
const (
	steering = 100
	growth   = 10
	open     = 0.1 // also the share of the violations that the convex problem may leave
	closer   = 0.9 // share of the violations that slacks have to be brought to
	heaviest = 1e10
	heavy    = 10
	eased    = 3
)

// modest is the ratio of the actual and the predicted decrease from which on a step could have been
// longer.
// Source: docs/lab/ccp.md, Constants.
const modest = 1.5

// From runs the method. An error is that of the context or of Note.
func (m *Method) From(ctx context.Context, at Start) (end End, err error) {
	x := append([]float64(nil), at.X...)
	defer func() { end.X, end.Solves = x, m.solves }()
	if err := m.begin(ctx, at); err != nil {
		return end, err
	}
	slope := math.Inf(1) // as long as each step halves it the method goes on
	for m.Sub.Compiled.Inside(x) && at.More(m.solves) && m.Δ > leastRegion {
		if m.p.Objective.IsConst() && m.p.Feasible(x, m.asked.feas) {
			end.Stationary = true
			if m.solves > 0 {
				return end, nil
			}
			return end, at.Note(x, m.τ, 0)
		}
		_, broken := m.merit(x)
		s, err := m.step(ctx, x, broken)
		if err != nil {
			return end, err
		}
		if !s.ok {
			m.Δ /= shrink
			continue
		}
		m.ease(&s, broken)
		φ, _ := m.merit(x)
		if s.pred <= share*at.Least(x) {
			if m.p.Feasible(x, m.asked.feas) {
				y := x
				if ψ, _ := m.merit(s.to); ψ <= φ && m.p.Feasible(s.to, m.asked.feas) {
					y = s.to
				}
				last := slope
				if slope = at.Slope(y); slope <= 1 || !(slope <= last/2) {
					end.Stationary = slope <= 1
					copy(x, y)
					return end, at.Note(x, m.τ, m.spent())
				}
			}
			if s.slack > closer*broken { // nothing closes
				if m.τ >= m.most {
					return end, nil
				}
				m.τ = min(growth*m.τ, m.most)
				continue
			}
		}
		s, ratio, err := m.judge(ctx, x, s, φ)
		if err != nil {
			return end, err
		}
		if ratio > modest {
			m.lengthen(x, s.to)
		}
		m.resize(ratio, m.length(x, s.to))
		if ratio > enough {
			copy(m.y, s.y)
			copy(x, s.to)
			if err := at.Note(x, m.τ, m.spent()); err != nil {
				return end, err
			}
		}
	}
	return end, nil
}

// ease lowers τ where it is far above the multipliers.
func (m *Method) ease(s *trial, broken float64) {
	λ := m.largest(s.y)
	if s.open > m.asked.feas || !(λ > 0) || m.τ <= heavy*λ {
		return
	}
	to := max(eased*λ, m.τ/steering)
	s.pred -= (m.τ - to) * (broken - s.slack)
	m.τ = to
}

// judge is the step, corrected to second order where that is better, and the ratio of
// its actual and predicted decrease of the merit φ. A step that the region bounds is
// corrected where its ratio is not good, too, as Fletcher 1982 does: along curved
// constraints with a price far above their multipliers the ratio of steps as they are
// settles between poor and good, and the region stays small for ever.
func (m *Method) judge(ctx context.Context, x []float64, s trial, φ float64) (trial, float64, error) {
	if math.IsInf(φ, 1) { // x breaks a convex constraint: any step into them is good
		if ψ, _ := m.merit(s.to); math.IsInf(ψ, 1) {
			return s, 0, nil
		}
		return s, 1, nil
	}
	ratio := m.ratio(x, s.to, φ, s.pred)
	if ratio > good || ratio > enough && m.length(x, s.to) < within*m.Δ {
		return s, ratio, nil
	}
	t, err := m.correct(ctx, x, s.to)
	if err == nil && t.ok {
		if r := m.ratio(x, t.to, φ, s.pred); r > max(ratio, enough) {
			return t, r, nil
		}
	}
	return s, ratio, err
}

// lengthen doubles the step from x to y while that lowers the merit, within the region: as convex
// parts that h takes away keep steps short, they are lengthened as those of the procedure are
// (Aragón Artacho, Fleming and Vuong 2018).
func (m *Method) lengthen(x, y []float64) {
	z := make([]float64, len(y))
	for ψ, _ := m.merit(y); 2*m.length(x, y) <= m.Δ; {
		for j := range z {
			z[j] = min(max(y[j]+(y[j]-x[j]), m.lo[j]), m.hi[j])
		}
		m.p.Pin(z)
		next, _ := m.merit(z)
		if !(next < ψ) {
			return
		}
		ψ = next
		copy(y, z)
	}
}

// resize resizes the trust region after a step.
func (m *Method) resize(ratio, length float64) {
	switch {
	case ratio > good && length > within*m.Δ:
		m.Δ = min(2*m.Δ, mostRegion)
	case !(ratio > poor):
		m.Δ = min(m.Δ, length) / 4
	}
}

// spent are the iterations of the backend since the last call.
func (m *Method) spent() int {
	n := m.cost
	m.cost = 0
	return n
}

func (m *Method) begin(ctx context.Context, at Start) error {
	m.asked = tolerances{at.Tol, at.Feas}
	m.solves, m.cost = 0, 0
	m.y = make([]float64, m.Sub.Compiled.Rows.Count())
	points, ownUnit := m.scale(at)
	for i := range m.y {
		r := m.Sub.Compiled.Rows.At(i)
		if at.Duals != nil && !ownUnit && r.Owner >= 0 && r.Entry >= 0 && r.Entry < len(at.Duals[r.Owner]) {
			m.y[i] = at.Duals[r.Owner][r.Entry]
		}
	}
	if !m.found {
		for _, p := range m.w.pieces {
			if err := m.w.find(ctx, p, points); err != nil {
				return err
			}
		}
		m.w.places(false)
		m.Sub.Close()
		m.found = true
	}
	return nil
}

// scale takes units, prices, τ and the trust region of the start. It returns the start and a point
// beside it, as derivatives may be 0 at one. Where convex parts of the objective are steep and
// cancel, the descent has τ in their unit, and its multipliers have errors above the slopes of the
// functions. τ is then in the unit of the functions, and ownUnit is true.
func (m *Method) scale(at Start) (points [][]float64, ownUnit bool) {
	m.Δ, m.τ, m.most = firstRegion, at.Tau, heaviest*at.Unit
	m.Sub.SizeUp(at.X, true)
	if m.Sub.Linearise(at.X, m.τ) == nil {
		m.Sub.SetPrices(at.X)
	}
	m.measure()
	m.price = m.Sub.RowPrices()
	beside := slices.Clone(at.X)
	for j := range beside {
		beside[j] = at.X[j] + 0.01*float64(1+j%7)*m.size[j]
		beside[j] = min(max(beside[j], m.lo[j]), m.hi[j])
	}
	points = [][]float64{at.X, beside}
	unit := 0.0
	for _, x := range points {
		if objective, constraint := m.Sub.Slopes(x); constraint > 0 {
			unit = max(unit, objective/constraint)
		}
	}
	if ownUnit = unit > 0 && unit < at.Tol*at.Unit; ownUnit {
		m.τ, m.most = m.τ*(unit/at.Unit), heaviest*unit
	}
	return points, ownUnit
}

// measure takes the sizes of variables: those at x or, where it is more, of their starts
// and bounds, since a variable that is 0 now need not stay near it.
func (m *Method) measure() {
	for _, v := range m.p.Vars {
		size := v.Size()
		for k := range v.Len() {
			j, own := v.Offset+k, size
			if lo, hi := v.Bounds(k); max(math.Abs(lo), math.Abs(hi)) > 0 {
				own = min(own, max(math.Abs(lo), math.Abs(hi)))
			}
			m.size[j] = max(own, m.Sub.Size(j))
		}
	}
}

// trial is a solution of a convex problem.
type trial struct {
	to    []float64
	y     []float64 // multipliers of the rows
	pred  float64   // decrease of the merit that it predicts
	slack float64   // Σ of the slacks, each times its price
	open  float64   // the same with each in the unit of its row
	ok    bool
}

// step solves the convex problem at x, with a larger price of slacks where that closes more.
func (m *Method) step(ctx context.Context, x []float64, broken float64) (trial, error) {
	s, err := m.solve(ctx, x)
	for τ := m.τ; err == nil && s.ok && s.slack > open*broken && s.open > m.asked.feas && τ < m.most; {
		τ = min(steering*τ, m.most)
		before := m.τ
		m.τ = τ
		t, err := m.solve(ctx, x)
		if err == nil && t.ok && (t.open <= m.asked.feas || broken-s.slack < open*(broken-t.slack)) {
			s = t
			continue
		}
		m.τ = before
		if err != nil || !t.ok || !(s.slack > broken) { // where s breaks more than x, the price is far too small
			return s, err
		}
	}
	return s, err
}

// solve solves the convex problem at x in the trust region.
func (m *Method) solve(ctx context.Context, x []float64) (trial, error) {
	sub := m.Sub
	sub.SizeUp(x, false)
	m.measure()
	if sub.Linearise(x, m.τ) != nil {
		return trial{}, nil
	}
	if err := m.w.at(ctx, x, m.y); err != nil {
		return trial{}, err
	}
	if err := m.w.write(ctx, x); err != nil {
		return trial{}, err
	}
	outside := sub.BreaksHard(x, m.asked.feas) // there may be no point of the convex constraints nearby
	for j := range x {
		δ := m.Δ * m.size[j]
		if outside || m.defined != nil && m.defined[j] {
			δ = math.Inf(1)
		}
		sub.Lin.Now.Lo[j], sub.Lin.Now.Hi[j] = max(m.lo[j], x[j]-δ), min(m.hi[j], x[j]+δ)
	}
	set := m.Backend.DefaultSettings()
	set.Tol = m.asked.tol
	if err := sub.Open(ctx, m.Backend, set); err != nil {
		return trial{}, ctx.Err()
	}
	sub.Session.Centre = append(append(sub.Session.Centre[:0], x...), make([]float64, len(sub.Lin.Now.Q)-len(x))...)
	return m.ask(ctx, x)
}

// ask solves the present convex problem.
func (m *Method) ask(ctx context.Context, x []float64) (trial, error) {
	sub := m.Sub
	if err := sub.Solve(ctx); err != nil {
		return trial{}, ctx.Err()
	}
	m.solves++
	m.cost += sub.Session.Res.Iterations
	s := trial{ok: sub.Session.Res.Status == qpbackend.Solved || sub.Session.Res.Status == qpbackend.AlmostSolved}
	if !s.ok {
		return s, nil
	}
	s.to = append([]float64(nil), sub.Session.Res.X[:len(x)]...)
	for j := range s.to {
		s.to[j] = min(max(s.to[j], m.lo[j]), m.hi[j])
	}
	m.p.Pin(s.to)
	s.y = append(s.y, sub.Session.Res.Y...)
	_, s.slack, s.open = sub.Slack(false)
	_, broken := m.merit(x)
	s.pred = m.predicted(x, s.to) + m.τ*(broken-s.slack)
	return s, nil
}

// correct solves the convex problem at x with the rows as they are at y.
func (m *Method) correct(ctx context.Context, x, y []float64) (trial, error) {
	m.Sub.Correct(y)
	return m.ask(ctx, x)
}

// predicted is the merit at x less that of the convex problem at its solution.
func (m *Method) predicted(x, to []float64) float64 {
	sub := m.Sub
	v := append([]float64(nil), sub.Session.Res.X...)
	copy(v, to)
	pred := m.p.Objective.G().Value(x) - sub.Compiled.QP.Objective(v) // which is not linearised
	d := slices.Clone(to)
	num.Axpy(d, -1, x)
	if sub.Compiled.H0 != nil {
		grad := make([]float64, len(x))
		sub.Compiled.H0.AddSubgrad(grad, 1, x)
		pred += num.Dot(grad, d)
	}
	return pred - m.w.quadratic(d)
}

// ratio is the actual over the predicted decrease of the merit from φ at x to y; a
// change within the rounding error of the objective is as predicted.
func (m *Method) ratio(x, y []float64, φ, pred float64) float64 {
	ψ, _ := m.merit(y)
	_, e := m.p.Objective.Evaluate(x)
	if math.Abs(φ-ψ) <= e && pred <= 10*e {
		return 1
	}
	return (φ - ψ) / pred
}

// merit is φ at x and Σ cᵢ(x)₊; +Inf where x breaks a convex constraint or leaves a
// domain.
func (m *Method) merit(x []float64) (φ, broken float64) {
	if !m.Sub.Compiled.Inside(x) {
		return math.Inf(1), math.Inf(1)
	}
	if broken, _ = m.Sub.Gaps(x); math.IsInf(broken, 1) {
		return broken, broken
	}
	if φ = m.p.Objective.Value(x) + m.τ*broken; math.IsNaN(φ) || m.Sub.BreaksHard(x, 0.1*m.asked.feas) {
		φ = math.Inf(1)
	}
	return φ, broken
}

// length is the length of a step in multiples of the sizes of variables.
func (m *Method) length(x, y []float64) float64 {
	l := 0.0
	for j := range x {
		l = max(l, math.Abs(y[j]-x[j])/m.size[j])
	}
	return l
}

// largest is the largest multiplier of a linearised function over the price of its slack.
func (m *Method) largest(y []float64) float64 {
	l := 0.0
	for _, p := range m.w.pieces {
		if len(p.up) > 0 {
			l = max(l, math.Abs(p.weight(y))/m.price[p.up[0]])
		}
	}
	return l
}
