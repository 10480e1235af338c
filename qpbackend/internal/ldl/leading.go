package ldl

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/internal/poll"
)

// leading are the pivots that come first: columns of L with few entries, whose children in the elimination tree are
// such columns too. All their updates are known beforehand as places in one array of values, so that eliminating them
// is going through a list, column by column (right-looking), without indices to look for. Columns with the
// same number of entries follow each other, as far as the tree allows, and loops over them have no inner loops.
//
// The values of column j are its pivot, once eliminated its reciprocal, and then its entries. Behind all columns are the values of the matrix that is
// left, with its fill.
type leading struct {
	val    []float64
	dest   []int32 // place in val of each entry of the caller's matrix
	rest   int     // first place of the matrix that is left
	runs   []run
	row    []int32 // of the entries, column by column
	target []int32 // places that the products of pairs of entries (a, b), a ≤ b, are subtracted from, column by column
}

// run is a number of columns with so many entries each.
type run struct{ columns, entries int32 }

// mostLeading is the largest number of entries of a leading column, shareLeading the share of all columns that have to be
// leading ones. Source: times, on the KKT matrices of 66 Maros-Meszaros problems and up to 6, 8, 10, 12, 16 and 24 entries. A factorisation with
// two or three solves takes .5 to .9 of the time on nearly all that have more than half, from .97 to 1.07 on those that have less; with 12
// 1 % to 5 % more than with 16, with 24 up to 7 % less, with twice the list.
const (
	mostLeading  = 16
	shareLeading = 0.5
)

// lead takes the leading columns out: they become the first pivots, and f.tail has the others.
func (f *Factor) lead(ctx context.Context) error {
	if int64(f.nnz)+int64(f.n) > math.MaxInt32 {
		return nil
	}
	order, runs := f.leadingOrder()
	count := 0
	for _, r := range runs {
		count += int(r.columns)
	}
	if count == 0 || float64(count) < shareLeading*float64(f.n) {
		return nil
	}
	label, perm, entries := make([]int32, f.n), make([]int, f.n), make([]int32, f.n)
	for k, j := range order {
		label[j], perm[k], entries[k] = int32(k), f.perm[j], f.count[j]
	}
	parent := make([]int32, f.n)
	for k, j := range order {
		parent[k] = -1
		if p := f.parent[j]; p >= 0 {
			parent[k] = label[p]
		}
	}
	f.perm, f.count, f.parent = perm, entries, parent
	s, low, err := newLeading(ctx, f, runs, count, order, label)
	if err != nil {
		return err
	}
	tail := &Factor{
		n: f.n - count, perm: perm[count:], joined: f.joined,
		parent: parent[count:], count: entries[count:], d: f.d[count:], dinv: f.dinv[count:], work: f.work[count:],
	}
	for j := range tail.parent {
		tail.parent[j] = max(tail.parent[j]-int32(count), -1)
	}
	tail.measure()
	work := poll.New(ctx)
	if tail.up, err = low.transpose(&work); err != nil {
		return err
	}
	f.first, f.tail, f.up, f.low = s, tail, nil, nil
	return nil
}

// entry is one of a leading column, by its number.
type entry struct{ col, number int32 }

// newLeading finds the places of all values, for count columns in the order given, whose inverse is label, and the lower triangle of the matrix that
// they leave. Parents, and the numbers of entries, are those of the new order already, the matrix is not.
func newLeading(ctx context.Context, f *Factor, runs []run, count int, order, label []int32) (*leading, *triangle, error) {
	work := poll.New(ctx)
	n, rest := f.n, f.n-count
	first := make([]int32, count+1) // entry of each column
	updates := make([]int, count+1)
	for j := range count {
		c := f.count[j]
		first[j+1], updates[j+1] = first[j]+c, updates[j]+int(c*(c+1)/2)
	}
	s := &leading{
		runs: runs, rest: int(first[count]) + count,
		row: make([]int32, first[count]), target: make([]int32, updates[count]), dest: make([]int32, len(f.up.src)),
	}
	// The entries of leading columns in row k are at[ptr[k]:ptr[k+1]].
	ptr := make([]int32, n+1)
	fill, seen := append([]int32(nil), first[:count]...), make([]int32, n)
	for j := range seen {
		seen[j] = -1
	}
	for k := range int32(n) {
		steps := int32(0)
		for _, old := range f.up.col(int(order[k])) {
			for i := label[old]; i < k && int(i) < count && seen[i] != k; i = f.parent[i] {
				seen[i] = k
				s.row[fill[i]] = k
				fill[i]++
				steps++
			}
		}
		ptr[k+1] = ptr[k] + steps
		if err := work.Err(poll.Scattered * (1 + int(steps))); err != nil {
			return nil, nil, err
		}
	}
	at, next := make([]entry, len(s.row)), append([]int32(nil), ptr[:n]...)
	for j := range int32(count) {
		for a, k := range s.row[first[j]:first[j+1]] {
			at[next[k]] = entry{j, int32(a)}
			next[k]++
		}
	}
	// Column by column, the place of each entry of the matrix and of each update.
	place, end := next, int32(s.rest)
	entries := len(f.up.src) - count
	low := &triangle{n: rest, ptr: make([]int32, rest+1), idx: make([]int32, 0, entries), src: make([]int32, 0, entries)}
	for j := range seen {
		seen[j] = -1
	}
	for k := range int32(n) {
		left := int(k) >= count // a column of the matrix that is left, whose entries get places as they are met
		meet := func(i int32) {
			if seen[i] != k {
				seen[i], place[i] = k, end
				low.idx, low.src = append(low.idx, i-int32(count)), append(low.src, end-int32(s.rest))
				end++
			}
		}
		if !left {
			own := first[k] + k
			place[k] = own
			for a, i := range s.row[first[k]:first[k+1]] {
				place[i] = own + 1 + int32(a)
			}
		}
		old := order[k]
		for p := f.low.ptr[old]; p < f.low.ptr[old+1]; p++ {
			i := label[f.low.idx[p]]
			if left {
				meet(i)
			}
			s.dest[f.low.src[p]] = place[i]
		}
		steps := 0
		for _, e := range at[ptr[k]:ptr[k+1]] {
			rows := s.row[first[e.col]:first[e.col+1]]
			c, a := len(rows), int(e.number)
			targets := s.target[updates[e.col]+a*c-a*(a-1)/2:]
			rows = rows[a:]
			if left {
				for _, i := range rows {
					meet(i)
				}
			}
			for b, i := range rows {
				targets[b] = place[i]
			}
			steps += len(rows)
		}
		if left {
			low.ptr[int(k)-count+1] = int32(len(low.idx))
		}
		if err := work.Err(poll.Scattered * (1 + steps)); err != nil {
			return nil, nil, err
		}
	}
	s.val = make([]float64, end)
	return s, low, nil
}

// leadingOrder lists the leading columns, and the others after them in their order.
func (f *Factor) leadingOrder() (order []int32, runs []run) {
	n := int32(f.n)
	waits := make([]int32, n) // children that have not come yet; −1 for a column that does not lead
	for j, p := range f.parent {
		if f.count[j] > mostLeading {
			waits[j] = -1
		}
		if p >= 0 && waits[p] >= 0 {
			if waits[j] < 0 {
				waits[p] = -1
			} else {
				waits[p]++
			}
		}
	}
	var ready [mostLeading + 1][]int32 // columns whose children have come, by their number of entries
	left := 0
	for j, w := range waits {
		if w == 0 {
			ready[f.count[j]] = append(ready[f.count[j]], int32(j))
			left++
		}
	}
	for left > 0 {
		for c, list := range ready {
			if len(list) == 0 {
				continue
			}
			from := len(order)
			for len(ready[c]) > 0 {
				list = ready[c]
				ready[c] = nil
				left -= len(list)
				order = append(order, list...)
				for _, j := range list {
					if p := f.parent[j]; p >= 0 && waits[p] > 0 {
						if waits[p]--; waits[p] == 0 {
							ready[f.count[p]] = append(ready[f.count[p]], p)
							left++
						}
					}
				}
			}
			runs = append(runs, run{int32(len(order) - from), int32(c)})
		}
	}
	for j, w := range waits {
		if w < 0 {
			order = append(order, int32(j))
		}
	}
	return order, runs
}

// eliminate sets the values of the leading columns and of the matrix that is left, from those of the caller. It returns the pivot at which it failed, or −1.
func (s *leading) eliminate(ctx context.Context, f *Factor, val []float64) (int, error) {
	v := s.val
	clear(v)
	for e, p := range s.dest {
		v[p] = val[e]
	}
	work := poll.New(ctx)
	o, k, target := 0, 0, s.target
	for _, r := range s.runs {
		for range r.columns {
			d := v[o]
			if f.expected(k, d) {
				f.d[k] = d
				f.dinv[k] = 1 / d
			} else if !f.pivot(k, d) {
				return k, nil
			}
			inv := f.dinv[k]
			v[o] = inv
			k++
			switch r.entries {
			case 0:
				o++
			case 1:
				x := v[o+1]
				l := x * inv
				v[target[0]] -= l * x
				v[o+1] = l
				target = target[1:]
				o += 2
			case 2:
				t := target[:3]
				x, y := v[o+1], v[o+2]
				l, m := x*inv, y*inv
				v[t[0]] -= l * x
				v[t[1]] -= l * y
				v[t[2]] -= m * y
				v[o+1], v[o+2] = l, m
				target = target[3:]
				o += 3
			case 3:
				t := target[:6]
				x, y, z := v[o+1], v[o+2], v[o+3]
				l, m, n := x*inv, y*inv, z*inv
				v[t[0]] -= l * x
				v[t[1]] -= l * y
				v[t[2]] -= l * z
				v[t[3]] -= m * y
				v[t[4]] -= m * z
				v[t[5]] -= n * z
				v[o+1], v[o+2], v[o+3] = l, m, n
				target = target[6:]
				o += 4
			default:
				c := int(r.entries)
				u := v[o+1:][:c]
				for a, x := range u {
					l := x * inv
					t := target[:len(u)-a]
					target = target[len(t):]
					for b, y := range u[a:] {
						v[t[b]] -= l * y
					}
					u[a] = l
				}
				o += c + 1
			}
		}
		if err := work.Err(int(r.columns * (1 + r.entries*r.entries))); err != nil {
			return -1, err
		}
	}
	return -1, nil
}

// forward is the part of the leading columns in the solution for L.
func (s *leading) forward(x []float64) {
	v, row := s.val, s.row
	o, k := 0, 0
	for _, r := range s.runs {
		own := x[k:][:r.columns]
		k += len(own)
		switch r.entries {
		case 0:
			o += len(own)
		case 1:
			rows := row[:len(own)]
			for j, i := range rows {
				x[i] -= v[o+1] * own[j]
				o += 2
			}
			row = row[len(own):]
		case 2:
			for _, w := range own {
				x[row[0]] -= v[o+1] * w
				x[row[1]] -= v[o+2] * w
				row = row[2:]
				o += 3
			}
		case 3:
			for _, w := range own {
				x[row[0]] -= v[o+1] * w
				x[row[1]] -= v[o+2] * w
				x[row[2]] -= v[o+3] * w
				row = row[3:]
				o += 4
			}
		default:
			c := int(r.entries)
			for _, w := range own {
				l := v[o+1:][:c]
				for a, i := range row[:c] {
					x[i] -= l[a] * w
				}
				row = row[c:]
				o += c + 1
			}
		}
	}
}

// backward is their part in the solution for D and then Lᵀ.
func (s *leading) backward(x []float64, count int) {
	v, row := s.val, s.row
	o, k, e := s.rest, count, len(row)
	for t := len(s.runs) - 1; t >= 0; t-- {
		r := s.runs[t]
		c := int(r.entries)
		k -= int(r.columns)
		own := x[k:][:r.columns]
		switch c {
		case 0:
			for j := len(own) - 1; j >= 0; j-- {
				o--
				own[j] *= v[o]
			}
		case 1:
			for j := len(own) - 1; j >= 0; j-- {
				o -= 2
				e--
				own[j] = own[j]*v[o] - v[o+1]*x[row[e]]
			}
		case 2:
			for j := len(own) - 1; j >= 0; j-- {
				o -= 3
				e -= 2
				own[j] = own[j]*v[o] - v[o+1]*x[row[e]] - v[o+2]*x[row[e+1]]
			}
		case 3:
			for j := len(own) - 1; j >= 0; j-- {
				o -= 4
				e -= 3
				own[j] = own[j]*v[o] - v[o+1]*x[row[e]] - v[o+2]*x[row[e+1]] - v[o+3]*x[row[e+2]]
			}
		default:
			for j := len(own) - 1; j >= 0; j-- {
				o -= c + 1
				e -= c
				l := v[o+1:][:c]
				w := own[j] * v[o]
				for a, i := range row[e:][:c] {
					w -= l[a] * x[i]
				}
				own[j] = w
			}
		}
	}
}
