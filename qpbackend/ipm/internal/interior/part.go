package interior

import "context"

// part is a factor of the cone K that the slacks s and the multipliers z lie in,
// at a work: the nonnegative orthant of the sides, or the cones of the problem.
// Each row of a part states sgn·v + s = h or, in a cone, s = v − lo.
type part interface {
	// data are the vectors of the part.
	data() *pair
	// degree is the parameter of its barrier: sᵀz = degree·μ on the central path.
	degree() float64

	// multipliers sets the entries of y that z stands for.
	multipliers(y []float64)
	// residual sets rp for the data times τ, and returns its largest entry.
	residual(w *Work, τ float64) float64
	// product is sᵀz.
	product() float64
	// scale finds the scaling at s and z, false where they are no longer inside or
	// ctx has ended.
	scale(ctx context.Context) bool
	// weigh adds the part's entries of the KKT matrix once s and z are eliminated.
	weigh(w *Work)
	// affine sets rc for the predictor, μ to zero.
	affine()
	// centre sets rc for the corrector, from the predictor in ds and dz: second
	// order, and sᵀz to degree·σμ.
	centre(σμ float64)
	// right adds to the right-hand side of the KKT system.
	right(w *Work)
	// recover sets ds and dz from the solution of the KKT system.
	recover(w *Work)

	// reach are the longest steps up to 1, the share of the way to the boundary,
	// that keep s and z inside.
	reach(share float64) (αp, αd float64)
	// after is sᵀz after steps of length αp along ds and αd along dz.
	after(αp, αd float64) float64
	// advance moves s and z.
	advance(αp, αd float64)

	// begin sets s and z to the unit, for the weighted problem of the first point,
	// and bounds rp.
	begin()
	// raw sets s and z from the point of the weighted problem and returns the least
	// margins from the boundary, at most 0.
	raw(w *Work) (s, z float64)
	// sums are of (s + addS·e)·(z + addZ·e), of (s + addS·e)·e and of (z + addZ·e)·e,
	// e the unit.
	sums(addS, addZ float64) (prod, sumS, sumZ float64)
	// push moves s and z by so many units, and inside.
	push(addS, addZ float64)

	// propose sets s and z to the values that x and y propose, and returns how far they are from
	// the cone.
	propose(w *Work) float64
	// warm moves them inside by at least so much; false where that is of no use.
	warm(w *Work, inside float64) bool
}

func (p *pair) data() *pair { return p }

// parts are the parts of w, the orthant first.
func (w *Work) parts() [2]part { return [2]part{&w.side, &w.cone} }

// degree is the divisor of sᵀz + τκ in μ.
func (w *Work) degree() float64 {
	d := w.method.degree()
	for _, c := range w.parts() {
		d += c.degree()
	}
	return d
}

// after is sᵀz + τκ after steps along the direction.
func (w *Work) after(αp, αd float64) float64 {
	sum := w.method.after(αp)
	for _, c := range w.parts() {
		sum += c.after(αp, αd)
	}
	return sum
}
