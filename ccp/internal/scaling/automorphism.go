package scaling

import (
	"math"

	"github.com/dcopt/dcopt/qpbackend"
)

// An expAutomorphism scales the rows of an exponential or power cone, each by its own size, with
// an automorphism of the cone (Chandrasekaran and Shah 2017, section 2): of a power cone
// s₀^α·s₁^(1−α) ≥ |s₂| any (r₀, r₁, r₀^α·r₁^(1−α)), of an exponential one
// s₂ ≥ s₁·exp(s₀/s₁) any
//
//	(s₀ + s₁·log c, s₁, c·s₂)·λ.
//
// Were the rows scaled alike, the smaller ones were lost: the rows of t ≥ exp(50) are 50,
// 1 and 5e21. A shear, c ≠ 1, needs a second row that is constant, as it is where exp and
// log come from, or the first row would get the columns of the second.
type expAutomorphism struct {
	kind   qpbackend.ConeKind
	row    int
	α      float64
	shear  float64 // log c
	sheer  bool    // the second row has no columns
	chosen bool
}

// stretches are those of all such cones of p.
func stretches(p *qpbackend.Problem) []expAutomorphism {
	var out []expAutomorphism
	at := map[int]int{} // second row to its place in out
	for _, c := range p.Cones {
		if separate(c.Kind) {
			at[c.Start+1] = len(out)
			out = append(out, expAutomorphism{kind: c.Kind, row: c.Start, α: c.Alpha,
				sheer: c.Kind == qpbackend.Exponential})
		}
	}
	if len(out) > 0 {
		for _, i := range p.A.RowIdx {
			if k, ok := at[i]; ok {
				out[k].sheer = false
			}
		}
	}
	return out
}

// separate reports whether the rows of a cone have units of their own.
func separate(k qpbackend.ConeKind) bool {
	return k == qpbackend.Exponential || k == qpbackend.Power
}

// choose sets the factors of the rows, and the shear, for the sizes of their terms. It
// reports whether they have changed. Units that fit stay, unless first.
func (t *expAutomorphism) choose(row, top []float64, first bool) bool {
	i := t.row
	if t.chosen && !first && t.fits(row, top) {
		return false
	}
	t.chosen = true
	r := [3]float64{1, 1, 1}
	shear := 0.0
	switch t.kind {
	case qpbackend.Power:
		r[0], r[1] = 1/Unit(top[i]), 1/Unit(top[i+1])
		r[2] = math.Pow(r[0], t.α) * math.Pow(r[1], 1-t.α)
	default:
		λ := 1 / Unit(top[i+1])
		if !t.sheer {
			λ = 1 / Unit(max(top[i], top[i+1]))
		}
		r = [3]float64{λ, λ, λ}
		if c := Unit(top[i+1]) / Unit(top[i+2]); t.sheer && c > 0 && c < math.Inf(1) {
			r[2], shear = λ*c, math.Log(c)
		}
	}
	for _, v := range r {
		if !(v > 0 && v < math.Inf(1)) {
			r, shear = [3]float64{1, 1, 1}, 0
		}
	}
	changed := shear != t.shear
	t.shear = shear
	for k, v := range r {
		changed = changed || row[i+k] != v
		row[i+k] = v
	}
	return changed
}

// fits reports whether the terms of the rows that rule the factors are near 1 in their
// units.
func (t *expAutomorphism) fits(row, top []float64) bool {
	i := t.row
	if t.kind == qpbackend.Power {
		return fitsOrNone(top[i]*row[i]) && fitsOrNone(top[i+1]*row[i+1])
	}
	return fitsOrNone(top[i+1]*row[i+1]) && (!t.sheer || fitsOrNone(top[i+2]*row[i+2]))
}

// fitsOrNone: Fits, or no size.
func fitsOrNone(v float64) bool { return v == 0 || Fits(v, 1) }

// turnRows makes multipliers of the copy's rows those of rows that are only scaled;
// backRows undoes it.
func (t *expAutomorphism) turnRows(y []float64) { y[t.row+1] += t.shear * y[t.row] }
func (t *expAutomorphism) backRows(y []float64) { y[t.row+1] -= t.shear * y[t.row] }
