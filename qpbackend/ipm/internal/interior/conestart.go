package interior

import "github.com/dcopt/dcopt/internal/num"

// begin: the penalty of a cone in the weighted problem is the square of the
// distance from its apex.
func (c *cones) begin() {
	copy(c.s, c.e)
	copy(c.z, c.e)
	clear(c.rc)
	for i, rp := range c.rp {
		c.rp[i] = min(max(rp, -distant), distant)
	}
}

func (c *cones) raw(w *Work) (minS, minZ float64) {
	for _, mb := range c.of {
		v, lo, s := mb.rowsOf(w, w.v), mb.rowsOf(w, w.prog.lo), mb.part(c.s)
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

// sums of the symmetric cones.
func (c *cones) sums(addS, addZ float64) (prod, sumS, sumZ float64) {
	for _, mb := range c.of {
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

func (c *cones) push(addS, addZ float64) {
	for _, mb := range c.of {
		s, z, e := mb.part(c.s), mb.part(c.z), mb.part(c.e)
		if mb.asym != nil {
			for i := range e {
				s[i], z[i] = max(addS, 1)*mb.spread*e[i], max(addZ, 1)/mb.spread*e[i]
			}
			continue
		}
		num.Axpy(s, max(addS, leastStart-mb.sym.Margin(s)), e)
		num.Axpy(z, max(addZ, leastStart-mb.sym.Margin(z)), e)
		shrink := 1.0
		if far := num.Dot(s, e) / mb.Degree(); far > distant {
			shrink = distant / far
		}
		for i := range z {
			z[i] *= shrink
		}
	}
}

// propose: the distance is how far, along the unit, s = v − lo and −y are from the symmetric
// cones.
func (c *cones) propose(w *Work) float64 {
	far := 0.0
	for _, mb := range c.of {
		s, z := mb.part(c.s), mb.part(c.z)
		v, lo, y := mb.rowsOf(w, w.v), mb.rowsOf(w, w.prog.lo), mb.rowsOf(w, w.y)
		for i := range s {
			s[i], z[i] = v[i]-lo[i], -y[i]
		}
		if mb.sym != nil {
			far = max(far, -mb.sym.Margin(s), -mb.sym.Margin(z))
		}
	}
	return far
}

// warm moves cones that are not symmetric until they are central enough.
func (c *cones) warm(w *Work, inside float64) bool {
	_, limit := w.method.warmth()
	for _, mb := range c.of {
		s, z, e := mb.part(c.s), mb.part(c.z), mb.part(c.e)
		if mb.sym != nil {
			num.Axpy(s, max(0, inside-mb.sym.Margin(s)), e)
			num.Axpy(z, max(0, inside-mb.sym.Margin(z)), e)
			continue
		}
		by, sum := inside, 0.0
		for {
			num.Axpy(s, by, e)
			num.Axpy(z, by, e)
			sum += by
			if mb.asym.Inside(s, z, leastWarmCentral, num.Dot(s, z)/3) {
				break
			}
			if by = 2 * sum; !(sum < limit) {
				return false
			}
		}
	}
	return true
}

// leastWarmCentral is leastCentral for a warm start.
// Source: a hundred times leastCentral, so that the first step is not cut.
const leastWarmCentral = 1e-2
