package ldl

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/internal/poll"
	"github.com/dcopt/dcopt/internal/simd"
)

// leading are the pivots that come first: columns of L with few entries, whose children in the
// elimination tree are such columns too. All their updates are known beforehand as places in one
// array of values, so that eliminating them is going through a list, column by column
// (right-looking), without indices to look for. Loops over columns that follow each other and have
// the same small number of entries have no inner loops.
//
// The values are the pivots of all columns, once eliminated their reciprocals, and behind inLine
// others the entries, column by column. Behind them are the values of the matrix that is left, with
// its fill, or the panels of its factor.
type leading struct {
	val   []float64
	dest  []int32   // place in val of each entry of the caller's matrix
	sign  []int8    // of the pivots, as expected; 0 for unknown
	fixed []float64 // their entries before, see load
	late  []moved   // entries of the caller's matrix that belong to the one that is left; nil: all do
	own   []int32   // place in val of each diagonal entry of that
	rest  int       // first place of the matrix that is left
	runs  []run
	row   []int32 // of the entries, column by column, behind inLine others
	// places that the products of pairs of entries (a, b), a ≤ b, are subtracted from, column by
	// column, behind pairsInLine others
	target []int32
}

// moved is an entry of the caller's matrix, and its place in the values.
type moved struct{ from, to int32 }

// The last entries of a column, up to inLine, are eliminated without a loop.
// Source: a limit of speed: columns of networks have up to six entries.
const (
	inLine      = 6
	pairsInLine = inLine * (inLine + 1) / 2
)

// load takes over the values off the diagonal, and the signs.
func (s *leading) load(f *Factor, val []float64, sign []int8) {
	count := len(s.sign)
	if s.fixed == nil {
		s.fixed, s.own = make([]float64, s.rest-count), make([]int32, 0, f.n-count)
		for _, j := range f.order[count:] {
			s.own = append(s.own, s.dest[f.last[j]-1])
		}
		for e, p := range s.dest {
			if count > 0 && int(p) >= s.rest {
				s.late = append(s.late, moved{int32(e), p})
			}
		}
	}
	s.fix(val, 0)
	if sign == nil {
		clear(s.sign)
		return
	}
	for k, j := range f.order[:count] {
		s.sign[k] = sign[j]
	}
}

// fix takes over the values from an entry on.
func (s *leading) fix(val []float64, from int) {
	count, val := len(s.sign), val[from:]
	for e, p := range s.dest[from:] {
		if p := int(p) - count; p >= 0 && p < len(s.fixed) {
			s.fixed[p] = val[e]
		}
	}
}

// place sets the values from the matrix, as loaded, with diag on its diagonal.
func (s *leading) place(work *poll.Poll, f *Factor, diag []float64) error {
	v, count := s.val, len(s.sign)
	pivots := v[:count]
	for k, j := range f.order[:len(pivots)] {
		pivots[k] = diag[j]
	}
	copy(v[count:], s.fixed)
	if err := zero(work, v[s.rest:]); err != nil {
		return err
	}
	val := f.call.val
	if count == 0 {
		for e, p := range s.dest {
			v[p] = val[e]
		}
	}
	for _, e := range s.late {
		v[e.to] = val[e.from]
	}
	for k, p := range s.own {
		v[p] = diag[f.order[count+k]]
	}
	return nil
}

// eliminate sets the values of the leading columns and of the matrix that is left, see place. On
// the way it does the work of forward for f.x: pivots wait for each other, and that fills the time.
// It returns the pivot at which it failed, or −1.
func (s *leading) eliminate(ctx context.Context, f *Factor, diag []float64) (int, error) {
	work := poll.New(ctx)
	if err := s.place(&work, f, diag); err != nil {
		return -1, err
	}
	v, x, row, target, eps := s.val, f.x, s.row, s.target, f.call.reg.Eps
	o, e, t, k := len(s.sign)+inLine, inLine, pairsInLine, 0
	for _, r := range s.runs {
		c := int(r.entries)
		d, sign, pivots := f.d[k:][:r.columns], s.sign[k:][:r.columns], v[k:][:r.columns]
		if r.alike {
			if done := s.fours(f, k, o, e, t, c, d, sign); done < len(d) {
				return k + done, nil
			}
			o, e, t, k = o+c*len(d), e+c*len(d), t+c*(c+1)/2*len(d), k+len(d)
			if err := work.Err(c * c * len(d)); err != nil {
				return -1, err
			}
			continue
		}
		if c == 2 && len(d) >= longRun {
			if done := s.pairs(f, k, o, e, t, d, sign); done < len(d) {
				return k + done, nil
			}
			o, e, t, k = o+2*len(d), e+2*len(d), t+3*len(d), k+len(d)
			if err := work.Err(5 * len(d)); err != nil {
				return -1, err
			}
			continue
		}
		for j := range d {
			own := pivots[j]
			d[j] = own
			inv := 1 / own
			if size := own * float64(sign[j]); !(size > eps && size <= math.MaxFloat64) {
				if !f.pivot(k+j, own) {
					return k + j, nil
				}
				inv = f.dinv[k+j]
			}
			pivots[j] = inv
			w := x[k+j]
			rest := c
			for ; rest > inLine; rest-- {
				u := v[o:][:rest]
				l := u[0] * inv
				for b, p := range target[t:][:rest] {
					v[p] -= l * u[b]
				}
				x[row[e]] -= l * w
				u[0] = l
				o++
				e++
				t += rest
			}
			o += rest
			e += rest
			t += rest * (rest + 1) / 2
			u, i, p := (*[inLine]float64)(v[o-inLine:o:o]), (*[inLine]int32)(row[e-inLine:e:e]),
				(*[pairsInLine]int32)(target[t-pairsInLine:t:t])
			switch rest {
			case 6:
				l := u[0] * inv
				v[p[0]] -= l * u[0]
				v[p[1]] -= l * u[1]
				v[p[2]] -= l * u[2]
				v[p[3]] -= l * u[3]
				v[p[4]] -= l * u[4]
				v[p[5]] -= l * u[5]
				x[i[0]] -= l * w
				u[0] = l
				fallthrough
			case 5:
				l := u[1] * inv
				v[p[6]] -= l * u[1]
				v[p[7]] -= l * u[2]
				v[p[8]] -= l * u[3]
				v[p[9]] -= l * u[4]
				v[p[10]] -= l * u[5]
				x[i[1]] -= l * w
				u[1] = l
				fallthrough
			case 4:
				l := u[2] * inv
				v[p[11]] -= l * u[2]
				v[p[12]] -= l * u[3]
				v[p[13]] -= l * u[4]
				v[p[14]] -= l * u[5]
				x[i[2]] -= l * w
				u[2] = l
				fallthrough
			case 3:
				l := u[3] * inv
				v[p[15]] -= l * u[3]
				v[p[16]] -= l * u[4]
				v[p[17]] -= l * u[5]
				x[i[3]] -= l * w
				u[3] = l
				fallthrough
			case 2:
				l := u[4] * inv
				v[p[18]] -= l * u[4]
				v[p[19]] -= l * u[5]
				x[i[4]] -= l * w
				u[4] = l
				fallthrough
			case 1:
				l := u[5] * inv
				v[p[20]] -= l * u[5]
				x[i[5]] -= l * w
				u[5] = l
			}
		}
		k += len(d)
		if err := work.Err(len(d) * (1 + c*c)); err != nil {
			return -1, err
		}
	}
	return -1, nil
}

// longRun is the number of columns with two entries from which a loop of their own pays.
// Source: a limit of speed: a call takes as long as some columns.
const longRun = 16

// pairs is eliminate for columns from k on with two entries, of which the pivots become d, with
// their first places. It returns their number, or the number of the ones
// before the first without a pivot.
func (s *leading) pairs(f *Factor, k, o, e, t int, d []float64, sign []int8) int {
	v, x, eps := s.val, f.x, f.call.reg.Eps
	sign, own, pivots := sign[:len(d)], x[k:][:len(d)], v[k:][:len(d)]
	val, row, target := v[o:][:2*len(d)], s.row[e:][:2*len(d)], s.target[t:][:3*len(d)]
	for j := range d {
		c, i, p := (*[2]float64)(val[2*j:2*j+2:2*j+2]), (*[2]int32)(row[2*j:2*j+2:2*j+2]),
			(*[3]int32)(target[3*j:3*j+3:3*j+3])
		pivot := pivots[j]
		d[j] = pivot
		inv := 1 / pivot
		if size := pivot * float64(sign[j]); !(size > eps && size <= math.MaxFloat64) {
			if !f.pivot(k+j, pivot) {
				return j
			}
			inv = f.dinv[k+j]
		}
		pivots[j] = inv
		a, b, w := c[0], c[1], own[j]
		l, m := a*inv, b*inv
		v[p[0]] -= l * a
		v[p[1]] -= l * b
		v[p[2]] -= m * b
		x[i[0]] -= l * w
		x[i[1]] -= m * w
		c[0], c[1] = l, m
	}
	return len(d)
}

// fours is eliminate for columns from k on, four by four, that have c entries each in the same
// rows, as pairs. Such columns wait for none of each other, and each place is read and written once
// for four of them.
func (s *leading) fours(f *Factor, k, o, e, t, c int, d []float64, sign []int8) int {
	v, x, row, target, eps := s.val, f.x, s.row[e:][:c], s.target[t:][:c*(c+1)/2], f.call.reg.Eps
	for j := 0; j+4 <= len(d); j += 4 {
		w, pivots, val := (*[4]float64)(x[k+j:]), (*[4]float64)(v[k+j:]), v[o+c*j:][:4*c]
		for i, own := range pivots {
			d[j+i] = own
			inv := 1 / own
			if size := own * float64(sign[j+i]); !(size > eps && size <= math.MaxFloat64) {
				if !f.pivot(k+j+i, own) {
					return j + i
				}
				inv = f.dinv[k+j+i]
			}
			pivots[i] = inv
		}
		t := 0
		for a := range c {
			u0 := val[a:c]
			u1, u2, u3 := val[c+a:][:len(u0)], val[2*c+a:][:len(u0)], val[3*c+a:][:len(u0)]
			l0, l1, l2, l3 := u0[0]*pivots[0], u1[0]*pivots[1], u2[0]*pivots[2], u3[0]*pivots[3]
			for b, p := range target[t:][:len(u0)] {
				v[p] -= l0*u0[b] + l1*u1[b] + (l2*u2[b] + l3*u3[b])
			}
			t += len(u0)
			x[row[a]] -= l0*w[0] + l1*w[1] + (l2*w[2] + l3*w[3])
			u0[0], u1[0], u2[0], u3[0] = l0, l1, l2, l3
		}
	}
	return len(d)
}

// share makes room for the values. The matrix that is left is written to the panels of its factor
// at once: there is no other copy of it.
func (s *leading) share(sup *supernodal) error {
	size := s.rest + sup.node[sup.count()].val
	if size > maxEntries {
		return tooLarge(size)
	}
	for _, list := range [...][]int32{s.dest, s.target} {
		for e, p := range list {
			if int(p) >= s.rest {
				list[e] = int32(s.rest) + sup.dest[int(p)-s.rest]
			}
		}
	}
	s.val = make([]float64, size+simd.Beyond)[:size] // kernels read some behind them
	sup.val, sup.dest = s.val[s.rest:], nil
	return nil
}
