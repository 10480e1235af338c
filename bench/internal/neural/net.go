package neural

import (
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/pkg/core/dtypes"
	"github.com/gomlx/gomlx/pkg/core/graph"
	"github.com/gomlx/gomlx/pkg/core/shapes"
)

// Net is the shape of a network of one output.
type Net interface {
	// weights are those to start from, for n features. Their random numbers are
	// drawn in the order of the list.
	weights(rng *rand.Rand, n int) []weight
	// output has a row for each of x; w are the weights, in their order.
	output(x *graph.Node, w []*graph.Node) *graph.Node
}

// chooser is a Net with maxima whose places are found before a step of training,
// outside of its graph.
type chooser interface {
	Net
	// choose returns the places for rows of features and the weights, tensors
	// of 32-bit numbers with a row for each row of x.
	choose(x []float64, rows int, w [][]float64) [][]int32
	// outputAt is output with the maxima at these places.
	outputAt(x *graph.Node, w, at []*graph.Node) *graph.Node
}

// weight is a tensor to train.
type weight struct {
	name   string
	value  [][]float64
	shrunk bool // its squares are in the loss
}

// uniform draws rows × cols numbers from [-bound, bound].
func uniform(rng *rand.Rand, rows, cols int, bound float64) [][]float64 {
	all := make([][]float64, rows)
	for i := range all {
		all[i] = make([]float64, cols)
		for j := range all[i] {
			all[i][j] = bound * (2*rng.Float64() - 1)
		}
	}
	return all
}

// glorot is the bound of uniform weights from so many units to so many.
func glorot(from, to int) float64 { return math.Sqrt(6 / float64(from+to)) }

// MLP has one hidden layer of rectified linear units.
type MLP struct{ Hidden int }

func (m MLP) weights(rng *rand.Rand, n int) []weight {
	in, out := glorot(n, m.Hidden), glorot(m.Hidden, 1)
	return []weight{
		{"hidden", uniform(rng, n, m.Hidden, in), true},
		{"hidden bias", uniform(rng, 1, m.Hidden, in), false},
		{"output", uniform(rng, m.Hidden, 1, out), true},
		{"output bias", uniform(rng, 1, 1, out), false},
	}
}

func (m MLP) output(x *graph.Node, w []*graph.Node) *graph.Node {
	hidden := graph.Add(times(x, w[0]), w[1])
	hidden = graph.Max(hidden, graph.ScalarZero(x.Graph(), dtypes.Float64))
	return graph.Add(times(hidden, w[2]), w[3])
}

// Maxout is a maximum of Plus affine functions minus one of Minus: two maxout
// units and an output layer that takes their difference. That is an l-DER.
type Maxout struct{ Plus, Minus int }

func (m Maxout) weights(rng *rand.Rand, n int) []weight {
	bound := glorot(n, m.Plus+m.Minus)
	return []weight{
		{"plus", uniform(rng, n, m.Plus, bound), false},
		{"plus bias", uniform(rng, 1, m.Plus, bound), false},
		{"minus", uniform(rng, n, m.Minus, bound), false},
		{"minus bias", uniform(rng, 1, m.Minus, bound), false},
	}
}

func (m Maxout) output(x *graph.Node, w []*graph.Node) *graph.Node {
	most := func(w, bias *graph.Node) *graph.Node {
		return graph.ReduceAndKeep(graph.Add(times(x, w), bias), graph.ReduceMax, 1)
	}
	return graph.Sub(most(w[0], w[1]), most(w[2], w[3]))
}

// times is the product of two matrices. gomlx takes its derivative through all
// products of entries, on which training would spend its time; here it is
// the two products of matrices. To have both factors' derivatives from one node,
// factors and product go through it as one vector.
func times(a, b *graph.Node) *graph.Node {
	rows, n, cols := a.Shape().Dim(0), a.Shape().Dim(1), b.Shape().Dim(1)
	product := func(a, b *graph.Node, alongA, alongB int) *graph.Node {
		return graph.DotGeneral(a, []int{alongA}, nil, b, []int{alongB}, nil)
	}
	flat := func(x *graph.Node) *graph.Node { return graph.Reshape(x, x.Shape().Size()) }
	c := product(graph.StopGradient(a), graph.StopGradient(b), 1, 0)
	all := graph.Concatenate([]*graph.Node{flat(a), flat(b), flat(c)}, 0)
	// Slices have no derivative on this backend, rows that are looked up have.
	before, size := (rows+cols)*n, rows*cols
	width := gcd(before, size)
	index := graph.AddScalar(graph.Iota(a.Graph(), shapes.Make(dtypes.Int32, size/width, 1), 0), before/width)
	last := func(x *graph.Node) *graph.Node {
		return graph.Reshape(graph.Gather(graph.Reshape(x, (before+size)/width, width), index, true), rows, cols)
	}
	all = graph.IdentityWithCustomGradient(all, func(_, v *graph.Node) *graph.Node {
		v = last(v)
		return graph.Concatenate([]*graph.Node{flat(product(v, b, 1, 1)), flat(product(a, v, 0, 0)),
			flat(graph.ZerosLike(v))}, 0)
	})
	return last(all)
}

func gcd(a, b int) int {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}
