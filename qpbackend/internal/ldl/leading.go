package ldl

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/internal/poll"
)

// leading are the pivots that come first: columns of L with few entries, whose children in the elimination tree are
// such columns too. All their updates are known beforehand as places in one array of values, so that eliminating them
// is going through a list, column by column (right-looking), without indices to look for. Loops over columns that follow each other and
// have the same small number of entries have no inner loops.
//
// The values are the pivots of all columns, once eliminated their reciprocals, and behind inLine others the entries, column by column. Behind them are the values of the matrix that is
// left, with its fill, or the panels of its factor.
type leading struct {
	val    []float64
	dest   []int32   // place in val of each entry of the caller's matrix
	sign   []int8    // of the pivots, as expected; 0 for unknown
	fixed  []float64 // their entries before, see load
	late   []int32   // entries of the caller's matrix that belong to the matrix that is left
	own    []int32   // place in val of each diagonal entry of that
	rest   int       // first place of the matrix that is left
	runs   []run
	row    []int32 // of the entries, column by column, behind inLine others
	target []int32 // places that the products of pairs of entries (a, b), a ≤ b, are subtracted from, column by column, behind pairsInLine others
}

// run is a number of columns with so many entries each.
type run struct{ columns, entries int32 }

// The last entries of a column, up to inLine, are eliminated without a loop.
// Source: a limit of speed: columns of networks have up to six entries.
const (
	inLine      = 6
	pairsInLine = inLine * (inLine + 1) / 2
)

// mostLeading is the largest number of entries of a leading column, shareLeading the share of all columns that have to be
// leading ones. Source: docs/bench.md, Leading columns and supernodes.
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
		f.order[k] = int32(perm[k])
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
		parent: parent[count:], count: entries[count:], d: f.d[count:], dinv: f.dinv[count:],
	}
	for j := range tail.parent {
		tail.parent[j] = max(tail.parent[j]-int32(count), -1)
	}
	tail.measure()
	work := poll.New(ctx)
	if tail.up, err = low.transpose(&work, nil); err != nil {
		return err
	}
	if !f.joined { // else columns have to be sorted
		tail.low = low
	}
	f.first, f.tail, f.up, f.low = s, tail, nil, nil
	return nil
}

// share has the matrix that is left in the panels of its factor, where there are places for them: it is written there at once. With
// that, there is no other copy of it.
func (s *leading) share(sup *supernodal) {
	if s.rest+len(sup.val) > math.MaxInt32 {
		return
	}
	s.val = values(s.rest + len(sup.val))
	for _, list := range [...][]int32{s.dest, s.target} {
		for e, p := range list {
			if int(p) >= s.rest {
				list[e] = int32(s.rest + sup.dest[int(p)-s.rest])
			}
		}
	}
	sup.val, sup.dest, sup.shares = s.val[s.rest:], nil, true
}

// placing finds the places of a leading, for columns in the order given, whose inverse is label.
type placing struct {
	*leading
	f            *Factor // parents and numbers of entries are those of the new order already, the matrix is not
	order, label []int32
	count        int32 // leading columns

	// Of each leading column, its first entry and the first product of its entries.
	first   []int32
	updates []int
	// The entries of leading columns in row k are at[ptr[k]:ptr[k+1]].
	ptr []int32
	at  []entry
	// seen[i] is the row, and then the column, that was last at work on i; −1 for none.
	seen, place []int32
}

// entry is one of a leading column, by its number.
type entry struct{ col, number int32 }

// newLeading finds the places of all values, and the lower triangle of the matrix that the leading columns leave.
func newLeading(ctx context.Context, f *Factor, runs []run, count int, order, label []int32) (*leading, *triangle, error) {
	b := &placing{
		leading: &leading{runs: runs, dest: make([]int32, len(f.up.src))},
		f:       f, order: order, label: label, count: int32(count),
		first: make([]int32, count+1), updates: make([]int, count+1), ptr: make([]int32, f.n+1),
		seen: make([]int32, f.n), place: make([]int32, f.n),
	}
	b.first[0], b.updates[0] = inLine, pairsInLine
	for j, c := range f.count[:count] {
		b.first[j+1], b.updates[j+1] = b.first[j]+c, b.updates[j]+int(c*(c+1)/2)
	}
	entries := int(b.first[count])
	b.rest = count + entries
	b.sign = make([]int8, count)
	b.row, b.target, b.at = make([]int32, entries), make([]int32, b.updates[count]), make([]entry, 0, entries)
	for j := range b.seen {
		b.seen[j] = -1
	}
	work := poll.New(ctx)
	if err := b.rows(&work); err != nil {
		return nil, nil, err
	}
	if err := b.inside(&work); err != nil {
		return nil, nil, err
	}
	low, err := b.left(&work)
	return b.leading, low, err
}

// rows finds the rows of the leading columns' entries, and the places of the matrix's entries in these columns. Row k
// has entries in the columns on the ways up the elimination tree from its entries in the matrix to k.
func (b *placing) rows(work *poll.Poll) error {
	up, parent, seen := b.f.up, b.f.parent, b.seen
	fill := append([]int32(nil), b.first[:b.count]...)
	for k := range int32(b.f.n) {
		lo, hi := up.ptr[b.order[k]], up.ptr[b.order[k]+1]
		src := up.src[lo:hi]
		for p, old := range up.idx[lo:hi] {
			i := b.label[old]
			if i >= b.count {
				continue
			}
			for j := i; j < k && j < b.count && seen[j] != k; j = parent[j] {
				seen[j] = k
				b.at = append(b.at, entry{j, fill[j] - b.first[j]})
				b.row[fill[j]] = k
				fill[j]++
			}
			b.dest[src[p]] = b.count + fill[i] - 1 // row k is the last one so far
			if i == k {
				b.dest[src[p]] = i
			}
		}
		b.ptr[k+1] = int32(len(b.at))
		if err := work.Err(poll.Scattered * (1 + len(src) + int(b.ptr[k+1]-b.ptr[k]))); err != nil {
			return err
		}
	}
	return nil
}

// updatesOf are the rows from an entry of a leading column on, and the targets of its products with these.
func (b *placing) updatesOf(e entry) (rows, targets []int32) {
	rows = b.row[b.first[e.col]:b.first[e.col+1]]
	c, a := len(rows), int(e.number)
	return rows[a:], b.target[b.updates[e.col]+a*c-a*(a-1)/2:]
}

// inside finds the targets in leading columns.
func (b *placing) inside(work *poll.Poll) error {
	for k := range b.count {
		updates := b.at[b.ptr[k]:b.ptr[k+1]]
		if len(updates) == 0 {
			continue
		}
		b.place[k] = k
		for a, i := range b.row[b.first[k]:b.first[k+1]] {
			b.place[i] = b.count + b.first[k] + int32(a)
		}
		steps := 0
		for _, e := range updates {
			rows, targets := b.updatesOf(e)
			for t, i := range rows {
				targets[t] = b.place[i]
			}
			steps += len(rows)
		}
		if err := work.Err(poll.Scattered * (1 + steps)); err != nil {
			return err
		}
	}
	return nil
}

// left finds the targets, and the places of entries, in the matrix that is left, whose entries get places as they are met. It returns its
// lower triangle, columns not sorted.
func (b *placing) left(work *poll.Poll) (*triangle, error) {
	rest, seen, place, count := b.f.n-int(b.count), b.seen, b.place, b.count
	entries := len(b.f.up.src) - int(count)
	low := &triangle{n: rest, ptr: make([]int32, rest+1), idx: make([]int32, 0, entries), src: make([]int32, 0, entries)}
	for j := range seen {
		seen[j] = -1
	}
	first := int32(b.rest)
	for k := count; int(k) < b.f.n; k++ {
		meet := func(i int32) {
			if seen[i] != k {
				seen[i], place[i] = k, first+int32(len(low.idx))
				low.idx, low.src = append(low.idx, i-count), append(low.src, int32(len(low.src)))
			}
		}
		old := b.order[k]
		for p := b.f.low.ptr[old]; p < b.f.low.ptr[old+1]; p++ {
			i := b.label[b.f.low.idx[p]]
			meet(i)
			b.dest[b.f.low.src[p]] = place[i]
		}
		steps := 0
		for _, e := range b.at[b.ptr[k]:b.ptr[k+1]] {
			rows, targets := b.updatesOf(e)
			for t, i := range rows {
				meet(i)
				targets[t] = place[i]
			}
			steps += len(rows)
		}
		low.ptr[k-count+1] = int32(len(low.idx))
		if err := work.Err(poll.Scattered * (1 + steps)); err != nil {
			return nil, err
		}
	}
	b.val = make([]float64, b.rest+len(low.idx))
	return low, nil
}

// leadingOrder lists the leading columns, and the others after them, both in their order: where large terms of one subtree cancel, they
// do so before those of the next come, and sums stay small. One with all columns of so many entries together loses four digits of a
// solution on cx02-200 of CBLIB.
func (f *Factor) leadingOrder() (_ []int32, runs []run) {
	late, order := make([]bool, f.n), make([]int32, 0, f.n)
	a, b := f.chains()
	for k := range int32(f.n) {
		j := k
		if a.from <= k && k < b.to {
			j = a.alternate(b, k)
		}
		p, c := f.parent[j], f.count[j]
		if late[j] = late[j] || c > mostLeading; late[j] {
			if p >= 0 {
				late[p] = true
			}
			continue
		}
		order = append(order, j)
		if len(runs) == 0 || runs[len(runs)-1].entries != c {
			runs = append(runs, run{entries: c})
		}
		runs[len(runs)-1].columns++
	}
	for j, late := range late {
		if late {
			order = append(order, int32(j))
		}
	}
	return order, runs
}

// stretch is a range of columns.
type stretch struct{ from, to int32 }

// leastChain is the number of columns from which chains are interleaved, and chainDepth the share of them that wait for each other.
// Source: limits of speed: processors look a hundred columns ahead at most; where fewer wait they find others.
const (
	leastChain = 200
	chainDepth = 0.5
)

// chains are two subtrees of the elimination tree, one behind the other, of which each is nearly a chain: pivots that wait for the one before. Taken
// in turns, both go on while a processor computes. They are empty where there are none.
func (f *Factor) chains() (a, b stretch) {
	size, depth := make([]int32, f.n), make([]int32, f.n)
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

// alternate is the column in place k of those of a and b behind it, taken in turns as long as both have some.
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
	for e, p := range s.dest {
		if p := int(p) - count; p >= 0 && p < len(s.fixed) {
			s.fixed[p] = val[e]
		}
	}
	s.expect(f, sign)
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

// place sets the values to those of the matrix: from val, or from those loaded and diag.
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

// eliminate sets the values of the leading columns and of the matrix that is left, from those of the caller, see place. On the way it does the
// work of forward for f.x: pivots wait for each other, and that fills the time. It returns the pivot at which it failed, or −1.
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
			u, i, p := (*[inLine]float64)(v[o-inLine:o:o]), (*[inLine]int32)(row[e-inLine:e:e]), (*[pairsInLine]int32)(target[t-pairsInLine:t:t])
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

// pairs is eliminate for columns from k on with two entries, of which the pivots are d, with their first places. It returns their number, or that of
// those before the first without a pivot.
func (s *leading) pairs(f *Factor, k, o, e, t int, d []float64, sign []int8) int {
	v, x, eps := s.val, f.x, f.reg.Eps
	sign, own, pivots := sign[:len(d)], x[k:][:len(d)], v[k:][:len(d)]
	val, row, target := v[o:][:2*len(d)], s.row[e:][:2*len(d)], s.target[t:][:3*len(d)]
	for j := range d {
		c, i, p := (*[2]float64)(val[2*j:2*j+2:2*j+2]), (*[2]int32)(row[2*j:2*j+2:2*j+2]), (*[3]int32)(target[3*j:3*j+3:3*j+3])
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
