package ldl

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/poll"
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
	late  []int32   // entries of the caller's matrix that belong to the matrix that is left
	own   []int32   // place in val of each diagonal entry of that
	rest  int       // first place of the matrix that is left
	runs  []run
	row   []int32 // of the entries, column by column, behind inLine others
	// places that the products of pairs of entries (a, b), a ≤ b, are subtracted from, column by
	// column, behind pairsInLine others
	target []int32
}

// run is a number of columns with so many entries each, of which alike says that they are all in
// the same rows.
type run struct {
	columns, entries int32
	alike            bool
}

// The last entries of a column, up to inLine, are eliminated without a loop.
// Source: a limit of speed: columns of networks have up to six entries.
const (
	inLine      = 6
	pairsInLine = inLine * (inLine + 1) / 2
)

// mostLeading is the largest number of entries of a leading column, shareLeading the share of all
// columns that have to be leading ones. Source: docs/lab/bench.md, Leading columns and supernodes.
const (
	mostLeading  = 16
	shareLeading = 0.5
)

// lead takes the leading columns out: they become the first pivots, and f.tail has the others. The
// values of f.first have no room yet.
func (f *Factor) lead(ctx context.Context) error {
	if int64(f.nnz)+int64(f.n) > math.MaxInt32 {
		return nil
	}
	order, runs := f.leadingOrder()
	count, updates := 0, pairsInLine
	for _, r := range runs {
		count += int(r.columns)
		updates += int(r.columns) * int(r.entries*(r.entries+1)/2)
	}
	if count == 0 || float64(count) < shareLeading*float64(f.n) || updates > math.MaxInt32 {
		return nil
	}
	tail := &Factor{n: f.n - count, joined: f.joined, d: f.d[count:], dinv: f.dinv[count:]}
	tree := make([]int32, 2*tail.n)
	tail.parent, tail.count = tree[:tail.n:tail.n], tree[tail.n:]
	b := f.newPlacing(order, int32(count), tail)
	for k, j := range order {
		f.perm[k] = int(f.order[j])
	}
	for k, p := range f.perm {
		f.order[k] = int32(p)
	}
	tail.measure()
	tail.perm = f.perm[count:]
	work := poll.New(ctx)
	if err := b.rows(&work, f.up); err != nil {
		return err
	}
	runs = alike(runs, b.row)
	if err := b.inside(&work, pairsInLine); err != nil {
		return err
	}
	var err error
	if tail.up, err = b.left(&work, f.up); err != nil {
		return err
	}
	f.first = &leading{runs: runs, rest: b.rest, sign: make([]int8, count), dest: b.dest, row: b.row, target: b.target}
	f.tail, f.up, f.post = tail, nil, nil
	return nil
}

// share has the matrix that is left in the panels of its factor, where there are places for them:
// it is written there at once. With that, there is no other copy of it.
func (s *leading) share(sup *supernodal) {
	size := sup.node[sup.count()].val
	if s.rest+size > math.MaxInt32 {
		sup.val = values(size)
		return
	}
	for _, list := range [...][]int32{s.dest, s.target} {
		for e, p := range list {
			if int(p) >= s.rest {
				list[e] = int32(s.rest + sup.dest[int(p)-s.rest])
			}
		}
	}
	s.val = values(s.rest + size)
	sup.val, sup.dest, sup.shares = s.val[s.rest:], nil, true
}

// hold makes room for the values of the matrix that is left, unless panels have them.
func (s *leading) hold(left *triangle) {
	if s.val == nil {
		s.val = make([]float64, s.rest+len(left.idx))
	}
}

// newPlacing takes the columns in the order given, and sets parents and numbers of entries of the
// tail.
func (f *Factor) newPlacing(order []int32, count int32, tail *Factor) *placing {
	room := f.room[f.n:]
	b := &placing{from: order, label: room[:f.n], ptr: room[2*f.n:][:tail.n+1], column: make([]column, count+1)}
	b.ptr[0] = 0
	for k, j := range order {
		b.label[j] = int32(k)
	}
	entries, updates := int32(inLine), int32(pairsInLine)
	for k, j := range order[:count] {
		b.column[k] = column{parent: -1, first: entries, seen: -1, next: entries}
		if p := f.parent[j]; p >= 0 {
			b.column[k].parent = b.label[p]
		}
		c := f.count[j]
		entries, updates = entries+c, updates+c*(c+1)/2
	}
	b.column[count].first = entries
	for k, j := range order[count:] {
		tail.parent[k], tail.count[k] = -1, f.count[j]
		if p := f.parent[j]; p >= 0 {
			tail.parent[k] = b.label[p] - count
		}
	}
	if f.post != nil { // of which the matrix does not know
		b.from = room[f.n : 2*f.n]
		for k, j := range order {
			b.from[k] = f.post[j]
		}
		for k, j := range b.from {
			b.label[j] = int32(k)
		}
	}
	lists, size := make([]int32, len(f.up.idx)+int(entries+updates)), len(f.up.idx)
	b.rest, b.dest, b.row, b.target = int(entries+count), lists[:size], lists[size:][:entries],
		lists[size+int(entries):]
	return b
}

// leadingOrder lists, in the first n entries of the room, the leading columns, and the others after
// them, both in their order: where large terms of one subtree cancel, they do so before the terms
// of the next come, and sums stay small. One with all columns of so many entries together loses
// four digits of a solution on cx02-200 of CBLIB.
func (f *Factor) leadingOrder() (_ []int32, runs []run) {
	late, order, count := make([]bool, f.n), f.room[:f.n], 0
	a, b := f.chains() // before there is an order in the room
	last := run{entries: -1}
	for k := range int32(f.n) {
		j := k
		if a.from <= k && k < b.to {
			j = a.alternate(b, k)
		}
		c := f.count[j]
		if late[j] || c > mostLeading {
			late[j] = true
			if p := f.parent[j]; p >= 0 {
				late[p] = true
			}
			continue
		}
		order[count] = j
		count++
		if last.entries != c {
			if last.columns > 0 {
				runs = append(runs, last)
			}
			last = run{entries: c}
		}
		last.columns++
	}
	if last.columns > 0 {
		runs = append(runs, last)
	}
	for j, late := range late {
		if late {
			order[count] = int32(j)
			count++
		}
	}
	return order, runs
}

// leastAlike is the least number of columns in the same rows, and leastEntries the least number of
// their entries, from which four of them go together. Source: docs/lab/bench.md, Leading columns
// and supernodes.
const (
	leastAlike   = 8
	leastEntries = 3
)

// alike makes runs of their own, in multiples of four, of columns that follow each other and have
// their entries in the same rows.
func alike(runs []run, row []int32) []run {
	split := make([]run, 0, len(runs)+2)
	row = row[inLine:]
	for _, r := range runs {
		others := run{entries: r.entries}
		for left := r.columns; left > 0; {
			count := sameRows(row, r.entries, left)
			fours := count &^ 3
			if r.entries < leastEntries || fours < leastAlike {
				fours = 0
			}
			if fours > 0 && others.columns > 0 {
				split = append(split, others)
				others.columns = 0
			}
			if fours > 0 {
				split = append(split, run{columns: fours, entries: r.entries, alike: true})
			}
			others.columns += count - fours
			left -= count
			row = row[count*r.entries:]
		}
		if others.columns > 0 {
			split = append(split, others)
		}
	}
	return split
}

// sameRows is the number of columns with so many entries each, of those left, that have the rows of
// the first one.
func sameRows(row []int32, entries, left int32) int32 {
	for k := int32(1); k < left; k++ {
		if !slices.Equal(row[:entries], row[k*entries:][:entries]) {
			return k
		}
	}
	return left
}

// stretch is a range of columns.
type stretch struct{ from, to int32 }

// leastChain is the number of columns from which chains are interleaved, and chainDepth the share
// of them that wait for each other. Source: limits of speed: processors look a hundred columns
// ahead at most; where fewer wait they find others.
const (
	leastChain = 200
	chainDepth = 0.5
)

// chains are two subtrees of the elimination tree, one behind the other, of which each is nearly a
// chain: pivots that wait for the one before. Taken in turns, both go on while a processor
// computes. They are empty where there are none.
func (f *Factor) chains() (a, b stretch) {
	size, depth := f.room[:f.n], f.room[f.n:2*f.n]
	clear(f.room[:2*f.n])
	chain := func(top int32) bool {
		return top >= 0 && size[top] >= leastChain && float64(depth[top]) >= chainDepth*float64(size[top])
	}
	for j, p := range f.parent {
		top := int32(j)
		size[j]++
		depth[j]++
		if p >= 0 {
			size[p] += size[j]
			depth[p] = max(depth[p], depth[j])
		}
		if last := top - 1; size[j] > b.to-a.from && chain(last) {
			mid := top - size[last]
			if mid > 0 && f.parent[mid-1] == top && chain(mid-1) {
				a, b = stretch{mid - size[mid-1], mid}, stretch{mid, top}
			}
		}
	}
	return a, b
}

// alternate is the column in place k of the columns of a and b behind it, taken in turns as long as
// both have some.
func (a stretch) alternate(b stretch, k int32) int32 {
	k -= a.from
	least := min(a.to-a.from, b.to-b.from)
	switch {
	case k < 2*least && k%2 == 0:
		return a.from + k/2
	case k < 2*least:
		return b.from + k/2
	case a.to-a.from > least:
		return a.from + k - least
	}
	return b.from + k - least
}

// load takes over the values off the diagonal, and the signs.
func (s *leading) load(f *Factor, val []float64, sign []int8) {
	count := len(s.sign)
	if s.fixed == nil {
		s.fixed, s.own = make([]float64, s.rest-count), make([]int32, 0, f.n-count)
		for _, j := range f.order[count:] {
			s.own = append(s.own, s.dest[f.last[j]-1])
		}
		for e, p := range s.dest {
			if int(p) >= s.rest {
				s.late = append(s.late, int32(e))
			}
		}
	}
	s.fix(val, 0)
	s.expect(f, sign)
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

// expect puts the signs into the order of the columns.
func (s *leading) expect(f *Factor, sign []int8) {
	if sign == nil {
		clear(s.sign)
		return
	}
	for k, j := range f.order[:len(s.sign)] {
		s.sign[k] = sign[j]
	}
}

// place sets the values from the matrix: from val, or from those loaded and diag.
func (s *leading) place(work *poll.Poll, f *Factor, val, diag []float64) error {
	v, count := s.val, len(s.sign)
	if diag == nil {
		if err := zero(work, v); err != nil {
			return err
		}
		for e, p := range s.dest {
			v[p] = val[e]
		}
		s.expect(f, f.sign)
		return nil
	}
	pivots := v[:count]
	for k, j := range f.order[:len(pivots)] {
		pivots[k] = diag[j]
	}
	copy(v[count:], s.fixed)
	if err := zero(work, v[s.rest:]); err != nil {
		return err
	}
	for _, e := range s.late {
		v[s.dest[e]] = val[e]
	}
	for k, p := range s.own {
		v[p] = diag[f.order[count+k]]
	}
	return nil
}

// eliminate sets the values of the leading columns and of the matrix that is left, from the values
// of the caller, see place. On the way it does the work of forward for f.x: pivots wait for each
// other, and that fills the time. Pivots are kept in f.d with a nil diag. It returns the pivot at
// which it failed, or −1.
func (s *leading) eliminate(ctx context.Context, f *Factor, val, diag []float64) (int, error) {
	work := poll.New(ctx)
	if err := s.place(&work, f, val, diag); err != nil {
		return -1, err
	}
	v, x, row, target, eps := s.val, f.x, s.row, s.target, f.reg.Eps
	o, e, t, k := len(s.sign)+inLine, inLine, pairsInLine, 0
	for _, r := range s.runs {
		c := int(r.entries)
		d, sign, pivots := f.d[k:][:r.columns], s.sign[k:][:r.columns], v[k:][:r.columns]
		if r.alike {
			if done := s.fours(f, k, o, e, t, c, d, sign, diag == nil); done < len(d) {
				return k + done, nil
			}
			o, e, t, k = o+c*len(d), e+c*len(d), t+c*(c+1)/2*len(d), k+len(d)
			if err := work.Err(c * c * len(d)); err != nil {
				return -1, err
			}
			continue
		}
		if c == 2 && len(d) >= longRun {
			if done := s.pairs(f, k, o, e, t, d, sign, diag == nil); done < len(d) {
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
			if diag == nil {
				d[j] = own
			}
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

// pairs is eliminate for columns from k on with two entries, of which the pivots become d where
// they are to be kept, with their first places. It returns their number, or the number of the ones
// before the first without a pivot.
func (s *leading) pairs(f *Factor, k, o, e, t int, d []float64, sign []int8, keep bool) int {
	v, x, eps := s.val, f.x, f.reg.Eps
	sign, own, pivots := sign[:len(d)], x[k:][:len(d)], v[k:][:len(d)]
	val, row, target := v[o:][:2*len(d)], s.row[e:][:2*len(d)], s.target[t:][:3*len(d)]
	for j := range d {
		c, i, p := (*[2]float64)(val[2*j:2*j+2:2*j+2]), (*[2]int32)(row[2*j:2*j+2:2*j+2]),
			(*[3]int32)(target[3*j:3*j+3:3*j+3])
		pivot := pivots[j]
		if keep {
			d[j] = pivot
		}
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
func (s *leading) fours(f *Factor, k, o, e, t, c int, d []float64, sign []int8, keep bool) int {
	v, x, row, target, eps := s.val, f.x, s.row[e:][:c], s.target[t:][:c*(c+1)/2], f.reg.Eps
	for j := 0; j+4 <= len(d); j += 4 {
		w, pivots, val := (*[4]float64)(x[k+j:]), (*[4]float64)(v[k+j:]), v[o+c*j:][:4*c]
		for i, own := range pivots {
			if keep {
				d[j+i] = own
			}
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
