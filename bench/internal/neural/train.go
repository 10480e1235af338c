package neural

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/backends/simplego"
	"github.com/gomlx/gomlx/pkg/core/graph"
	"github.com/gomlx/gomlx/pkg/core/tensors"
	mlcontext "github.com/gomlx/gomlx/pkg/ml/context"
	"github.com/gomlx/gomlx/pkg/ml/train/optimizers"

	"github.com/dcopt/dcopt/bench/internal/baseline"
)

// Settings of training, which are not checked: package study alone states them.
type Settings struct {
	Rate    float64 // of Adam, > 0
	Penalty float64 // weight of the squared weights, >= 0; biases are free
	Batch   int     // rows of a step, > 0; all, if there are fewer
	Epochs  int     // at most, > 0
	// Training ends when for more than Patience epochs the loss has not fallen
	// by Tol below its least.
	Patience int
	Tol      float64
	Seed     uint64 // of the first weights and the order of the rows
}

// DefaultSettings are the defaults of scikit-learn's MLPRegressor.
func DefaultSettings() Settings {
	return Settings{Rate: 1e-3, Penalty: 1e-4, Batch: 200, Epochs: 200, Patience: 10, Tol: 1e-4}
}

// Network is a trained one.
type Network struct {
	Epochs int     // of training
	Loss   float64 // of the last epoch: half the mean square of the errors, and the penalty
	n      int
	run    *mlcontext.Exec
}

// Fit trains a network on rows of features. It ends with ctx's error.
func Fit(ctx context.Context, net Net, x [][]float64, y []float64, set Settings) (*Network, error) {
	if err := baseline.CheckSamples(x, y); err != nil {
		return nil, err
	}
	backend, err := simplego.New("ops_sequential")
	if err != nil {
		return nil, fmt.Errorf("neural: %w", err)
	}
	rng := rand.New(rand.NewPCG(set.Seed, 0x6e6574))
	first := net.weights(rng, len(x[0]))
	order := rng.Perm(len(y))
	return fit(ctx, backend, net, first, x, y, set, func() []int {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		return order
	})
}

// fit trains from the first weights, each epoch with the rows in an order of next.
func fit(ctx context.Context, backend backends.Backend, net Net, first []weight, x [][]float64, y []float64,
	set Settings, next func() []int) (*Network, error) {
	state := mlcontext.New()
	var vars []*mlcontext.Variable
	for k, w := range first {
		vars = append(vars, state.In("net").VariableWithValue(fmt.Sprintf("%d %s", k, w.name), w.value))
	}
	step, err := trainingStep(backend, state, net, first, vars, set)
	if err != nil {
		return nil, fmt.Errorf("neural: %w", err)
	}
	t := &training{net: net, vars: vars, step: step, next: next, x: x, y: y}
	res := &Network{n: len(x[0])}
	if res.Epochs, res.Loss, err = t.epochs(ctx, set); err != nil {
		return nil, err
	}
	res.run, err = mlcontext.NewExec(backend, state, func(_ *mlcontext.Context, x *graph.Node) *graph.Node {
		return net.output(x, nodes(vars, x.Graph()))
	})
	if err != nil {
		return nil, fmt.Errorf("neural: %w", err)
	}
	return res, nil
}

func nodes(vars []*mlcontext.Variable, g *graph.Graph) []*graph.Node {
	var all []*graph.Node
	for _, v := range vars {
		all = append(all, v.ValueGraph(g))
	}
	return all
}

// trainingStep takes rows, targets and, for a chooser, places, and returns the
// loss before a step of Adam.
func trainingStep(backend backends.Backend, state *mlcontext.Context, net Net, first []weight,
	vars []*mlcontext.Variable, set Settings) (*mlcontext.Exec, error) {
	adam := optimizers.Adam().LearningRate(set.Rate).Epsilon(1e-8).Done()
	return mlcontext.NewExec(backend, state, func(state *mlcontext.Context, in []*graph.Node) *graph.Node {
		x, y := in[0], in[1]
		w := nodes(vars, x.Graph())
		var out *graph.Node
		if c, ok := net.(chooser); ok {
			out = c.outputAt(x, w, in[2:])
		} else {
			out = net.output(x, w)
		}
		loss := graph.MulScalar(graph.ReduceAllMean(graph.Square(graph.Sub(out, y))), 0.5)
		for k, f := range first {
			if f.shrunk && set.Penalty > 0 {
				share := 0.5 * set.Penalty / float64(x.Shape().Dim(0))
				loss = graph.Add(loss, graph.MulScalar(graph.ReduceAllSum(graph.Square(w[k])), share))
			}
		}
		adam.UpdateGraph(state, x.Graph(), loss)
		return loss
	})
}

// training is the state of training a network.
type training struct {
	net  Net
	vars []*mlcontext.Variable
	step *mlcontext.Exec
	next func() []int
	x    [][]float64
	y    []float64
}

// epochs trains; it returns how many there were and the loss of the last.
func (t *training) epochs(ctx context.Context, set Settings) (count int, loss float64, err error) {
	least, idle := math.Inf(1), 0
	for ; count < set.Epochs && idle <= set.Patience; count++ {
		if err := ctx.Err(); err != nil {
			return count, loss, err
		}
		order := t.next()
		loss = 0
		for from := 0; from < len(order); from += set.Batch {
			rows := order[from:min(from+set.Batch, len(order))]
			part, err := t.batch(rows)
			if err != nil {
				return count, loss, fmt.Errorf("neural: %w", err)
			}
			loss += part * float64(len(rows)) / float64(len(t.y))
		}
		if !(loss <= math.MaxFloat64) {
			return count, loss, fmt.Errorf("neural: the loss is %g after %d epochs; a smaller rate may help", loss,
				count+1)
		}
		if loss > least-set.Tol {
			idle++
		} else {
			idle = 0
		}
		least = min(least, loss)
	}
	return count, loss, nil
}

// batch takes a step with some rows and returns the loss before it.
func (t *training) batch(rows []int) (float64, error) {
	var x, y []float64
	for _, i := range rows {
		x, y = append(x, t.x[i]...), append(y, t.y[i])
	}
	in := []any{tensors.FromFlatDataAndDimensions(x, len(rows), len(t.x[0])),
		tensors.FromFlatDataAndDimensions(y, len(rows), 1)}
	if c, ok := t.net.(chooser); ok {
		var w [][]float64
		for _, v := range t.vars {
			value, err := v.Value()
			if err != nil {
				return 0, err
			}
			flat, err := tensors.CopyFlatData[float64](value)
			if err != nil {
				return 0, err
			}
			w = append(w, flat)
		}
		for _, at := range c.choose(x, len(rows), w) {
			in = append(in, tensors.FromFlatDataAndDimensions(at, len(rows), len(at)/len(rows)))
		}
	}
	out, err := t.step.Exec(in...)
	if err != nil {
		return 0, err
	}
	return out[0].Value().(float64), nil
}

// Predict returns the outputs for rows of features.
func (res *Network) Predict(x [][]float64) ([]float64, error) {
	if len(x) == 0 {
		return nil, nil
	}
	for i, row := range x {
		if len(row) != res.n {
			return nil, fmt.Errorf("neural: row %d has %d features, want %d", i, len(row), res.n)
		}
	}
	out, err := res.run.Exec(tensors.FromFlatDataAndDimensions(slices.Concat(x...), len(x), res.n))
	if err != nil {
		return nil, fmt.Errorf("neural: %w", err)
	}
	pred := make([]float64, len(x))
	for i, row := range out[0].Value().([][]float64) {
		pred[i] = row[0]
	}
	return pred, nil
}
