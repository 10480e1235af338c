package neural

import (
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/pkg/core/dtypes"
	"github.com/gomlx/gomlx/pkg/core/graph"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Block is a dense morphological layer: Dilations and erosions of its inputs and
// a zero, then Outputs linear combinations of them, with a bias.
type Block struct{ Dilations, Erosions, Outputs int }

// Morphological is a chain of blocks; the last has one output.
type Morphological []Block

func (m Morphological) weights(rng *rand.Rand, n int) []weight {
	var all []weight
	for _, b := range m {
		units := b.Dilations + b.Erosions
		in, out := glorot(n+1, units), glorot(units, b.Outputs)
		all = append(all,
			weight{"dilations", uniform(rng, n+1, b.Dilations, in), false},
			weight{"erosions", uniform(rng, n+1, b.Erosions, in), false},
			weight{"combination", uniform(rng, units, b.Outputs, out), false},
			weight{"bias", uniform(rng, 1, b.Outputs, 0), false})
		n = b.Outputs
	}
	return all
}

func (m Morphological) output(x *graph.Node, w []*graph.Node) *graph.Node {
	return m.outputAt(x, w, nil)
}

// outputAt takes the places that choose returns, two for a block, or finds the places
// itself.
func (m Morphological) outputAt(x *graph.Node, w, at []*graph.Node) *graph.Node {
	for range m {
		rows, zero := x.Shape().Dim(0), graph.ScalarZero(x.Graph(), dtypes.Float64)
		x = graph.Concatenate([]*graph.Node{x, graph.BroadcastToDims(zero, rows, 1)}, 1)
		place := func(k int, x, s *graph.Node) *graph.Node {
			if at != nil {
				return at[k]
			}
			return places(x, s)
		}
		// min(x − s) = −max(s − x)
		minus := graph.Neg(x)
		up, down := place(0, x, w[0]), place(1, minus, w[1])
		units := graph.Concatenate([]*graph.Node{maxPlus(x, w[0], up), graph.Neg(maxPlus(minus, w[1], down))}, 1)
		x = graph.Add(times(units, w[2]), w[3])
		w = w[4:]
		if at != nil {
			at = at[2:]
		}
	}
	return x
}

// places are the first k with the largest x[i,k] + s[k,j], for all i and j.
func places(x, s *graph.Node) *graph.Node {
	return graph.ArgMax(graph.Add(graph.InsertAxes(x, 1), graph.InsertAxes(graph.Transpose(s, 0, 1), 0)), 2)
}

// maxPlus is the largest x[i,k] + s[k,j], which is at k = at[i,j]. Its derivative
// goes to these entries alone, so it is taken through a look-up of them, not
// through all the sums.
func maxPlus(x, s, at *graph.Node) *graph.Node {
	g, rows, n, cols := x.Graph(), x.Shape().Dim(0), x.Shape().Dim(1), s.Shape().Dim(1)
	look := func(table, index *graph.Node) *graph.Node {
		picked := graph.Gather(graph.Reshape(table, table.Shape().Size(), 1), graph.Reshape(index, rows*cols, 1))
		return graph.Reshape(picked, rows, cols)
	}
	row := graph.MulScalar(graph.Iota(g, at.Shape(), 0), n)
	col := graph.Iota(g, at.Shape(), 1)
	return graph.Add(look(x, graph.Add(row, at)), look(s, graph.Add(graph.MulScalar(at, cols), col)))
}

// choose finds the places of all blocks, as places does, for rows of features
// and weights one after another. In a graph that is most of the time of training:
// the backend walks through sums of tensors of different shapes entry by entry.
func (m Morphological) choose(x []float64, rows int, w [][]float64) [][]int32 {
	var all [][]int32
	for k, b := range m {
		n := len(x)/rows + 1
		plus, minus := make([]float64, 0, rows*n), make([]float64, rows*n)
		for i := range rows {
			plus = append(append(plus, x[i*(n-1):(i+1)*(n-1)]...), 0)
		}
		for i, v := range plus {
			minus[i] = -v
		}
		units := b.Dilations + b.Erosions
		values := make([]float64, rows*units)
		up := largest(values, units, plus, w[0], rows, n, b.Dilations)
		down := largest(values[b.Dilations:], units, minus, w[1], rows, n, b.Erosions)
		all = append(all, up, down)
		if k == len(m)-1 {
			break
		}
		for i := range rows {
			for j := b.Dilations; j < units; j++ {
				values[i*units+j] *= -1
			}
		}
		x = make([]float64, 0, rows*b.Outputs)
		for range rows {
			x = append(x, w[3]...)
		}
		matrix := func(rows, cols int, data []float64) blas64.General {
			return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
		}
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, matrix(rows, units, values), matrix(units, b.Outputs, w[2]), 1,
			matrix(rows, b.Outputs, x))
		w = w[4:]
	}
	return all
}

// largest puts the maxima over k of x[i,k] + s[k,j] into dst, whose rows are
// stride apart, and returns their first places. x has n columns, s cols.
func largest(dst []float64, stride int, x, s []float64, rows, n, cols int) []int32 {
	at := make([]int32, rows*cols)
	for i := range rows {
		best, place := dst[i*stride:][:cols], at[i*cols:][:cols]
		for j := range best {
			best[j] = math.Inf(-1)
		}
		for k, v := range x[i*n : (i+1)*n] {
			for j, t := range s[k*cols:][:cols] {
				if v+t > best[j] {
					best[j], place[j] = v+t, int32(k)
				}
			}
		}
	}
	return at
}
