package interior

import (
	"context"
	"github.com/dcopt/dcopt/internal/num"
	"math"
)

// A warm start keeps x and y and moves s and z into the interior by a share of
// how far the point is from optimal on the new values. Source: sequences of
// linear and quadratic programs with coefficients that change by 1 to 50 %: it
// takes 10 to 40 % fewer iterations than a cold start; nearer to the boundary it
// takes fewer still on some and far more on others.
const (
	warmShare   = 0.1
	leastWarm   = 1e-4
	largestWarm = 1
	warmLimit   = 10.0 // a point further off than this is not used
)

// StartFrom makes the first point from Proposal, or reports that it is no
// good.
func (w *Work) StartFrom() bool {
	w.Load()
	w.method.begin(w)
	w.placeFixed()
	share, limit := w.method.warmth()
	r := w.distance()
	if !(r <= limit) {
		return false
	}
	w.firstWeights()
	inside := min(max(share*r, leastWarm), largestWarm)
	for _, c := range w.parts() {
		if !c.warm(w, inside) {
			return false
		}
	}
	w.method.warmed(w)
	w.fresh, w.trial.warm = false, true
	return true
}

// distance is the largest violation of a row, a bound, or stationarity at w.x
// and w.y. It leaves v behind, and the proposed values in the parts.
func (w *Work) distance() float64 {
	for i, k := range w.prog.kind {
		if k == free {
			w.y[i] = 0
		}
	}
	w.products()
	r := 0.0
	for _, i := range w.prog.fixedRows {
		r = max(r, math.Abs(w.prog.lo[i]-w.v[i]))
	}
	for _, c := range w.parts() {
		r = max(r, c.propose(w))
	}
	for j := range w.n {
		if w.prog.kind[j] != fixed {
			r = max(r, math.Abs(w.res.grad[j]+w.res.aty[j]+w.y[j]))
		}
	}
	return r
}

// Block principal pivoting (Júdice and Pires 1994; Kunisch and Rendl 2003): a set of sides is taken
// to hold with equality and the others are left out, which is one linear system. At its solution
// the sides of the set with multipliers below zero leave and the others that are broken join, all
// at once, until there are none. From a set that is nearly right this takes one to four
// factorisations, where a run of the interior point method has ten. It is for problems with
// curvature in each variable: elsewhere the system of a wrong set may have no solution, and where
// there are many solutions the run through the interior finds the middle of them.
const (
	// absent is the slack of a side outside the set: its weight is the reciprocal.
	// Source: derived: beside any weight of scaled data that is zero.
	absent = 1e30
	// proximalWeight is the weight of the proximal terms, whose errors and rounding errors
	// proximalSteps steps remove. Source: derived: the root of the unit roundoff makes both alike.
	proximalWeight = 1e-8
	proximalSteps  = 4
	// proximalTol is the share of the tolerance at which these steps end.
	// Source: derived: unscaled, residuals may be larger by factors of the scaling.
	proximalTol = 1e-3
	// fall is the share that a set must leave of the sides to exchange, in the mean since the first
	// one: halved by every second set.
	// Source: docs/lab/bench.md, Warm starts.
	fall = math.Sqrt2 / 2
)

// Pivot goes from the sides that Proposal has as active, and ends with Done once solved says so of
// a point. It is given up where the sets do not come nearer to the right one.
func (w *Work) Pivot(ctx context.Context, tol float64, maxIter int, solved func() bool) (iter int, v Verdict) {
	if len(w.cone.of) > 0 || !w.Strict() {
		return 0, GivenUp
	}
	w.Load()
	w.method.begin(w)
	w.placeFixed()
	w.setWeights()
	w.multiply(w.v, w.x, w.y)
	w.chooseSet()
	fewest, enough := math.Inf(1), math.Inf(1)
	for iter < maxIter {
		w.weigh()
		if _, err := w.lin.sys.Factorise(ctx, w.lin.diag); err != nil {
			return iter, ended(ctx, GivenUp)
		}
		iter++
		w.solveSet(ctx, proximalTol*tol, proximalSteps)
		if solved() {
			return iter, Done
		}
		exchanged := float64(w.exchange())
		if fewest = min(fewest, exchanged); iter == 1 {
			enough = exchanged
		}
		if exchanged == 0 || fewest > enough || ctx.Err() != nil {
			return iter, ended(ctx, GivenUp)
		}
		enough *= fall
	}
	return iter, GivenUp
}

// held reports whether side k is in the set: its slack is zero.
func (sd *sides) held(k int) bool { return sd.s[k] == 0 }

// hold puts side k into the set, or takes it out.
func (sd *sides) hold(k int, in bool) {
	sd.s[k] = absent
	if in {
		sd.s[k] = 0
	}
}

// chooseSet takes the sides whose proposed multipliers are larger than their slacks. All z
// are one, so that the weights belong to the set.
func (w *Work) chooseSet() {
	sd := &w.side
	for k, i := range sd.src {
		sd.z[k], sd.rc[k] = 1, 0
		sd.hold(k, sd.sgn[k]*w.y[i] > sd.h[k]-sd.sgn[k]*w.v[i])
	}
}

// setWeights are the proximal weights of a set's system.
func (w *Work) setWeights() {
	w.reg.ρ, w.reg.δ = max(proximalWeight, w.reg.least), proximalWeight
}

// solveSet moves x and y to the solution of the set's system, by at most so many proximal steps
// with the factor at hand, until scaled residuals are at most tol.
func (w *Work) solveSet(ctx context.Context, tol float64, steps int) {
	w.setResiduals()
	for range steps {
		before := max(w.res.pinf, w.res.dinf)
		w.setGoal()
		w.direction(ctx)
		for j, d := range w.dx {
			w.x[j] += d
		}
		for _, i := range w.prog.fixedRows {
			w.y[i] += w.dy[i]
		}
		sd := &w.side
		for k, i := range sd.src {
			if sd.held(k) {
				w.y[i] += sd.sgn[k] * sd.dz[k]
			}
		}
		w.setResiduals()
		if now := max(w.res.pinf, w.res.dinf); now <= tol || !(now <= before/10) {
			return
		}
	}
}

// setResiduals evaluates the point as one of the set's system: multipliers outside the set
// are zero.
func (w *Work) setResiduals() {
	sd := &w.side
	for k := 0; k < len(sd.src); k++ {
		i, held := sd.src[k], sd.held(k)
		if k+1 < len(sd.src) && sd.src[k+1] == i { // its other side
			k++
			held = held || sd.held(k)
		}
		if !held {
			w.y[i] = 0
		}
	}
	for _, i := range w.prog.freeRows {
		w.y[i] = 0
	}
	w.products()
	w.dualResidual()
	for _, i := range w.prog.fixedRows {
		w.res.re[i-w.n] = w.prog.lo[i] - w.v[i]
	}
	for k, i := range sd.src {
		sd.rp[k] = 0
		if sd.held(k) {
			sd.rp[k] = sd.h[k] - sd.sgn[k]*w.v[i]
		}
	}
	w.res.pinf = max(sd.norm(w.res.re), sd.norm(sd.rp))
}

// exchange makes the next set and returns the number of sides in which it differs.
func (w *Work) exchange() (exchanged int) {
	sd := &w.side
	for k, i := range sd.src {
		if sd.held(k) {
			if sd.sgn[k]*w.y[i] >= 0 {
				continue
			}
		} else if sd.h[k]-sd.sgn[k]*w.v[i] >= 0 {
			continue
		}
		sd.hold(k, !sd.held(k))
		exchanged++
	}
	return exchanged
}

// Steady looks at the sides that hold at the present iterate. It reports whether they are likely to
// be the ones of the solution: they are the same as in the iterate before, the step from there was
// nearly a whole one, and they have not been tried. A side holds whose slack has fallen by a larger
// share in that step than its multiplier: unlike the sizes of the two, shares have no units
// (indicators of Tapia, see El-Bakry, Tapia and Zhang 1994). In a warm run, whose first iterates
// are near the solution already, it holds where its multiplier is larger than its slack.
func (w *Work) Steady() bool {
	t, sd := &w.trial, &w.side
	steady := len(t.set) == len(sd.src)
	if !steady {
		t.set = append(t.set[:0], make([]bool, len(sd.src))...)
	}
	for k, z := range sd.z {
		in := z > sd.s[k]
		// equal: before the first step
		if slack, multiplier := z*w.αp*sd.ds[k], sd.s[k]*w.αd*sd.dz[k]; !t.warm && slack != multiplier {
			in = slack < multiplier
		}
		if in != t.set[k] {
			t.set[k], steady = in, false
		}
	}
	t.tried = t.tried && steady
	return steady && !t.tried && min(w.αp, w.αd) >= whole
}

// Untried reports whether the sides that hold, as Steady has seen them, have not been tried.
func (w *Work) Untried() bool { return !w.trial.tried }

// Try moves from an iterate to the solution of the system in which the sides that hold are
// equations and the others are left out, and back unless solved says that this point will do. Where
// one or two sides are wrong they are exchanged. tol is the tolerance of the result, rounds, at
// most most, the number of factorisations. Among several solutions it finds one near the iterate.
func (w *Work) Try(ctx context.Context, tol float64, most int, solved func() bool) (rounds int, ok bool) {
	t, sd := &w.trial, &w.side
	t.tried = true
	w.keep()
	w.setWeights()
	for k, in := range t.set {
		sd.z[k], sd.rc[k] = 1, 0
		sd.hold(k, in)
	}
	for rounds < min(most, mostRounds) {
		w.weigh()
		_, err := w.lin.sys.Factorise(ctx, w.lin.diag)
		if rounds++; err != nil {
			break
		}
		if w.solveSet(ctx, trialTol, 1); w.broken() <= w.Far()*tol {
			if w.solveSet(ctx, trialTol, proximalSteps); solved() {
				return rounds, true
			}
			break
		}
		if w.exchange() > mostWrong || ctx.Err() != nil {
			break
		}
	}
	w.takeBack()
	return rounds, false
}

// Whole moves from an iterate to the end of the step that led there, and back unless good says that
// this point will do. That step was nearly a whole one. It stopped short of the boundary, and left
// the same share of what it would have removed.
func (w *Work) Whole(good func() bool) bool {
	if w.Homogeneous() || min(w.αp, w.αd) < whole || min(w.αp, w.αd) == 1 {
		return false
	}
	sd := &w.side
	w.keep()
	num.Axpy(w.x, 1-w.αp, w.dx)
	num.Axpy(sd.s, 1-w.αp, sd.ds)
	for k, d := range sd.dz {
		sd.z[k] = max(sd.z[k]+(1-w.αd)*d, 0)
	}
	for _, i := range w.prog.fixedRows {
		w.y[i] += (1 - w.αd) * w.dy[i]
	}
	w.residuals()
	if good() {
		return true
	}
	w.takeBack()
	return false
}

// keep keeps the iterate for takeBack.
func (w *Work) keep() {
	t, sd := &w.trial, &w.side
	t.x, t.y = append(t.x[:0], w.x...), append(t.y[:0], w.y...)
	t.s, t.z, t.reg = append(t.s[:0], sd.s...), append(t.z[:0], sd.z...), w.reg
}

// takeBack goes back to the iterate kept.
func (w *Work) takeBack() {
	t, sd := &w.trial, &w.side
	copy(w.x, t.x)
	copy(w.y, t.y)
	copy(sd.s, t.s)
	copy(sd.z, t.z)
	w.reg = t.reg
	w.residuals()
}

// broken is by how much a side outside the set is broken, or a multiplier in it below zero, at
// most.
func (w *Work) broken() (most float64) {
	sd := &w.side
	for k, i := range sd.src {
		if sd.held(k) {
			most = max(most, -sd.sgn[k]*w.y[i])
		} else {
			most = max(most, sd.sgn[k]*w.v[i]-sd.h[k])
		}
	}
	return most
}

const (
	// whole is the share of a step from which on it is nearly a whole one, mostWrong the number of
	// sides that are exchanged in a round, and mostRounds the number of factorisations. Source:
	// docs/lab/bench.md, Constants of ipm.
	whole      = 0.9
	mostWrong  = 2
	mostRounds = 5
	// trialTol is the scaled residual at which a trial is exact.
	// Source: derived: some roundings of data of size one.
	trialTol = 1e-14
)
