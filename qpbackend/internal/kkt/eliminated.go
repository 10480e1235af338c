package kkt

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/poll"
	"github.com/dcopt/dcopt/qpbackend/internal/elimination"
	"github.com/dcopt/dcopt/qpbackend/internal/ldl"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Scaling is the block G of a semidefinite cone, X → QXQ on scaled triangles.
type Scaling interface {
	// Matrix is Q, and Inverse Q⁻¹, n × n.
	Matrix() []float64
	Inverse() []float64
	// Root is Bᵀ with BᵀB = Q⁻¹, or Q.
	Root(inverse bool) []float64
	// Apply sets dst to Gx, Div to G⁻¹x.
	Apply(dst, x []float64)
	Div(dst, x []float64)
}

// eliminated is a strategy: the rows of some semidefinite blocks are eliminated, which
// leaves the Schur complement Σ AᵀG⁻¹A in the place of the variables that they have, and
// the other columns are factored as a whole.
//
// Their rows of the matrix have no proximal term, and hold exactly for a result of solve, but for
// rounding in G⁻¹, which is left as a residual of the variables. With a matrix variable, see
// Block.Own, goes the variable too, which leaves −Σ A·G·Aᵀ in the place of the other rows that it
// is in.
type eliminated struct {
	k      *sparse.CSC // pattern of the whole matrix
	val    []float64   // its values, as loaded
	blocks []*gone
	kept   []int32 // the columns of red
	red    *sparse.CSC
	diag   []int   // of red
	from   []int32 // entries of red off the diagonal that are entries of k
	to     []int32
	f      factor
	sign   []int8
	b      []float64
	scale  []float64 // of red, to a diagonal of ones
	more   float64   // see System.Outweigh
	exact  exactness // of the Schur complement
}

// gone is a block whose rows are eliminated.
type gone struct {
	first, len int // columns of k
	gram       *elimination.Gram
	scaling    Scaling
	places     [][]int32 // of entries of red: member j has those with members 0 … j
	t, y       []float64
	own        *elimination.Own // nil: the variables stay
}

// members are the rows of k that have entries in the columns of a block, and these, but
// for so many at the end of each column.
func members(k *sparse.CSC, first, length, behind int) (columns []int32, entries [][]elimination.Entry) {
	of := map[int32]*[]elimination.Entry{}
	for i := range length {
		for e := k.ColPtr[first+i]; e < k.ColPtr[first+i+1]-behind; e++ {
			j := int32(k.RowIdx[e])
			own := of[j]
			if own == nil {
				own = new([]elimination.Entry)
				of[j] = own
			}
			*own = append(*own, elimination.Entry{Row: int32(i), Place: int32(e)})
		}
	}
	columns = slices.Sorted(maps.Keys(of)) // so that the pairs belong to an upper triangle
	for _, j := range columns {
		entries = append(entries, *of[j])
	}
	return columns, entries
}

// mostComplement bounds the entries of the Schur complement.
// Source: a limit of memory: 3e8 of them have 2.4 GB, with their places, and the factor as
// much again.
const mostComplement = 3e8

// semidefinite is a block to be eliminated: its first column, length and order.
type semidefinite struct {
	elimination.Range
	order int
}

// members are the columns that are left with the entries of a block: variables, or, of a matrix
// variable, the other rows.
func (b semidefinite) members(k *sparse.CSC, own *elimination.Own,
	behind int) (columns []int32, entries [][]elimination.Entry) {
	if own != nil {
		return own.Columns, own.Members()
	}
	return members(k, b.First, b.Len, behind)
}

func rangesOf(blocks []semidefinite) (list []elimination.Range) {
	for _, b := range blocks {
		list = append(list, b.Range)
	}
	return list
}

// newEliminated takes the pattern k, in which rows begin behind n variables, and the blocks
// to be eliminated.
func newEliminated(ctx context.Context, k *sparse.CSC, n int, blocks []semidefinite) (*eliminated, error) {
	f := &eliminated{k: k, b: make([]float64, k.Cols)}
	reduced := make([]int32, k.Cols)
	cliques := make([][]int32, len(blocks))
	total := 0.0
	owners := elimination.Owners(k, n, rangesOf(blocks))
	for t, b := range blocks {
		columns, entries := b.members(k, owners[t], 1)
		for _, j := range b.Own {
			reduced[j] = -1
		}
		w := float64(len(columns))
		if total += w * (w + 1) / 2; total > mostComplement {
			return nil,
				fmt.Errorf("kkt: the Schur complement of the semidefinite cones, with %d columns of one of them, "+
					"has more than %g entries", len(columns), float64(mostComplement))
		}
		cliques[t] = columns
		f.blocks = append(f.blocks, &gone{
			first: b.First, len: b.Len, gram: elimination.New(b.order, entries),
			t: make([]float64, b.Len), y: make([]float64, b.Len), own: owners[t],
		})
		for i := range b.Len {
			reduced[b.First+i] = -1
		}
	}
	for j, r := range reduced {
		if r == 0 {
			reduced[j] = int32(len(f.kept))
			f.kept = append(f.kept, int32(j))
		}
	}
	if err := f.pattern(ctx, reduced, cliques); err != nil {
		return nil, err
	}
	f.sign, f.scale = make([]int8, len(f.kept)), make([]float64, len(f.kept))
	inner, err := newFactor(ctx, f.red, Sparse)
	if f.f = inner; err == nil {
		f.choose(blocks, inner)
	}
	return f, err
}

// pattern lays out red: the kept entries of k, and a full triangle for each clique.
func (f *eliminated) pattern(ctx context.Context, reduced []int32, cliques [][]int32) error {
	k, n := f.k, len(f.kept)
	of := make([][]int32, n) // cliques of each column, and its place there
	for t, c := range cliques {
		for p, j := range c {
			r := reduced[j]
			of[r] = append(of[r], int32(t), int32(p))
		}
		f.blocks[t].places = make([][]int32, len(c))
	}
	red := &sparse.CSC{Rows: n, Cols: n, ColPtr: make([]int, n+1)}
	work := poll.New(ctx)
	where := make([]int32, n)
	stamp := make([]int32, n)
	f.diag = make([]int, n)
	var rows []int32
	for c, j := range f.kept {
		rows = rows[:0]
		add := func(r int32) {
			if stamp[r] != int32(c)+1 {
				stamp[r] = int32(c) + 1
				rows = append(rows, r)
			}
		}
		for e := k.ColPtr[j]; e < k.ColPtr[j+1]; e++ {
			if r := reduced[k.RowIdx[e]]; r >= 0 {
				add(r)
			}
		}
		for q := 0; q < len(of[c]); q += 2 {
			for _, o := range cliques[of[c][q]][:of[c][q+1]+1] {
				add(reduced[o])
			}
		}
		slices.Sort(rows)
		base := len(red.RowIdx)
		for p, r := range rows {
			where[r] = int32(base + p)
			red.RowIdx = append(red.RowIdx, int(r))
		}
		red.ColPtr[c+1] = len(red.RowIdx)
		f.diag[c] = len(red.RowIdx) - 1
		for e := k.ColPtr[j]; e < k.ColPtr[j+1]; e++ {
			if r := reduced[k.RowIdx[e]]; r >= 0 && r != int32(c) {
				f.from, f.to = append(f.from, int32(e)), append(f.to, where[r])
			}
		}
		for q := 0; q < len(of[c]); q += 2 {
			clique, p := cliques[of[c][q]], of[c][q+1]
			places := make([]int32, p+1)
			for i, o := range clique[:p+1] {
				places[i] = where[reduced[o]]
			}
			f.blocks[of[c][q]].places[p] = places
		}
		if err := work.Err(poll.Scattered * (1 + len(rows))); err != nil {
			return err
		}
	}
	red.Val = make([]float64, len(red.RowIdx))
	f.red = red
	return nil
}

func (f *eliminated) load(val []float64, sign []int8) {
	f.val = val
	for c, j := range f.kept {
		f.sign[c] = sign[j]
	}
	for _, g := range f.blocks {
		if g.own != nil {
			g.gram.Load(g.own.Load(f.k, val, g.first))
		} else {
			g.gram.Load(val)
		}
	}
}

func (f *eliminated) factorise(ctx context.Context, diag []float64, _ ldl.Regularisation, _ []float64) (int, error) {
	v, exact := f.red.Val, f.exact.always || f.exact.on
	clear(v)
	for e, at := range f.from {
		v[f.to[e]] = f.val[at]
	}
	for _, b := range f.blocks {
		to, with := elimination.Sum{Val: v, Places: b.places, Factor: 1}, b.scaling.Inverse
		if b.own != nil {
			to.Factor, with = -1, b.scaling.Matrix
		}
		err := error(nil)
		if exact {
			err = b.gram.AddExact(ctx, b.scaling.Root(b.own == nil), to)
		} else {
			err = b.gram.Add(ctx, with(), to)
		}
		if err != nil {
			return 0, err
		}
	}
	for c, j := range f.kept {
		if v[f.diag[c]] += diag[j]; !exact {
			v[f.diag[c]] += float64(f.sign[c]) * f.more
		}
		f.scale[c] = 1
		if d := math.Abs(v[f.diag[c]]); d > 0 && d <= math.MaxFloat64 {
			f.scale[c] = 1 / math.Sqrt(d)
		}
	}
	for c, s := range f.scale {
		for e := f.red.ColPtr[c]; e < f.red.ColPtr[c+1]; e++ {
			v[e] *= s * f.scale[f.red.RowIdx[e]]
		}
	}
	if exact { // no pivot is less than the rounding of the sums
		more := max(f.more, float64(len(f.kept))*lostShare)
		for c, at := range f.diag {
			v[at] += float64(f.sign[c]) * more
		}
	}
	for c, at := range f.diag {
		f.b[c] = v[at]
	}
	f.f.load(v, f.sign)
	return f.f.factorise(ctx, f.b[:len(f.kept)], ldl.Regularisation{Eps: lostShare, Delta: lostKept}, nil)
}

// lostShare of its diagonal entry is a pivot of the Schur complement that is rounding error alone;
// lostKept takes its place. Source: lostShare is derived: the unit roundoff. The rows that stay
// make the rounding of a pivot larger, and a small pivot magnifies it: of 6000 random programs with
// second-order, exponential, power and semidefinite cones, of orders 9, 13 and 18, 37 are not
// solved with 1e-8, and 20 with 1e-6, in fewer iterations; 1e-5 and 1e-4 do as 1e-6 (1800 others).
const (
	lostShare = 0x1p-53
	lostKept  = 1e-6
)

func (f *eliminated) work() float64 {
	sum := f.f.work()
	for _, b := range f.blocks {
		sum += b.gram.Work()
	}
	return sum
}

func (f *eliminated) ahead(x, b []float64) { f.solve(x, b) }

func (f *eliminated) solve(x, b []float64) {
	copy(x, b)
	b = x
	for _, g := range f.blocks {
		rhs := b[g.first:][:g.len]
		if g.own != nil {
			g.own.Before(b, rhs, g.t, g.y, g.scaling.Apply)
		} else if num.NormInf(rhs) != 0 {
			g.scaling.Div(g.y, rhs)
			f.addTransposed(b, g, g.y)
		}
	}
	for c, j := range f.kept {
		f.b[c] = f.scale[c] * b[j]
	}
	f.f.solve(f.b[:len(f.kept)], f.b[:len(f.kept)])
	for c, j := range f.kept {
		b[j] = f.scale[c] * f.b[c]
	}
	for _, g := range f.blocks {
		rhs := b[g.first:][:g.len]
		if g.own != nil {
			g.own.After(b, rhs, g.t, g.y, g.scaling.Apply)
			continue
		}
		for i := range g.len {
			s := -rhs[i]
			for e := f.k.ColPtr[g.first+i]; e < f.k.ColPtr[g.first+i+1]-1; e++ {
				s += f.val[e] * b[f.k.RowIdx[e]]
			}
			g.t[i] = s
		}
		g.scaling.Div(rhs, g.t)
	}
}

// addTransposed adds Aᵀy for the rows of a block.
func (f *eliminated) addTransposed(dst []float64, g *gone, y []float64) {
	for i, v := range y {
		for e := f.k.ColPtr[g.first+i]; e < f.k.ColPtr[g.first+i+1]-1; e++ {
			dst[f.k.RowIdx[e]] += f.val[e] * v
		}
	}
}

// exactness says when the Schur complement is formed by elimination's AddExact.
type exactness struct {
	always, possible, on bool
}

// use is System.FormExactly.
func (e *exactness) use(on bool) bool {
	was := e.on
	e.on = on && e.possible && !e.always
	return e.on && !was
}

// Source: derived: squaresCheap is the share that an iteration may take longer for systems that
// need fewer corrections, squaresMost for those that miss their goal; up to smallSquares, a
// millisecond, squaresSmall.
const (
	squaresCheap = 0.2
	squaresSmall = 1.5
	squaresMost  = 3
	smallSquares = 2.5e6
)

// choose compares the operations with the operations of the rest of an iteration: the products of
// the cones and the factor.
func (f *eliminated) choose(orders []semidefinite, factor factor) {
	exact, rest := 0.0, 0.0
	for t, b := range orders {
		n := float64(b.order)
		exact += f.blocks[t].gram.ExactWork()
		rest += f.blocks[t].gram.Work() + passes*inPanel*n*n*n
	}
	if w, ok := factor.(whole); ok {
		rest += inPanel * w.f.Flops() / 2
	}
	f.exact.possible = exact <= squaresMost*rest
	f.exact.always = exact <= squaresCheap*rest || exact <= smallSquares && exact <= squaresSmall*rest
}
