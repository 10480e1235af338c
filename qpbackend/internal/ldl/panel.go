package ldl

import (
	"context"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/poll"
	"github.com/dcopt/dcopt/internal/simd"
)

// factorise returns the pivot at which it failed, or −1, and ctx.Err() where ctx
// has ended.
func (s *supernodal) factorise(ctx context.Context, f *Factor) (int, error) {
	p := poll.New(ctx)
	for k := range s.head {
		s.head[k] = -1
	}
	for k := range int32(len(s.head)) {
		width := int(s.node[k+1].first - s.node[k].first)
		if s.head[k] >= 0 {
			s.placeRows(k)
		}
		for d := s.head[k]; d >= 0; {
			after := s.next[d]
			if err := p.Err(s.update(f, k, d)); err != nil {
				return -1, err
			}
			d = after
		}
		if bad := s.panel(f, k); bad >= 0 {
			return bad, nil
		}
		if err := p.Err(width * (s.node[k+1].val - s.node[k].val)); err != nil {
			return -1, err
		}
		s.done[k] = s.node[k].row
		s.wait(k)
	}
	return -1, nil
}

// zero clears v.
func zero(p *poll.Poll, v []float64) error {
	for len(v) > 0 {
		part := min(len(v), poll.Interval)
		clear(v[:part])
		if err := p.Err(part); err != nil {
			return err
		}
		v = v[part:]
	}
	return nil
}

// wait enters supernode d into the list of the one that its next row belongs to.
func (s *supernodal) wait(d int32) {
	p := s.done[d]
	if p == s.node[d+1].row {
		return
	}
	k := s.of[s.row[p]]
	s.next[d] = s.head[k]
	s.head[k] = d
}

// panel factors supernode k in place after all updates: its triangle, and the
// rows below it. It returns the pivot at which it failed, or −1.
func (s *supernodal) panel(f *Factor, k int32) int {
	n, next := s.node[k], s.node[k+1]
	first, width := s.base+int(n.first), int(next.first-n.first)
	panel := s.val[n.val:next.val]
	dinv := f.dinv[first : first+width]
	switch {
	case width == 1:
		if !f.pivot(first, panel[0]) {
			return first
		}
		panel[0] = dinv[0]
		for i := range panel[1:] {
			panel[1+i] *= dinv[0]
		}
		return -1
	case s.wide:
		return s.blocks(f, panel, width, first)
	}
	for r := 0; r < len(panel)/width; r += 4 {
		n := min(4, len(panel)/width-r)
		known := min(r, width) // columns whose row of the triangle is complete
		if n == 4 {
			eliminate4(panel, width, r, known)
		} else {
			for i := r; i < r+n; i++ {
				eliminate(panel, width, i, 0, known)
			}
		}
		for i := r; i < r+n; i++ {
			row := panel[i*width:][:width]
			if i < width {
				eliminate(panel, width, i, known, i)
				d := row[i]
				for j, u := range row[:i] {
					l := u * dinv[j]
					d -= u * l
					row[j] = l
				}
				if !f.pivot(first+i, d) {
					return first + i
				}
				row[i] = dinv[i]
				continue
			}
			eliminate(panel, width, i, known, width)
			for j, v := range dinv {
				row[j] *= v
			}
		}
	}
	return -1
}

// blockWidth is the number of columns that a block of a panel has. Products of columns of a
// supernode with no more are rounded, so that equal terms leave nothing; others are fused. Source:
// derived: eight columns are eight registers, two fused multiplications at a time of a latency of
// four.
const blockWidth = 8

// blocks is panel in blocks of columns, by the kernels for wide registers, for more than one
// column.
func (s *supernodal) blocks(f *Factor, panel []float64, width, first int) int {
	solved, inverse := s.scaled[:blockWidth*maxWidth], s.scaled[blockWidth*maxWidth:][:maxWidth]
	for i := 0; i < width; i += blockWidth {
		n := min(blockWidth, width-i)
		if i > 0 {
			s.tiles.Solve(&panel[i*width], &panel[0], &inverse[0], &solved[0], width, n, i, 1)
		}
		for r := range n {
			row := panel[(i+r)*width+i:][:n]
			own, d := inverse[i:][:r], row[r]
			for j := range own {
				u := row[j]
				for t, l := range panel[(i+j)*width+i:][:j] {
					u -= row[t] * l
				}
				row[j] = u
			}
			for j, v := range own {
				u := row[j]
				row[j] = u * v
				d -= u * row[j]
			}
			if !f.pivot(first+i+r, d) {
				return first + i + r
			}
			row[r] = f.dinv[first+i+r]
			inverse[i+r] = row[r]
		}
	}
	if below := len(panel)/width - width; below > 0 {
		s.tiles.Solve(&panel[width*width], &panel[0], &inverse[0], &solved[0], width, below, width, 0)
	}
	return -1
}

// eliminate continues the solution of u Lᵀ = a in row i of the panel: columns
// from to to−1, the earlier ones being solved for.
func eliminate(panel []float64, width, i, from, to int) {
	row := panel[i*width:][:width]
	for j := from; j < to; j++ {
		row[j] -= num.Dot(row[:j], panel[j*width:])
	}
}

// eliminate4 is eliminate for four rows from i on and columns 0 to to−1.
func eliminate4(panel []float64, width, i, to int) {
	a := panel[i*width:][:4*width]
	r0, r1, r2, r3 := a[:width], a[width:][:width], a[2*width:][:width], a[3*width:][:width]
	j := 0
	for ; j+2 <= to; j += 2 {
		l := panel[j*width:][:2*width]
		s00, s01, s10, s11, s20, s21, s30, s31 := tile(a, l, width, j)
		// The second column also sees the first.
		m := l[width+j]
		u := r0[j] - s00
		r0[j], r0[j+1] = u, r0[j+1]-s01-u*m
		u = r1[j] - s10
		r1[j], r1[j+1] = u, r1[j+1]-s11-u*m
		u = r2[j] - s20
		r2[j], r2[j+1] = u, r2[j+1]-s21-u*m
		u = r3[j] - s30
		r3[j], r3[j+1] = u, r3[j+1]-s31-u*m
	}
	if j < to {
		l := panel[j*width:][:j]
		r0[j] -= num.Dot(l, r0)
		r1[j] -= num.Dot(l, r1)
		r2[j] -= num.Dot(l, r2)
		r3[j] -= num.Dot(l, r3)
	}
}

// update subtracts L_d D L_dᵀ, of supernode d, from the panel of supernode k:
// rows from done[d] on, columns of k. It returns the number of
// multiplications.
func (s *supernodal) update(f *Factor, k, d int32) int {
	n, next := s.node[d], s.node[d+1]
	width := int(next.first - n.first)
	from := s.done[d]
	rows := s.row[from:next.row]
	cols := 0
	own, end := s.node[k], s.node[k+1].first
	for cols < len(rows) && rows[cols] < end {
		cols++
	}
	s.done[d] = from + int32(cols)
	s.wait(d)

	ld := int(end - own.first)
	target := s.target[:len(rows)]
	for r, i := range rows {
		target[r] = own.val + int(s.place[i])*ld
	}
	block := s.val[n.val+(width+int(from-n.row))*width : next.val]
	switch pivots := f.d[s.base+int(n.first):][:width]; {
	case s.wide && (s.tiles.High == 8 || width > blockWidth):
		s.chunks(block, pivots, rows[:cols], target, own.first)
	case width == 1:
		s.rankOne(block, s.times(block, pivots, cols), rows[:cols], target, own.first)
	default:
		s.product(block, s.times(block, pivots, cols), width, rows[:cols], target, own.first)
	}
	return width * cols * len(rows)
}

// times is the first rows of the block, as many as given, times the pivots.
func (s *supernodal) times(block, pivots []float64, rows int) []float64 {
	width := len(pivots)
	scaled := s.scaled[:rows*width]
	for c := range rows {
		src := block[c*width:][:len(pivots)]
		dst := scaled[c*width:][:len(pivots)]
		for t, v := range pivots {
			dst[t] = src[t] * v
		}
	}
	return scaled
}

// rankOne is the update by a supernode of one column. Entries above
// the diagonal are left out.
func (s *supernodal) rankOne(block, scaled []float64, cols []int32, target []int, first int32) {
	scaled = scaled[:len(cols)]
	for r, t := range target {
		v := block[r]
		out := s.val[t:]
		for c, j := range cols[:min(len(cols), r+1)] {
			out[j-first] -= v * scaled[c]
		}
	}
}

// product subtracts block·scaledᵀ at the places target and cols, in tiles of
// four rows and two columns. Tiles wholly above the diagonal are left out; entries that
// the rest writes above it are not read.
func (s *supernodal) product(block, scaled []float64, width int, cols []int32, target []int, first int32) {
	val := s.val
	r := 0
	for ; r+4 <= len(target); r += 4 {
		a := block[r*width:][:4*width]
		t0, t1, t2, t3 := val[target[r]:], val[target[r+1]:], val[target[r+2]:], val[target[r+3]:]
		last := min(len(cols), r+4)
		c := 0
		for ; c+2 <= last; c += 2 {
			j0, j1 := cols[c]-first, cols[c+1]-first
			s00, s01, s10, s11, s20, s21, s30, s31 := tile(a, scaled[c*width:], width, width)
			t0[j0] -= s00
			t0[j1] -= s01
			t1[j0] -= s10
			t1[j1] -= s11
			t2[j0] -= s20
			t2[j1] -= s21
			t3[j0] -= s30
			t3[j1] -= s31
		}
		if c < last {
			j := cols[c] - first
			b := scaled[c*width:][:width]
			t0[j] -= dot(b, a)
			t1[j] -= dot(b, a[width:])
			t2[j] -= dot(b, a[2*width:])
			t3[j] -= dot(b, a[3*width:])
		}
	}
	for ; r < len(target); r++ {
		a := block[r*width:][:width]
		out := val[target[r]:]
		for c, j := range cols[:min(len(cols), r+1)] {
			out[j-first] -= dot(a, scaled[c*width:])
		}
	}
}

// chunks is product, or rankOne, by the kernels for wide registers: as many columns at a time as
// are within a tile, with zeros for those between them. Above the diagonal are the rows before the
// first of them.
func (s *supernodal) chunks(block, pivots []float64, cols []int32, target []int, first int32) {
	width, fused := len(pivots), 0
	if width > blockWidth {
		fused = 1
	}
	for c := 0; c < len(cols); {
		j, end := cols[c], c+1
		for end < len(cols) && int(cols[end]-j) < s.tiles.Wide {
			end++
		}
		span := int(cols[end-1]-j) + 1
		x, rows := block[c*width:], target[c:]
		if s.tiles.High == 8 {
			wide := (span + 7) &^ 7
			s.pack(x, pivots, cols[c:end], wide)
			simd.SubtractWiderRows(&s.val[j-first], &rows[0], &x[0], &s.scaled[0], width, wide, width, len(rows), span,
				fused)
		} else {
			s.fill(x, pivots, cols[c:end], s.tiles.Wide)
			s.fours(x, width, rows, int(j-first), span)
		}
		c = end
	}
}

// pack is fill by a kernel, where it pays.
func (s *supernodal) pack(block, pivots []float64, cols []int32, wide int) {
	width, c := len(pivots), 0
	if width == 1 {
		s.fill(block, pivots, cols, wide)
		return
	}
	for j := 0; j < wide; j += 8 {
		mask, from, open := 0, c, 1
		for ; c < len(cols) && int(cols[c]-cols[0]) < j+8; c++ {
			mask |= 1 << (int(cols[c]-cols[0]) - j)
		}
		if c == len(cols) || c-from == 8 {
			open = mask & (mask + 1)
		}
		if open == 0 { // no zeros among them
			mask = 255
		}
		simd.PackWider(&s.scaled[j], &block[from*width], &pivots[0], wide, width, width, mask)
	}
}

// fill sets column j − cols[0] of s.scaled, with rows so wide, to the row of the block that belongs
// to j times the pivots, for j in cols, and columns between these to zero.
func (s *supernodal) fill(block, pivots []float64, cols []int32, wide int) {
	width := len(pivots)
	if int(cols[len(cols)-1]-cols[0]) >= len(cols) {
		clear(s.scaled[:wide*width])
	}
	for c, j := range cols {
		src, dst := block[c*width:][:len(pivots)], s.scaled[j-cols[0]:]
		for t, v := range pivots {
			dst[t*wide] = src[t] * v
		}
	}
}

// fours subtracts the products of the rows of x with s.scaled, cols columns, from the rows of
// s.val, from column j on, four at a time.
func (s *supernodal) fours(x []float64, width int, rows []int, j, cols int) {
	var room [4 * 12]float64
	wide := s.tiles.Wide
	for r := 0; r < len(rows); r += 4 {
		at := rows[r:min(r+4, len(rows))]
		if ld := spacing(at); ld > 0 {
			to := s.val[at[0]+j : at[len(at)-1]+j+cols]
			simd.SubtractTile(&to[0], &x[r*width], &s.scaled[0], ld, width, 1, wide, width, len(at), cols)
			continue
		}
		clear(room[:])
		simd.SubtractTile(&room[0], &x[r*width], &s.scaled[0], wide, width, 1, wide, width, len(at), cols)
		for i, p := range at {
			to := s.val[p+j:][:cols]
			for c, v := range room[i*wide:][:cols] {
				to[c] += v
			}
		}
	}
}

// spacing is the distance of each of the places from the one before, at least 1, and 0 where they
// differ.
func spacing(places []int) int {
	if len(places) == 1 {
		return 1
	}
	d := places[1] - places[0]
	for i := 2; i < len(places); i++ {
		if places[i]-places[i-1] != d {
			return 0
		}
	}
	return d
}
