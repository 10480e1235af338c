package ipm

import "context"

// startCones sets the cones up for the weighted problem of the first point:
// the penalty of a cone is the square of the distance from its apex.
func (w *work) startCones(ctx context.Context) bool {
	c := w.cone
	copy(c.s, c.e)
	copy(c.z, c.e)
	clear(c.rc)
	for i, rp := range c.rp {
		c.rp[i] = min(max(rp, -distant), distant)
	}
	return w.scaleCones(ctx)
}

// rawCones sets s and z from the point of the weighted problem, and returns the
// least of their margins and of those given.
func (w *work) rawCones(minS, minZ float64) (float64, float64) {
	c := w.cone
	for k := range c.of {
		mb := &c.of[k]
		v, lo, s := mb.rowsOf(w, w.v), mb.rowsOf(w, w.lo), mb.part(c.s)
		for i := range s {
			s[i] = v[i] - lo[i]
		}
		copy(mb.part(c.z), mb.part(c.dz))
		if mb.sym != nil {
			minS = min(minS, mb.sym.Margin(s))
			minZ = min(minZ, mb.sym.Margin(mb.part(c.z)))
		}
	}
	return minS, minZ
}

// coneSums are the sums of (s + addS·e)·(z + addZ·e), of (s + addS·e)·e and of
// (z + addZ·e)·e over the symmetric cones.
func (w *work) coneSums(addS, addZ float64) (prod, sumS, sumZ float64) {
	c := w.cone
	for k := range c.of {
		mb := &c.of[k]
		if mb.sym == nil {
			continue
		}
		e := mb.part(c.e)
		for i, s := range mb.part(c.s) {
			s += addS * e[i]
			z := mb.part(c.z)[i] + addZ*e[i]
			prod += s * z
			sumS += s * e[i]
			sumZ += z * e[i]
		}
	}
	return prod, sumS, sumZ
}

// pushCones moves s and z into the interior.
func (w *work) pushCones(addS, addZ float64) {
	c := w.cone
	for k := range c.of {
		mb := &c.of[k]
		s, z, e := mb.part(c.s), mb.part(c.z), mb.part(c.e)
		if mb.asym != nil {
			for i := range e {
				s[i], z[i] = max(addS, 1)*e[i], max(addZ, 1)*e[i]
			}
			continue
		}
		axpy(s, max(addS, leastStart-mb.sym.Margin(s)), e)
		axpy(z, max(addZ, leastStart-mb.sym.Margin(z)), e)
		shrink := 1.0
		if far := dot(s, e) / mb.Degree(); far > distant {
			shrink = distant / far
		}
		for i := range z {
			z[i] *= shrink
		}
	}
}

func axpy(dst []float64, α float64, x []float64) {
	for i, v := range x {
		dst[i] += α * v
	}
}

// coneDistance is how far, along the unit, s = v − lo and −y are from the cones
// and their duals. It leaves them in s and z.
func (w *work) coneDistance() float64 {
	c, far := w.cone, 0.0
	for k := range c.of {
		mb := &c.of[k]
		s, z := mb.part(c.s), mb.part(c.z)
		v, lo, y := mb.rowsOf(w, w.v), mb.rowsOf(w, w.lo), mb.rowsOf(w, w.y)
		for i := range s {
			s[i], z[i] = v[i]-lo[i], -y[i]
		}
		if mb.sym != nil {
			far = max(far, -mb.sym.Margin(s), -mb.sym.Margin(z))
		}
	}
	return far
}

// warmCones moves s and z, set by coneDistance, into the interior by at least so
// much, and those of cones that are not symmetric until they are central enough.
// It reports failure.
func (w *work) warmCones(inside float64) bool {
	c := w.cone
	for k := range c.of {
		mb := &c.of[k]
		s, z, e := mb.part(c.s), mb.part(c.z), mb.part(c.e)
		if mb.sym != nil {
			axpy(s, max(0, inside-mb.sym.Margin(s)), e)
			axpy(z, max(0, inside-mb.sym.Margin(z)), e)
			continue
		}
		by, sum := inside, 0.0
		for {
			axpy(s, by, e)
			axpy(z, by, e)
			sum += by
			if mb.asym.Inside(s, z, leastWarmCentral, dot(s, z)/3) {
				break
			}
			if by = 2 * sum; !(sum < coneWarmLimit) {
				return false
			}
		}
	}
	w.hom.κ = (dot(w.side.s, w.side.z) + dot(c.s, c.z)) / (w.count() - 1)
	return true
}

// leastWarmCentral is leastCentral for a warm start.
const leastWarmCentral = 1e-2
