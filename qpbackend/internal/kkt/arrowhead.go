package kkt

import (
	"math"

	"github.com/dcopt/dcopt/internal/matrix"
	"github.com/dcopt/dcopt/qpbackend/internal/ldl"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// arrowhead factors a symmetric matrix that is block diagonal with small blocks,
// the components, but for a few rows and columns, the border:
//
//	⎡ T₁            B₁ ⎤
//	⎢     ⋱         ⋮  ⎥
//	⎢         T_N   B_N⎥
//	⎣ B₁ᵀ  ⋯  B_Nᵀ  C  ⎦
//
// Each T is factored by itself. The Schur complement S = C − Σ BᵀT⁻¹B is a dense
// matrix, the sum of products of dense blocks. The columns of the border are
// gathered in blocks that have their entries in the same rows. The rows of B
// within one component and block are stored as multiples of as few vectors as
// there are directions among them: none for rows of zeros, one for rows that
// repeat the same data, as the rows of one sample in a regression do (a Khatri-Rao
// structure). This depends on the values and is found out by load.
type arrowhead struct {
	form           *partition // that it was made of; New makes others of it
	blocks         []block
	comp           components
	inside, around []entry // in components, in the border
	pairs          pairs   // where all components are such
	rows           coupled
	schur          complement
	room           workspace
	wide           vectors // the processor has wide registers

	sign     []int8
	reg      ldl.Regularisation // of the call of factorise that runs
	replaced int
}

// components are T and its factor, dense by rows, in the places tPtr.
type components struct {
	tPtr  []int32
	t     []float64
	off   []float64 // T without its diagonal
	order []int32   // of the pivots, places within the component
	rank  []int32   // the inverse
	d     []float64
}

// coupled is B: row by row, sorted by component, block and node.
type coupled struct {
	ptr      []int32 // the rows of each component
	block    []int32
	node     []int32 // places within the component
	piece    []int32 // the pieces of each row
	pieces   []piece
	raw      []float64 // a row of B in one block
	vec      []float64
	multiple []float64 // row e of B is multiple[e] times its vector
	which    []int32   // its place in the block; −1 for a row of zeros
	vectors  []int32   // number of vectors of each component
	terms    []term    // rows of B that are not zero, for products
	filled   int       // entries of the rows that are not zero
}

// complement is the Schur complement of the border.
type complement struct {
	s         []float64 // upper triangle by rows, later Lᵀ and D
	sd        []float64
	factors   []float64 // of the columns of scaled copies
	halved    bool      // there are scaled copies
	copies    []*block  // family by family
	copiesPtr []int32
}

// workspace is for one call.
type workspace struct {
	product *matrix.Product
	weights []float64 // of the components of a chunk
	chunks  []int32   // components that are worked on together
	m       []float64 // BᵀT⁻¹B in terms of the vectors
	mPtr    []int32   // within the chunk
	w       []float64 // products of m and vectors
	y       []float64 // for one component
	part, r []float64 // for solves: one component, the border
	rx      []float64 // for products: the border
	rv      []float64 // and for vectors: the border without factors of columns
	g       []float64 // an entry for each vector
}

// block is a group of border columns and the vectors of its width.
type block struct {
	first, width int
	at           int     // the vectors in arrowhead.vec, one after the other
	ptr          []int32 // the vectors of component c are ptr[c] ≤ v < ptr[c+1]
	owner        []int32 // component of each vector
	local        []int32 // and its number there
	gAt          int32
	data         int       // where the vectors to work with are: at, or the vectors of the block it copies
	copyOf       int32     // the block whose they are
	factor       []float64 // of the columns, for a scaled copy; nil: 1
	g            []float64 // in a solve, an entry for each vector; part of arrowhead.g
}

// term is a row of B: the place of its vector's entry in g, and how much of it.
type term struct {
	node, at int32
	multiple float64
}

// entry is one of the matrix, off the diagonal, by its place in it, and in T or
// S, and its value in the last load.
type entry struct {
	row, col, src, dst int32
	val                float64
}

// piece is a stretch of values in a row of B.
type piece struct {
	src, col, len int32 // place in the matrix, in the width of the block
}

// chunkSize bounds the entries of B in the components that are worked on
// together, so that they stay in a near cache.
// Source: derived: 256 kB of float64, half a second-level cache.
const chunkSize = 1 << 15

// chunkRows is the least number of rows of B in them: the Schur complement, which may be larger
// than a cache, is read and written once a chunk. Source: derived: as many as a part of a product
// in internal/matrix has.
const chunkRows = 192

// owners is the component of each place in nodes.
func (f *arrowhead) owners() []int32 {
	comp := make([]int32, len(f.form.nodes))
	for c := range len(f.form.compPtr) - 1 {
		for t := f.form.compPtr[c]; t < f.form.compPtr[c+1]; t++ {
			comp[t] = int32(c)
		}
	}
	return comp
}

// sources maps the entries of k within components and within the border.
func (f *arrowhead) sources(k *sparse.CSC) {
	comp, place := make([]int32, k.Cols), make([]int32, k.Cols)
	for t, c := range f.owners() {
		comp[f.form.nodes[t]], place[f.form.nodes[t]] = c, int32(t)-f.form.compPtr[c]
	}
	for t, i := range f.form.border {
		comp[i], place[i] = -1, int32(t)
	}
	for j, c := range comp {
		for e := k.ColPtr[j]; e < k.ColPtr[j+1]; e++ {
			i := k.RowIdx[e]
			if comp[i] != c { // coupling
				continue
			}
			if i == j {
				continue
			}
			at := entry{row: int32(i), col: int32(j), src: int32(e)}
			if a, b := place[i], place[j]; c < 0 {
				at.dst = min(a, b)*int32(len(f.form.border)) + max(a, b)
				f.around = append(f.around, at)
			} else {
				at.dst = f.comp.tPtr[c] + max(a, b)*(f.form.compPtr[c+1]-f.form.compPtr[c]) + min(a, b)
				f.inside = append(f.inside, at)
			}
		}
	}
}

// couple lays out B.
func (f *arrowhead) couple(p *partition) {
	comps, blocks := len(f.form.compPtr)-1, len(p.blockPtr)-1
	of := make([]int32, len(f.form.border))
	f.blocks = make([]block, blocks)
	for a := range f.blocks {
		lo, hi := p.blockPtr[a], p.blockPtr[a+1]
		f.blocks[a] = block{first: int(lo), width: int(hi - lo), ptr: make([]int32, comps+1)}
		for c := lo; c < hi; c++ {
			of[c] = int32(a)
		}
	}
	f.rows.ptr = make([]int32, comps+1)
	comp := f.owners()
	sortByBlock(p.couplings, comp, of, blocks)
	count := make([]int32, blocks) // rows so far
	last := coupling{node: -1}
	f.rows.pieces = make([]piece, 0, len(p.couplings))
	for _, l := range p.couplings {
		a := of[l.col]
		if l.node != last.node || a != of[last.col] {
			c := comp[l.node]
			f.rows.block, f.rows.node = append(f.rows.block, a), append(f.rows.node, l.node-f.form.compPtr[c])
			f.rows.piece = append(f.rows.piece, int32(len(f.rows.pieces)))
			f.rows.ptr[c+1]++
			count[a]++
		}
		f.rows.pieces = append(f.rows.pieces, piece{l.src, l.col - p.blockPtr[a], l.len})
		last = l
	}
	f.rows.piece = append(f.rows.piece, int32(len(f.rows.pieces)))
	for c := range comps {
		f.rows.ptr[c+1] += f.rows.ptr[c]
	}
	at, widest, rows := 0, 0, int32(0)
	for a := range f.blocks {
		b := &f.blocks[a]
		b.at = at
		b.owner, b.local = make([]int32, count[a]), make([]int32, count[a])
		b.gAt = rows
		rows += count[a]
		at += int(count[a]) * b.width
		widest = max(widest, b.width)
	}
	f.room.g = make([]float64, rows)
	for a := range f.blocks {
		b := &f.blocks[a]
		b.g = f.room.g[b.gAt:][:count[a]]
	}
	f.rows.terms = make([]term, 0, rows)
	f.schur.copies, f.schur.copiesPtr = make([]*block, 0, blocks), make([]int32, 0, blocks+1)
	f.rows.vec, f.rows.raw = make([]float64, at), make([]float64, widest)
	f.rows.multiple, f.rows.which = make([]float64, len(f.rows.block)), make([]int32, len(f.rows.block))
}

// sortByBlock sorts couplings, by node and so by component as they come, by block
// within each component, and leaves the order of equal ones.
func sortByBlock(couplings []coupling, comp, of []int32, blocks int) {
	next := make([]int, blocks+1)
	var sorted []coupling
	for lo, hi := 0, 0; lo < len(couplings); lo = hi {
		clear(next)
		for hi = lo; hi < len(couplings) && comp[couplings[hi].node] == comp[couplings[lo].node]; hi++ {
			next[of[couplings[hi].col]+1]++
		}
		for a := range blocks {
			next[a+1] += next[a]
		}
		sorted = append(sorted[:0], couplings[lo:hi]...)
		for _, l := range sorted {
			a := of[l.col]
			couplings[lo+next[a]] = l
			next[a]++
		}
	}
}

// chunk divides the components into chunks and makes the workspace for one.
func (f *arrowhead) chunk() {
	comps := len(f.form.compPtr) - 1
	f.room.chunks, f.room.mPtr = []int32{0}, make([]int32, comps)
	filled, rows, square := 0, 0, int32(0)
	var mostRows, mostSize, mostOwn, mostComps int
	var mostSquare int32
	widest := 0
	for _, b := range f.blocks {
		widest = max(widest, b.width)
	}
	for c := range comps {
		own := f.rows.ptr[c+1] - f.rows.ptr[c]
		if filled > chunkSize && rows >= chunkRows {
			f.room.chunks = append(f.room.chunks, int32(c))
			filled, rows, square = 0, 0, 0
		}
		f.room.mPtr[c] = square
		square += own * own
		rows += int(own)
		for _, a := range f.rows.block[f.rows.ptr[c]:f.rows.ptr[c+1]] {
			filled += f.blocks[a].width
		}
		mostComps = max(mostComps, c+1-int(f.room.chunks[len(f.room.chunks)-1]))
		mostRows, mostSquare = max(mostRows, rows), max(mostSquare, square)
		mostOwn, mostSize = max(mostOwn, int(own)), max(mostSize, int(f.form.compPtr[c+1]-f.form.compPtr[c]))
	}
	f.room.chunks = append(f.room.chunks, int32(comps))
	f.room.m = make([]float64, mostSquare)
	f.room.weights = make([]float64, mostComps)
	f.room.w = make([]float64, max(mostRows*widest, panelRows*len(f.form.border)))
	f.room.y = make([]float64, mostOwn*mostSize)
	f.room.part = make([]float64, mostSize)
}

// same is how much two multiples of one vector may differ, relative to each
// entry: the rounding of the scaling.
// Source: derived: 9 roundings of 2.2e-16 each.
const same = 2e-15

// row is row e of B in its block, of the given width.
func (f *arrowhead) row(e int32, width int, val []float64) []float64 {
	pieces := f.rows.pieces[f.rows.piece[e]:f.rows.piece[e+1]]
	if len(pieces) == 1 && int(pieces[0].len) == width {
		return val[pieces[0].src:][:width]
	}
	raw := f.rows.raw[:width]
	clear(raw)
	for _, p := range pieces {
		copy(raw[p.col:][:p.len], val[p.src:])
	}
	return raw
}

// reduce finds the vectors of component c.
func (f *arrowhead) reduce(c int, val []float64) {
	count := int32(0)
	lo, hi := f.rows.ptr[c], f.rows.ptr[c+1]
	for e := lo; e < hi; {
		b := &f.blocks[f.rows.block[e]]
		for block := f.rows.block[e]; e < hi && f.rows.block[e] == block; e++ {
			raw := f.row(e, b.width, val)
			f.rows.which[e], f.rows.multiple[e] = -1, 0
			lead := largest(raw)
			if raw[lead] == 0 {
				continue
			}
			f.rows.filled += b.width
			for v := b.ptr[c]; v < b.ptr[c+1]; v++ {
				model := f.rows.vec[b.at+int(v)*b.width:][:b.width]
				if z, ok := ratio(raw, model, lead); ok {
					f.rows.which[e], f.rows.multiple[e] = v, z
					break
				}
			}
			if f.rows.which[e] >= 0 {
				continue
			}
			v := b.ptr[c+1]
			copy(f.rows.vec[b.at+int(v)*b.width:][:b.width], raw)
			b.owner[v], b.local[v] = int32(c), count
			f.rows.which[e], f.rows.multiple[e] = v, 1
			b.ptr[c+1]++
			count++
		}
	}
	f.rows.vectors[c] = count
	nodes := f.form.nodes[f.form.compPtr[c]:f.form.compPtr[c+1]]
	for e := lo; e < hi; e++ {
		if v := f.rows.which[e]; v >= 0 {
			f.rows.terms = append(f.rows.terms,
				term{nodes[f.rows.node[e]], f.blocks[f.rows.block[e]].gAt + v, f.rows.multiple[e]})
		}
	}
}

// largest is the place of the largest entry, a NaN if there is one.
func largest(v []float64) int {
	top, size := 0, 0.0
	for i, e := range v {
		if a := math.Abs(e); !(a <= size) {
			top, size = i, a
		}
	}
	return top
}

// ratio reports whether v is a multiple of model, and which one, given the place
// of the largest entry of v.
func ratio(v, model []float64, lead int) (z float64, ok bool) {
	if model[lead] == 0 {
		return 0, false
	}
	z = v[lead] / model[lead]
	model = model[:len(v)]
	for i, e := range v {
		if !(math.Abs(e-z*model[i]) <= same*math.Abs(e)) {
			return 0, false
		}
	}
	return z, true
}

// vectors is the number of vectors in the block.
func (l *block) vectors() int { return int(l.ptr[len(l.ptr)-1]) }

// panelRows is the number of rows of the Schur complement that are factored before the
// rest is updated.
// Source: derived: with a tile of as many columns a panel takes 18 kB, half a first-level cache.
const panelRows = 48

// pairs are the components of an arrowhead form that consist of a variable and a row each, where
// the row alone has entries in the border, which is one block: samples with a hinge each. Loops
// over arrays then do the work of loops over components: with T = [a e; e −d], for a, d > 0, T⁻¹ =
// [d e; e −a]/(ad + e²), which has no differences.
type pairs struct {
	nodes    []int32   // variable, row, variable, row
	link     []float64 // e of each component
	inverse  []pair
	serve    bool // all components are such with the values of the last load
	inverted bool // and have an inverse
}

// pair is T⁻¹ = [a b; b −c].
type pair struct{ a, b, c float64 }
