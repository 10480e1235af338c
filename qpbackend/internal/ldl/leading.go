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
// The values of column j are its pivot, once eliminated its reciprocal, and then its entries. Behind all columns are the values of the matrix that is
// left, with its fill, or the panels of its factor.
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
	for j, c := range f.count[:count] {
		b.first[j+1], b.updates[j+1] = b.first[j]+c, b.updates[j]+int(c*(c+1)/2)
	}
	entries := int(b.first[count])
	b.rest = entries + count
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
			b.dest[src[p]] = i + fill[i] // behind i other pivots; row k is the last one so far
			if i == k {
				b.dest[src[p]] = i + b.first[i]
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
		own := b.first[k] + k
		b.place[k] = own
		for a, i := range b.row[b.first[k]:b.first[k+1]] {
			b.place[i] = own + 1 + int32(a)
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

// eliminate sets the values of the leading columns and of the matrix that is left, from those of the caller. It returns the pivot at which it failed, or −1.
func (s *leading) eliminate(ctx context.Context, f *Factor, val []float64) (int, error) {
	v := s.val
	work := poll.New(ctx)
	if err := zero(&work, v); err != nil {
		return -1, err
	}
	for e, p := range s.dest {
		v[p] = val[e]
	}
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
