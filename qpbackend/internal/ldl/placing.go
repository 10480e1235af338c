package ldl

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/internal/poll"
)

// lead takes the leading columns out: they become the first pivots, and f.tail has the others. The values of f.first have no room yet.
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
	b := f.newPlacing(order, runs, int32(count), tail)
	perm := make([]int, f.n)
	for k, j := range order {
		perm[k] = f.perm[j]
		f.order[k] = int32(perm[k])
	}
	tail.measure()
	tail.perm = perm[count:]
	work := poll.New(ctx)
	if err := b.rows(&work, f.up); err != nil {
		return err
	}
	if err := b.inside(&work); err != nil {
		return err
	}
	var err error
	if tail.up, err = b.left(&work, f.up); err != nil {
		return err
	}
	f.first, f.tail, f.perm, f.up, f.post = b.leading, tail, perm, nil, nil
	return nil
}

// share has the matrix that is left in the panels of its factor, where there are places for them, and reports whether there are: it is
// written there at once. With that, there is no other copy of it.
func (s *leading) share(sup *supernodal) bool {
	size := sup.node[sup.count()].val
	if s.rest+size > math.MaxInt32 {
		return false
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
	return true
}

// hold makes room for the values of the matrix that is left, unless panels have them.
func (s *leading) hold(left *triangle) {
	if s.val == nil {
		s.val = make([]float64, s.rest+len(left.idx))
	}
}

// placing finds the places of a leading.
type placing struct {
	*leading
	from, label []int32  // the column of the matrix that each column is, and the inverse
	column      []column // the leading ones, and one more for the end
	// The entries of leading columns in row k of the matrix that is left are at[ptr[k]:ptr[k+1]].
	ptr []int32
	at  []entry
}

// column is a leading one.
type column struct {
	parent int32 // in the elimination tree
	first  int32 // its first entry
	seen   int32 // the row that was last at work on it, −1 for none
	next   int32 // its entry that is found next, then its first product
}

// entry is one of a leading column, by its number.
type entry struct{ col, number int32 }

// newPlacing takes the columns in the order given, and sets parents and numbers of entries of the tail.
func (f *Factor) newPlacing(order []int32, runs []run, count int32, tail *Factor) *placing {
	room := make([]int32, 2*f.n+tail.n+1)
	b := &placing{from: order, label: room[:f.n], ptr: room[2*f.n:], column: make([]column, count+1)}
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
	lists := make([]int32, len(f.up.idx)+int(entries+updates))
	b.leading = &leading{
		runs: runs, rest: int(entries + count), sign: make([]int8, count),
		dest: lists[:len(f.up.idx)], row: lists[len(f.up.idx):][:entries], target: lists[len(f.up.idx)+int(entries):],
	}
	return b
}

// rows finds the rows of the leading columns' entries, and the places of the matrix's entries in these columns. Row k
// has entries in the columns on the ways up the elimination tree from its entries in the matrix to k.
func (b *placing) rows(work *poll.Poll, up *triangle) error {
	count := int32(len(b.column) - 1)
	columns, label, row, dest := b.column[:count], b.label, b.row, b.dest
	for k, p := range b.from {
		k, lo, hi := int32(k), up.ptr[p], up.ptr[p+1]
		if k < count {
			c := &columns[k]
			c.seen = k
			dest[up.src[lo]] = k
		}
		steps := int(hi - lo)
		for e := lo + 1; e < hi; e++ {
			i := label[up.idx[e]]
			if i >= count {
				continue
			}
			for j := i; j < count; steps++ {
				c := &columns[j]
				if c.seen == k {
					break
				}
				c.seen = k
				row[c.next] = k
				if k >= count {
					b.at = append(b.at, entry{j, c.next - c.first})
				}
				c.next++
				j = c.parent
			}
			dest[up.src[e]] = count + columns[i].next - 1 // row k is the last one so far
		}
		if k >= count {
			b.ptr[k-count+1] = int32(len(b.at))
		}
		if err := work.Err(poll.Scattered * steps); err != nil {
			return err
		}
	}
	return nil
}

// inside finds the targets in leading columns: the rows of a column behind one of its entries are among those of the column that this row is.
func (b *placing) inside(work *poll.Poll) error {
	count := int32(len(b.column) - 1)
	columns, row, end := b.column, b.row, int32(pairsInLine)
	for j := range count {
		c := &columns[j]
		rows := row[c.first:columns[j+1].first]
		c.next = end
		targets := b.target[end:][:len(rows)*(len(rows)+1)/2]
		end += int32(len(targets))
		for len(rows) > 0 && rows[0] < count {
			k := rows[0]
			rows = rows[1:]
			t := columns[k].first
			targets[0] = k
			for e, i := range rows {
				for row[t] != i {
					t++
				}
				targets[e+1] = count + t
				t++
			}
			targets = targets[1+len(rows):]
		}
		if err := work.Err(poll.Scattered * int(1+end-c.next)); err != nil {
			return err
		}
	}
	return nil
}

// left finds the targets, and the places of entries, in the matrix that is left, whose entries get places as they are met. It returns its
// upper triangle.
func (b *placing) left(work *poll.Poll, up *triangle) (*triangle, error) {
	count := int32(len(b.column) - 1)
	label, columns, dest, target, row := b.label, b.column, b.dest, b.target, b.row
	ptr, idx := make([]int32, len(b.ptr)), make([]int32, 0, len(up.idx)-int(count))
	// Of each column, the row that was last at work on it, from 1, and the place of its entry there.
	last, rest := make([]struct{ row, place int32 }, len(ptr)-1), int32(b.leading.rest)
	for k, p := range b.from[count:] {
		meet := func(i int32) int32 {
			l := &last[i]
			if l.row != int32(k)+1 {
				l.row, l.place = int32(k)+1, rest+int32(len(idx))
				idx = append(idx, i)
			}
			return l.place
		}
		lo, hi := up.ptr[p], up.ptr[p+1]
		for e := lo; e < hi; e++ {
			if i := label[up.idx[e]]; i >= count {
				dest[up.src[e]] = meet(i - count)
			}
		}
		steps := int(1 + hi - lo)
		for _, e := range b.at[b.ptr[k]:b.ptr[k+1]] {
			own := &columns[e.col]
			rows := row[own.first:columns[e.col+1].first]
			c, a := int32(len(rows)), e.number
			t := own.next + a*c - a*(a-1)/2 // of the products of entry a, that with this one
			for ; a >= 0 && rows[a] >= count; a-- {
				target[t] = meet(rows[a] - count)
				t -= c - a
				steps++
			}
		}
		ptr[k+1] = int32(len(idx))
		if err := work.Err(poll.Scattered * steps); err != nil {
			return nil, err
		}
	}
	return &triangle{pattern: pattern{ptr: ptr, idx: idx}}, nil
}

// leadingOrder lists the leading columns, and the others after them, both in their order: where large terms of one subtree cancel, they
// do so before those of the next come, and sums stay small. One with all columns of so many entries together loses four digits of a
// solution on cx02-200 of CBLIB.
func (f *Factor) leadingOrder() (_ []int32, runs []run) {
	late, order, count := make([]bool, f.n), make([]int32, f.n), 0
	a, b := f.chains()
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
