package interior

import "context"

// The sides as a part: the nonnegative orthant, with z/s for its scaling.

func (sd *sides) degree() float64            { return float64(len(sd.src)) }
func (sd *sides) scale(context.Context) bool { return true }

// multipliers: y = sgn·z, both sides of an entry together.
func (sd *sides) multipliers(y []float64) {
	c := len(sd.src)
	z, sgn := sd.z[:c], sd.sgn[:c]
	for k, i := range sd.src {
		y[i] = sgn[k] * z[k]
	}
	for _, k := range sd.both {
		y[sd.src[k]] = z[k+1] - z[k]
	}
}

func (sd *sides) residual(w *Work, τ float64) float64 {
	c := len(sd.src)
	s, h, sgn, rp, v := sd.s[:c], sd.h[:c], sd.sgn[:c], sd.rp[:c], w.v
	for k, i := range sd.src {
		rp[k] = τ*h[k] - s[k] - sgn[k]*v[i]
	}
	return sd.norm(rp)
}

// weigh sets the diagonal of sided rows and adds to the one of variables.
func (sd *sides) weigh(w *Work) {
	sd.weights(w.reg.δ)
	wsum, diag, γy, own := w.lin.wsum, w.lin.diag[:len(w.lin.wsum)], w.prog.γy, w.prog.γx+w.reg.ρ
	src, wt := sd.src, sd.wt[:len(sd.src)]
	for k, i := range src[:sd.vars] {
		diag[i] = own + wt[k]
	}
	for _, k := range sd.both[:sd.varBoth] {
		diag[src[k]] = own + (wt[k] + wt[k+1])
	}
	row := func(i int32, sum float64) {
		inv := 1 / max(sum, leastWeight)
		wsum[i] = inv
		diag[i] = -(γy + inv)
	}
	for k := sd.vars; k < len(src); k++ {
		row(src[k], wt[k])
	}
	for _, k := range sd.both[sd.varBoth:] {
		row(src[k], wt[k]+wt[k+1])
	}
}

// leastWeight keeps the reciprocal of a row's weight in range.
// Source: derived: its reciprocal squared is finite, and no weight of scaled data is
// as small.
const leastWeight = 1e-20

// right adds to the right-hand side, and sets its sided rows, scaled as weigh has the matrix.
func (sd *sides) right(w *Work) {
	src, t := sd.src, sd.targets()[:len(sd.src)]
	rhs, wsum := w.lin.rhs[:len(w.lin.wsum)], w.lin.wsum
	for k, i := range src[:sd.vars] {
		rhs[i] += t[k]
	}
	for k := sd.vars; k < len(src); k++ {
		i := src[k]
		rhs[i] = t[k] * wsum[i]
	}
	for _, k := range sd.both[sd.varBoth:] {
		i := src[k]
		rhs[i] = (t[k] + t[k+1]) * wsum[i]
	}
}

// recover computes the steps from dv and dy. The multipliers of the bounds of
// variables are no unknowns of the KKT matrix.
func (sd *sides) recover(w *Work) {
	c := len(sd.src)
	src, sgn, dz, ds := sd.src[:c], sd.sgn[:c], sd.dz[:c], sd.ds[:c]
	wt, b := sd.wt[:c], sd.b[:c]
	allDv, dx := w.dv, w.dx
	allDy := w.dy[:len(allDv)]
	for k, i := range src[:sd.vars] {
		ds[k] = sgn[k] * dx[i]
	}
	sd.duals(sd.vars)
	for k := sd.vars; k < c; k++ {
		i := src[k]
		ds[k], dz[k] = sgn[k]*allDv[i], sgn[k]*allDy[i]
	}
	for _, lo := range sd.both[sd.varBoth:] {
		// The heavier side takes the part that the other
		// leaves of dy: its own formula would be a difference of nearly equal
		// numbers times a large weight.
		up, dv, dy := lo+1, ds[lo+1], dz[lo+1]
		if wt[lo] < wt[up] {
			dz[lo] = wt[lo] * (-dv - b[lo])
			dz[up] = dy + dz[lo]
		} else {
			dz[up] = wt[up] * (dv - b[up])
			dz[lo] = dz[up] - dy
		}
	}
	sd.slacks(w.reg.δ)
}

func (sd *sides) product() float64 { return sd.products(sd.s, sd.z, 0, 0) }

func (sd *sides) reach(share float64) (αp, αd float64) {
	return sd.longest(sd.s, sd.ds, share), sd.longest(sd.z, sd.dz, share)
}

func (sd *sides) after(αp, αd float64) float64 { return sd.products(sd.ds, sd.dz, αp, αd) }

func (sd *sides) advance(αp, αd float64) {
	sd.move(sd.s, αp, sd.ds)
	sd.move(sd.z, αd, sd.dz)
}

func (sd *sides) begin() {
	for k := range sd.s {
		sd.s[k], sd.z[k], sd.rc[k] = 1, 1, 0
		sd.rp[k] = min(max(sd.rp[k], -distant), distant)
	}
}

func (sd *sides) raw(w *Work) (s, z float64) {
	for k, i := range sd.src {
		sd.s[k] = sd.h[k] - sd.sgn[k]*w.v[i]
		sd.z[k] = sd.dz[k]
	}
	return least(sd.s, 0), least(sd.z, 0)
}

func (sd *sides) sums(addS, addZ float64) (prod, sumS, sumZ float64) {
	for k, s := range sd.s {
		prod += (s + addS) * (sd.z[k] + addZ)
		sumS += s + addS
		sumZ += sd.z[k] + addZ
	}
	return prod, sumS, sumZ
}

func (sd *sides) push(addS, addZ float64) {
	for k := range sd.s {
		sd.s[k] = max(sd.s[k]+addS, leastStart)
		sd.z[k] = max(sd.z[k]+addZ, leastStart) * min(1, distant/sd.s[k])
	}
}

// propose leaves z out: a multiplier of the wrong sign belongs to the other side.
func (sd *sides) propose(w *Work) float64 {
	for k, i := range sd.src {
		sd.s[k], sd.z[k] = sd.h[k]-sd.sgn[k]*w.v[i], sd.sgn[k]*w.y[i]
	}
	return -least(sd.s, 0)
}

// least is the least entry of v, at most bound.
func least(v []float64, bound float64) float64 {
	for _, e := range v {
		bound = min(bound, e)
	}
	return bound
}

func (sd *sides) warm(_ *Work, inside float64) bool {
	for k := range sd.s {
		sd.s[k], sd.z[k] = max(sd.s[k], inside), max(sd.z[k], inside)
	}
	return true
}
