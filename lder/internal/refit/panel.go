package refit

// Rows are worked on by panels of at most panelRows; a power of two would put
// all entries of a row on the same lines of the cache. Panels of at most
// keptRows rows and keptNumbers numbers together are kept through a fit, with the
// values of the pieces.
// Source: limits of memory: a panel stays in a second-level cache, 2^22 float64 have
// 32 MB.
const (
	panelRows   = 504
	keptRows    = blockRows
	keptNumbers = 1 << 22
)

// panel is a run of rows in the order that kernels read them: all first entries,
// then all second ones, and so on. It is filled up to its width, a multiple of 8,
// with rows of weight 0.
type panel struct {
	lo, rows, n, width int
	x, y, w            []float64 // n·width, width, width
	v, c               []float64 // values of the pieces but the one that is 0, and their change by a full step
	region, moved      []int32   // width; moved is memory of the kernels
}

// panels cuts data into panels.
type panels struct {
	d             *Data
	pieces, width int
	kept          bool
	memory        []float64 // of the panels kept
}

// set prepares panels of blocks of so many rows.
func (s *panels) set(d *Data, pieces, block int) {
	block = min(block, d.M)
	count := (block + panelRows - 1) / panelRows
	s.d, s.pieces = d, pieces
	s.width = ((block+count-1)/count + 7) &^ 7
	s.kept = d.M <= keptRows && d.M <= keptNumbers/(s.size()/s.width)
	if !s.kept {
		return
	}
	size := s.size()
	s.memory = resize(s.memory, (d.M+s.width-1)/s.width*size)
	for lo := 0; lo < d.M; lo += s.width {
		p := s.layOut(s.memory[lo/s.width*size:], lo, min(lo+s.width, d.M))
		p.fill(d)
	}
}

func (s *panels) size() int { return (s.d.N + 2 + 2*s.pieces) * s.width }

// scratch is memory for a panel.
type scratch struct {
	numbers   []float64
	numbers32 []int32
}

// panel returns the panel of rows lo to hi of a block.
func (s *panels) panel(at *scratch, lo, hi int) panel {
	size := s.size()
	at.numbers32 = resize(at.numbers32, 2*s.width)
	var p panel
	if s.kept {
		p = s.layOut(s.memory[lo/s.width*size:], lo, hi)
	} else {
		at.numbers = resize(at.numbers, size)
		p = s.layOut(at.numbers, lo, hi)
		p.fill(s.d)
	}
	p.region, p.moved = at.numbers32[:s.width:s.width], at.numbers32[s.width:]
	return p
}

// layOut lays a panel out in memory.
func (s *panels) layOut(memory []float64, lo, hi int) panel {
	p := panel{lo: lo, rows: hi - lo, n: s.d.N, width: s.width}
	take := func(columns int) []float64 {
		out := memory[: columns*s.width : columns*s.width]
		memory = memory[columns*s.width:]
		return out
	}
	p.x, p.y, p.w = take(p.n), take(1), take(1)
	p.v, p.c = take(s.pieces), take(s.pieces)
	return p
}

// fill copies the rows.
func (p *panel) fill(d *Data) {
	n, width := p.n, p.width
	i := 0
	for ; i+4 <= p.rows; i += 4 {
		four := d.X[(p.lo+i)*n : (p.lo+i+4)*n]
		r0, r1, r2, r3 := four[:n], four[n:][:n], four[2*n:][:n], four[3*n:][:n]
		for j, v := range r0 {
			to := p.x[j*width+i:][:4]
			to[0], to[1], to[2], to[3] = v, r1[j], r2[j], r3[j]
		}
	}
	for ; i < p.rows; i++ {
		for j, v := range d.Row(p.lo + i) {
			p.x[j*width+i] = v
		}
	}
	for j := range n {
		clear(p.x[j*width+p.rows : (j+1)*width])
	}
	copy(p.y, d.Y[p.lo:p.lo+p.rows])
	clear(p.y[p.rows:])
	if d.W != nil {
		copy(p.w, d.W[p.lo:p.lo+p.rows])
	} else {
		uniform := 1 / float64(d.M)
		for i := range p.rows {
			p.w[i] = uniform
		}
	}
	clear(p.w[p.rows:])
}
