package interior

import (
	"math"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/simd"
	"github.com/dcopt/dcopt/qpbackend/internal/kkt"
)

// The loops over sides without a look at entries of v. Where the processor has
// wide registers all but the last few sides go through kernels, which round in
// the same way: results do not depend on it.

// whole is the number of sides that kernels take.
func (sd *sides) whole(count int) int {
	if sd.wide {
		return count &^ 3
	}
	return 0
}

// weights sets the weights of the sides once s and z are eliminated.
func (sd *sides) weights(δ float64) {
	c := len(sd.src)
	wt, s, z := sd.wt[:c], sd.s[:c], sd.z[:c]
	from := sd.whole(c)
	if from > 0 {
		simd.Weights(&wt[0], &s[0], &z[0], δ, from)
	}
	for k := from; k < c; k++ {
		wt[k] = z[k] / (s[k] + δ*z[k])
	}
}

// targets sets the right-hand sides b once s and z are eliminated, and returns
// their addition to the right-hand sides of the entries of v. It is kept until slacks is called.
func (sd *sides) targets() []float64 {
	c := len(sd.src)
	b, t, rp, rc := sd.b[:c], sd.ds[:c], sd.rp[:c], sd.rc[:c]
	z, wt, sgn := sd.z[:c], sd.wt[:c], sd.sgn[:c]
	from := sd.whole(c)
	if from > 0 {
		simd.Targets(&b[0], &t[0], &rp[0], &rc[0], &z[0], &wt[0], &sgn[0], from)
	}
	for k := from; k < c; k++ {
		b[k] = rp[k] - rc[k]/z[k]
		t[k] = sgn[k] * wt[k] * b[k]
	}
	return t
}

// duals sets the steps of the multipliers of the first count sides, for the
// steps of sgn·v in ds.
func (sd *sides) duals(count int) {
	dz, wt, dv, b := sd.dz[:count], sd.wt[:count], sd.ds[:count], sd.b[:count]
	for k, d := range dv {
		dz[k] = wt[k] * (d - b[k])
	}
}

// slacks replaces the steps of sgn·v in ds by the steps of s, given the steps of z: from
// the equation that has the smaller coefficients. Which one it is cannot be
// guessed, so both are computed; a branch would cost more.
func (sd *sides) slacks(δ float64) {
	c := len(sd.src)
	s, z, ds, dz, rp, rc := sd.s[:c], sd.z[:c], sd.ds[:c], sd.dz[:c], sd.rp[:c], sd.rc[:c]
	from := sd.whole(c)
	if from > 0 {
		simd.Slacks(&ds[0], &s[0], &z[0], &rp[0], &rc[0], &dz[0], δ, from)
	}
	for k := from; k < c; k++ {
		byProduct := math.Float64bits((rc[k] - s[k]*dz[k]) / z[k])
		bySide := math.Float64bits(rp[k] + δ*dz[k] - ds[k])
		small := uint64(int64(math.Float64bits(s[k]-z[k])) >> 63) // s < z
		ds[k] = math.Float64frombits(byProduct&small | bySide&^small)
	}
}

// longest is the longest step along d, up to 1, that keeps v from falling below
// 1−τ of what it is.
func (sd *sides) longest(v, d []float64, τ float64) float64 {
	d = d[:len(v)]
	from, least := sd.whole(len(v)), 0.0
	if from > 0 {
		least = simd.LeastRatio(&d[0], &v[0], from)
	}
	for k := from; k < len(v); k++ {
		if r := d[k] / v[k]; r < least {
			least = r
		}
	}
	if -least > τ {
		return τ / -least
	}
	return 1
}

// affine sets rc to −s·z.
func (sd *sides) affine() {
	c := len(sd.src)
	rc, s, z := sd.rc[:c], sd.s[:c], sd.z[:c]
	for k := range rc {
		rc[k] = -s[k] * z[k]
	}
}

// centre sets rc to σμ − s·z − ds·dz.
func (sd *sides) centre(σμ float64) {
	c := len(sd.src)
	rc, s, z, ds, dz := sd.rc[:c], sd.s[:c], sd.z[:c], sd.ds[:c], sd.dz[:c]
	from := sd.whole(c)
	if from > 0 {
		simd.Centre(&rc[0], &s[0], &z[0], &ds[0], &dz[0], σμ, from)
	}
	for k := from; k < c; k++ {
		rc[k] = σμ - s[k]*z[k] - ds[k]*dz[k]
	}
}

// move adds α·d to v.
func (sd *sides) move(v []float64, α float64, d []float64) {
	d = d[:len(v)]
	from := sd.whole(len(v))
	if from > 0 {
		simd.Advance(&v[0], &d[0], α, from)
	}
	num.Axpy(v[from:], α, d[from:])
}

// products is Σ s·z after steps of length αp along ds and αd along dz.
func (sd *sides) products(ds, dz []float64, αp, αd float64) float64 {
	c := len(sd.src)
	s, z, ds, dz := sd.s[:c], sd.z[:c], ds[:c], dz[:c]
	from, sum := c&^3, 0.0
	if sd.wide && from > 0 {
		sum = simd.Products(&s[0], &z[0], &ds[0], &dz[0], αp, αd, from)
	} else {
		var part [4]float64 // as in the kernel
		for k := range from {
			part[k&3] += (s[k] + αp*ds[k]) * (z[k] + αd*dz[k])
		}
		sum = (part[0] + part[2]) + (part[1] + part[3])
	}
	for k := from; k < c; k++ {
		sum += (s[k] + αp*ds[k]) * (z[k] + αd*dz[k])
	}
	return sum
}

// norm is the largest entry of v in size.
func (sd *sides) norm(v []float64) float64 { return kkt.NormInf(v, sd.wide) }
