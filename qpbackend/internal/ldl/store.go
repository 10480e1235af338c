package ldl

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/poll"
)

// mostLeading is the largest number of entries of a leading column.
// Source: docs/lab/bench.md, Leading columns and supernodes.
const mostLeading = 16

// leadingOrder lists, in the first n entries of the room, the leading columns, and the others after
// them, both in their order: where large terms of one subtree cancel, they do so before the terms
// of the next come, and sums stay small. One with all columns of so many entries together loses
// four digits of a solution on cx02-200 of CBLIB. Leading columns have most entries at most.
func (f *Factor) leadingOrder(most int32) (order []int32, runs []run, leading int) {
	late, count, updates := make([]bool, f.n), 0, pairsInLine
	order = f.sym.room[:f.n]
	a, b := f.chains() // before there is an order in the room
	last := run{entries: -1}
	for k := range int32(f.n) {
		j := k
		if a.from <= k && k < b.to {
			j = a.alternate(b, k)
		}
		c := f.count[j]
		if late[j] || c > most || updates+int(c*(c+1)/2) > math.MaxInt32 {
			late[j] = true
			if p := f.parent[j]; p >= 0 {
				late[p] = true
			}
			continue
		}
		order[count] = j
		count++
		updates += int(c * (c + 1) / 2)
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
	leading = count
	for j, late := range late {
		if late {
			order[count] = int32(j)
			count++
		}
	}
	return order, runs, leading
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
	size, depth := f.sym.room[:f.n], f.sym.room[f.n:2*f.n]
	clear(f.sym.room[:2*f.n])
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

// left is the matrix that the leading columns leave, with its fill: its upper triangle, and its
// part of the elimination tree with the numbers of entries.
type left struct {
	up            *pattern
	parent, count []int32
}

// newPlacing takes the columns in the order given, and sets parents and numbers of entries of the
// matrix that is left.
func (f *Factor) newPlacing(order []int32, count int32, rest *left) *placing {
	room := f.sym.room[f.n:]
	b := &placing{from: order, label: room[:f.n], ptr: room[2*f.n:][:len(rest.parent)+1],
		column: make([]column, count+1)}
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
		rest.parent[k], rest.count[k] = -1, f.count[j]
		if p := f.parent[j]; p >= 0 {
			rest.parent[k] = b.label[p] - count
		}
	}
	if f.sym.post != nil { // of which the matrix does not know
		b.from = room[f.n : 2*f.n]
		for k, j := range order {
			b.from[k] = f.sym.post[j]
		}
		for k, j := range b.from {
			b.label[j] = int32(k)
		}
	}
	lists, size := make([]int32, len(f.sym.up.idx)+int(entries+updates)), len(f.sym.up.idx)
	b.rest, b.dest, b.row, b.target = int(entries+count), lists[:size], lists[size:][:entries],
		lists[size+int(entries):]
	return b
}

// Store takes out the leading columns, which become the first pivots, and makes the storage of L.
// When ctx ends, the error is ctx.Err().
func (f *Factor) Store(ctx context.Context) error { return f.store(ctx, mostLeading) }

// store is Store with leading columns of so many entries at most.
func (f *Factor) store(ctx context.Context, most int32) (err error) {
	defer func() { f.sym = analysis{} }()
	order, runs, count := f.leadingOrder(most)
	tree, work := make([]int32, 2*(f.n-count)), poll.New(ctx)
	rest := &left{parent: tree[:f.n-count], count: tree[f.n-count:]}
	b := f.newPlacing(order, int32(count), rest)
	for k, j := range order {
		f.perm[k] = int(f.order[j])
	}
	for k, p := range f.perm {
		f.order[k] = int32(p)
	}
	if err := b.rows(&work, f.sym.up); err != nil {
		return err
	}
	runs = alike(runs, b.row)
	if err := b.inside(&work, pairsInLine); err != nil {
		return err
	}
	if rest.up, err = b.left(&work, f.sym.up); err != nil {
		return err
	}
	f.first = &leading{runs: runs, rest: b.rest, sign: make([]int8, count), dest: b.dest, row: b.row, target: b.target}
	if f.sup, err = newSupernodal(ctx, rest, count); err != nil {
		return err
	}
	return f.first.share(f.sup)
}
