package ldl

import "github.com/dcopt/dcopt/internal/poll"

// placing finds the places of a leading.
type placing struct {
	rest              int // see leading
	dest, row, target []int32
	from, label       []int32  // the column of the matrix that each column is, and the inverse
	column            []column // the leading ones, and one more for the end
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

// rows finds the rows of the leading columns' entries, and the places of the matrix's entries in
// these columns. Row k has entries in the columns on the ways up the elimination tree from its
// entries in the matrix to k.
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

// inside finds the targets in leading columns, behind so many others: the rows of a column behind
// one of its entries are among the rows of the column that this row is.
func (b *placing) inside(work *poll.Poll, end int32) error {
	count := int32(len(b.column) - 1)
	columns, row := b.column, b.row
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

// left finds the targets, and the places of entries, in the matrix that is left, whose entries get
// places as they are met. It returns its upper triangle.
func (b *placing) left(work *poll.Poll, up *triangle) (*pattern, error) {
	count := int32(len(b.column) - 1)
	label, columns, dest, target, row := b.label, b.column, b.dest, b.target, b.row
	ptr, idx := make([]int32, len(b.ptr)), make([]int32, 0, len(up.idx)-int(count))
	// Of each column, the row that was last at work on it, from 1, and the place of its entry
	// there.
	last, rest := make([]struct{ row, place int32 }, len(ptr)-1), int32(b.rest)
	for k, p := range b.from[count:] {
		own := int32(k) + 1
		lo, hi := up.ptr[p], up.ptr[p+1]
		for e := lo; e < hi; e++ {
			i := label[up.idx[e]] - count
			if i < 0 {
				continue
			}
			l := &last[i]
			if l.row != own {
				l.row, l.place = own, rest+int32(len(idx))
				idx = append(idx, i)
			}
			dest[up.src[e]] = l.place
		}
		steps := int(1 + hi - lo)
		for _, e := range b.at[b.ptr[k]:b.ptr[k+1]] {
			j := &columns[e.col]
			rows := row[j.first:columns[e.col+1].first][:e.number+1]
			c, t := columns[e.col+1].first-j.first-e.number, j.next
			t += e.number * (2*c + e.number + 1) / 2 // of the products of this entry, that with itself
			for a := len(rows) - 1; a >= 0; a-- {
				i := rows[a] - count
				if i < 0 {
					break
				}
				l := &last[i]
				if l.row != own {
					l.row, l.place = own, rest+int32(len(idx))
					idx = append(idx, i)
				}
				target[t] = l.place
				t -= c
				c++
			}
			steps += len(rows)
		}
		ptr[k+1] = int32(len(idx))
		if err := work.Err(poll.Scattered * steps); err != nil {
			return nil, err
		}
	}
	return &pattern{ptr: ptr, idx: idx}, nil
}

// run is a number of columns with so many entries each, of which alike says that they are all in
// the same rows.
type run struct {
	columns, entries int32
	alike            bool
}
