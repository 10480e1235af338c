package verify

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/verify/internal/leastsq"
)

// block is a kink: its weights are not negative and add up to the parent's. The sum of a ray is any
// number: it is a multiplier that is looked for. A norm has two weights for each entry with a kink,
// and one share more, of the others.
type block struct {
	parent, first, count int
	ray                  bool
	dual                 float64 // the exponent of the dual norm, 0 for no norm
	known                ball    // the sum of the others' slopes to that power
}

// block begins a block. It returns the number of its first weight.
func (l *lagrangian) block(b block) (first int) {
	b.first = len(l.shares)
	l.blocks = append(l.blocks, b)
	shares := b.count
	if b.dual > 0 {
		shares++
	}
	for range shares {
		l.shares = append(l.shares, &quadratic{})
	}
	return b.first
}

// mostWeights bounds the weights at kinks that are fitted.
// Source: a limit of time, seconds for the dense factorisations.
const mostWeights = 500

// choose takes weights at the kinks that leave a slope near minus the multipliers of the
// bounds, by least squares in numbers that are not negative (Lawson and Hanson 1974, Solving
// Least Squares Problems, chapter 23), each block's sum as a heavy row. The weights are
// hints: whatever they are, the enclosure of the slope holds. Too many are equal.
func (l *lagrangian) choose() []float64 {
	k := len(l.shares) - 1
	t := slices.Repeat([]float64{1}, k+1)
	owner, m := make([]int, k+1), 0 // of the weight that a share goes with; rows
	for w := range owner {
		owner[w] = w
	}
	for _, b := range l.blocks {
		switch {
		case b.ray:
			clear(t[b.first : b.first+b.count])
		case b.dual > 0:
			owner[b.first+b.count] = owner[b.parent]
			m += b.count
		default:
			m++
		}
	}
	if k == 0 || k > mostWeights {
		return t
	}
	rows := map[int]int{} // of variables
	for _, s := range l.shares {
		for j := range s.slope {
			rows[j] = 0
		}
	}
	l.steps += k * k * k / 100 // as expensive as so many
	n := 0
	for _, j := range slices.Sorted(maps.Keys(rows)) {
		rows[j] = n
		n++
	}
	a, b, scale := mat.NewDense(n+m, k, nil), make([]float64, n+m), 0.0
	for j, i := range rows {
		b[i] = -l.bounds[j]
	}
	put := func(i, w int, v float64) { // the constant is on the other side
		if w == 0 {
			b[i] -= v
		} else {
			a.Set(i, w-1, a.At(i, w-1)+v)
		}
	}
	for w, s := range l.shares {
		for j, v := range s.slope {
			if put(rows[j], owner[w], v.mid()); owner[w] > 0 {
				scale = max(scale, math.Abs(v.mid()))
			}
		}
	}
	heavy, light := 1e3*scale, 1e-4*scale // in the units of the slopes
	i := n
	for _, bl := range l.blocks {
		if bl.ray {
			continue
		}
		for q := range bl.count {
			if bl.dual > 0 { // of several slopes the least one
				put(i, bl.first+q, light)
				i++
			} else {
				put(i, bl.first+q, heavy)
			}
		}
		if bl.dual == 0 {
			put(i, owner[bl.parent], -heavy)
			i++
		}
	}
	return append([]float64{1}, leastsq.NonNegative(a, b)...)
}

// enclosed is the weights by their numbers, with the sums that they are to have.
func (l *lagrangian) enclosed(t []float64) []span {
	out := make([]span, len(t))
	out[0] = just(1)
	for _, b := range l.blocks {
		of, own, to := out[b.parent], t[b.first:b.first+b.count], out[b.first:]
		sum := span{}
		for k, v := range own {
			to[k] = just(v)
			sum = sum.plus(to[k])
		}
		switch {
		case b.ray:
		case b.dual > 0:
			to[b.count] = b.within(of, to[:b.count])
		case !(sum.lo > 0): // a sum of zero has no shares
			clear(to[:b.count])
			to[0] = of
		default:
			for k := range own {
				to[k] = of.times(to[k].over(sum))
			}
		}
	}
	return out
}

// within scales the slopes of a norm, the differences of two weights each, to a dual norm of at
// most 1. It returns the weight of the others.
func (b *block) within(of span, to []span) span {
	sum, slopes := b.known, make([]span, len(to)/2)
	for k := range slopes {
		if of.lo > 0 {
			slopes[k] = to[2*k].less(to[2*k+1]).over(of)
		}
		sum = sum.add(exactly(slopes[k].magnitude().hi).power(b.dual))
	}
	_, norm := sum.root(b.dual).floats()
	of = of.over(just(max(1, norm)))
	for k, s := range slopes {
		to[2*k], to[2*k+1] = of.times(s.positive()), of.times(s.minus().positive())
	}
	return of
}
