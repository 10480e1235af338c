package interior

import "context"

// start makes the first point: x and the multipliers of equalities solve the
// problem in which each side is a penalty of weight one, and s and z are moved
// from there into the interior as Mehrotra 1992 does. It reports failure of the
// factorisation.
//
// Where most variables have no square in the objective, x and the multipliers come apart, as his
// do: x from the sides without the costs, and the multipliers from the costs without the sides. In
// a linear problem the weight does not matter then.
func (w *Work) start(ctx context.Context) bool {
	w.firstWeights()
	clear(w.x)
	clear(w.y)
	for _, c := range w.parts() {
		clear(c.data().s)
		clear(c.data().z)
	}
	w.method.begin(w)
	w.placeFixed()
	w.residuals()
	for _, c := range w.parts() {
		c.begin()
	}
	if !w.scale(ctx) {
		return false
	}
	w.setGoal()
	apart := !w.Homogeneous() && 2*w.prog.bare > w.n
	if apart {
		clear(w.res.rd)
	}
	if !w.factorAndSolve(ctx, nil, w.direction) {
		return false
	}
	for j, d := range w.dx {
		w.x[j] += d
	}
	if apart {
		w.costsAlone()
		w.direction(ctx)
	}
	w.firstWeights()
	for i := w.n; i < len(w.y); i++ {
		w.y[i] += w.dy[i]
	}
	w.method.moderate(w)
	w.multiply(w.v, w.x, w.y)
	w.interior()
	return ctx.Err() == nil
}

// costsAlone sets the right-hand sides of the first point to the costs, and the others to zero.
func (w *Work) costsAlone() {
	w.products()
	for j, g := range w.res.grad[:w.n] {
		w.res.rd[j] = -g
	}
	for _, j := range w.prog.fixedVars {
		w.res.rd[j] = 0
	}
	clear(w.res.re)
	for _, c := range w.parts() {
		clear(c.data().rp)
	}
}

// placeFixed gives fixed variables their value.
func (w *Work) placeFixed() {
	for _, j := range w.prog.fixedVars {
		w.x[j] = w.prog.lo[j]
	}
}

// interior sets s and z from the point of the weighted problem.
func (w *Work) interior() {
	minS, minZ := 0.0, 0.0
	for _, c := range w.parts() {
		s, z := c.raw(w)
		minS, minZ = min(minS, s), min(minZ, z)
	}
	addS, addZ := -1.5*minS, -1.5*minZ
	prod, sumS, sumZ := 0.0, 0.0, 0.0
	for _, c := range w.parts() {
		p, s, z := c.sums(addS, addZ)
		prod, sumS, sumZ = prod+p, sumS+s, sumZ+z
	}
	if prod > 0 && sumS > 0 && sumZ > 0 {
		addS += prod / (2 * sumZ)
		addZ += prod / (2 * sumS)
	}
	for _, c := range w.parts() {
		c.push(addS, addZ)
	}
}

// distant is the size, bounds being typically 1, from which a side attracts
// the first point no more, and its multiplier starts the smaller the farther
// it is: one huge bound would rule μ.
// Source: docs/lab/bench.md, Constants of ipm.
const distant = 1e3

// leastStart keeps the first s and z from zero where no side is violated.
// Source: docs/lab/bench.md, Constants of ipm.
const leastStart = 1e-2

// Multipliers at the solution can be thousands of times as large as at the first point, as where
// rows bound differences of differences. Then slacks fall to zero before multipliers have grown,
// and short steps follow each other. So where one of the first steps is short for both, and
// complementarity is not yet far above the data, the multipliers of all sides are raised, once.
// They are raised further where every variable has a square in the objective and a step is short
// for the slacks alone: there one step of x makes up for multipliers that are too large. Source:
// docs/lab/bench.md, Constants of ipm.
const (
	early    = 6    // steps
	hindered = 0.25 // a step that is shorter
	raised   = 10   // the factor

	earlySquares      = 4   // steps where every variable has a square
	hinderedSquares   = 0.7 // a step of slacks that is shorter,
	unhinderedSquares = 0.9 // beside one of multipliers that is as long
	raisedSquares     = 300 // the factor
)

// lift is the factor by which the multipliers of sides are raised after step k, 1 for none.
func (w *Work) lift(k int) float64 {
	switch {
	case !w.fresh:
		return 1
	case k < early && max(w.αp, w.αd) < hindered && w.res.μ < distant:
		return raised
	case k < earlySquares && w.αp < hinderedSquares && w.αd >= unhinderedSquares && w.Strict():
		return raisedSquares
	}
	return 1
}

// raise multiplies the multipliers of sides by factor, once in a run.
func (w *Work) raise(factor float64) {
	if factor == 1 {
		return
	}
	w.fresh = false
	for k := range w.side.z {
		w.side.z[k] *= factor
	}
}
