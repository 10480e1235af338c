package ldl

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/poll"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// mostLeading is the largest number of entries of a leading column, shareLeading the share of all
// columns that have to be leading ones. Source: docs/lab/bench.md, Leading columns and supernodes.
const (
	mostLeading  = 16
	shareLeading = 0.5
)

// leadingOrder lists, in the first n entries of the room, the leading columns, and the others after
// them, both in their order: where large terms of one subtree cancel, they do so before the terms
// of the next come, and sums stay small. One with all columns of so many entries together loses
// four digits of a solution on cx02-200 of CBLIB.
func (f *Factor) leadingOrder() (_ []int32, runs []run) {
	late, order, count := make([]bool, f.n), f.sym.room[:f.n], 0
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

// newPlacing takes the columns in the order given, and sets parents and numbers of entries of the
// tail.
func (f *Factor) newPlacing(order []int32, count int32, tail *Factor) *placing {
	room := f.sym.room[f.n:]
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
	if err := b.rows(&work, f.sym.up); err != nil {
		return err
	}
	runs = alike(runs, b.row)
	if err := b.inside(&work, pairsInLine); err != nil {
		return err
	}
	var err error
	if tail.sym.up, err = b.left(&work, f.sym.up); err != nil {
		return err
	}
	f.first = &leading{runs: runs, rest: b.rest, sign: make([]int8, count), dest: b.dest, row: b.row, target: b.target}
	f.tail, f.sym.up, f.sym.post = tail, nil, nil
	return nil
}

// Analyse does the symbolic work once: permutation, elimination tree, column
// counts, pattern of L, map from the caller's values. k is an upper triangle in
// which every diagonal entry is stored; its values are not looked at. perm[i]
// is the original index of pivot i; nil stands for the natural order. The order
// used follows perm but for a postordering of the elimination tree, which
// changes neither fill nor work. When ctx ends, the error is ctx.Err().
func Analyse(ctx context.Context, k *sparse.CSC, perm []int) (*Factor, error) {
	f, err := Count(ctx, k, perm)
	if err != nil {
		return nil, err
	}
	return f, f.Store(ctx, false)
}

// supernodalRatio is the number of operations an entry, of what leading columns leave of L, from
// which whole supernodes pay. Source: times of a factorisation with two solves; docs/lab/bench.md,
// Leading columns and supernodes.
const supernodalRatio = 15.0

// Store takes out the leading columns and makes the storage of L for the method that takes less
// time. joined is for matrices with large dense parts: columns that do not touch one another but
// have the same rows below, as the columns of variables that are in all rows of one dense block,
// share a supernode, with zeros between them: one product instead of many updates of rank one. When
// ctx ends, the error is ctx.Err().
func (f *Factor) Store(ctx context.Context, joined bool) error {
	defer func() { f.sym.room = nil }()
	f.joined = joined
	if err := f.lead(ctx); err != nil {
		return err
	}
	if f.tail == nil {
		return f.store(ctx, nil)
	}
	if err := f.tail.store(ctx, f.first); err != nil {
		return err
	}
	f.first.hold(f.tail.sym.up)
	return nil
}

// store is Store for the matrix that the leading columns leave, nil for none.
func (f *Factor) store(ctx context.Context, first *leading) (err error) {
	if f.nnz > 0 && f.flops >= supernodalRatio*float64(f.nnz) {
		if f.sup, err = newSupernodal(ctx, f, first == nil); err == nil && first != nil {
			first.share(f.sup)
		}
	} else {
		f.row, err = newRowwise(ctx, f)
	}
	return err
}
