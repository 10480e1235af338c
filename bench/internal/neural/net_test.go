package neural

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/backends/simplego"
	"github.com/gomlx/gomlx/pkg/core/graph"
	"github.com/gomlx/gomlx/pkg/core/tensors"
)

// evaluate runs a graph function on matrices.
func evaluate(t *testing.T, f func([]*graph.Node) []*graph.Node, in ...[][]float64) [][][]float64 {
	t.Helper()
	backend, err := simplego.New("ops_sequential")
	if err != nil {
		t.Fatal(err)
	}
	exec, err := graph.NewExec(backend, f)
	if err != nil {
		t.Fatal(err)
	}
	var args []any
	for _, x := range in {
		args = append(args, tensors.FromValue(x))
	}
	res, err := exec.Exec(args...)
	if err != nil {
		t.Fatal(err)
	}
	var all [][][]float64
	for _, r := range res {
		all = append(all, r.Value().([][]float64))
	}
	return all
}

func close2(t *testing.T, what string, got, want [][]float64, tol float64) {
	t.Helper()
	if len(got) != len(want) || len(got[0]) != len(want[0]) {
		t.Fatalf("%s: %d x %d, want %d x %d", what, len(got), len(got[0]), len(want), len(want[0]))
	}
	for i, row := range want {
		for j, v := range row {
			if !(math.Abs(got[i][j]-v) <= tol*max(1, math.Abs(v))) {
				t.Fatalf("%s: entry %d, %d is %g, want %g", what, i, j, got[i][j], v)
			}
		}
	}
}

// TestTimes: product and derivatives are those of gomlx's own product.
func TestTimes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, d := range [][3]int{{1, 1, 1}, {7, 3, 5}, {4, 6, 1}, {20, 9, 30}} {
		a, b, c := uniform(rng, d[0], d[1], 1), uniform(rng, d[1], d[2], 1), uniform(rng, d[0], d[2], 1)
		run := func(product func(a, b *graph.Node) *graph.Node) [][][]float64 {
			return evaluate(t, func(in []*graph.Node) []*graph.Node {
				p := product(in[0], in[1])
				sum := graph.ReduceAllSum(graph.Mul(graph.Square(p), in[2]))
				return append([]*graph.Node{p}, graph.Gradient(sum, in[0], in[1])...)
			}, a, b, c)
		}
		got, want := run(times), run(graph.Dot)
		for k, what := range []string{"product", "derivative by a", "derivative by b"} {
			close2(t, fmt.Sprint(what, d), got[k], want[k], 1e-12)
		}
	}
}

// TestMaxPlus: value and derivatives by definition.
func TestMaxPlus(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	const rows, n, cols = 6, 4, 5
	x, s, c := uniform(rng, rows, n, 1), uniform(rng, n, cols, 1), uniform(rng, rows, cols, 1)
	value, byX, bySum := uniform(rng, rows, cols, 0), uniform(rng, rows, n, 0), uniform(rng, n, cols, 0)
	for i := range rows {
		for j := range cols {
			best := 0
			for k := range n {
				if x[i][k]+s[k][j] > x[i][best]+s[best][j] {
					best = k
				}
			}
			value[i][j] = x[i][best] + s[best][j]
			byX[i][best] += c[i][j]
			bySum[best][j] += c[i][j]
		}
	}
	got := evaluate(t, func(in []*graph.Node) []*graph.Node {
		p := maxPlus(in[0], in[1], places(in[0], in[1]))
		return append([]*graph.Node{p}, graph.Gradient(graph.ReduceAllSum(graph.Mul(p, in[2])), in[0], in[1])...)
	}, x, s, c)
	close2(t, "value", got[0], value, 1e-14)
	close2(t, "derivative by x", got[1], byX, 1e-14)
	close2(t, "derivative by s", got[2], bySum, 1e-14)
}

// byHand is the output of a network for a row, without graphs.
func byHand(net Net, x []float64, w []weight) float64 {
	affine := func(x []float64, a, b [][]float64) []float64 {
		out := append([]float64{}, b[0]...)
		for k, v := range x {
			for j := range out {
				out[j] += v * a[k][j]
			}
		}
		return out
	}
	most := func(v []float64) float64 {
		m := v[0]
		for _, v := range v {
			m = max(m, v)
		}
		return m
	}
	switch net := net.(type) {
	case MLP:
		hidden := affine(x, w[0].value, w[1].value)
		for j, v := range hidden {
			hidden[j] = max(v, 0)
		}
		return affine(hidden, w[2].value, w[3].value)[0]
	case Maxout:
		return most(affine(x, w[0].value, w[1].value)) - most(affine(x, w[2].value, w[3].value))
	case Morphological:
		for k, b := range net {
			w := w[4*k:]
			x = append(append([]float64{}, x...), 0)
			var units []float64
			for j := range b.Dilations {
				u := math.Inf(-1)
				for k, v := range x {
					u = max(u, v+w[0].value[k][j])
				}
				units = append(units, u)
			}
			for j := range b.Erosions {
				u := math.Inf(1)
				for k, v := range x {
					u = min(u, v-w[1].value[k][j])
				}
				units = append(units, u)
			}
			x = affine(units, w[2].value, w[3].value)
		}
		return x[0]
	}
	return math.NaN()
}

func nets() []Net {
	return []Net{MLP{7}, Maxout{3, 2}, Morphological{{4, 3, 5}, {2, 6, 1}}}
}

func TestOutput(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, net := range nets() {
		x := uniform(rng, 9, 4, 2)
		w := net.weights(rng, 4)
		in := [][][]float64{x}
		for _, w := range w {
			in = append(in, w.value)
		}
		got := evaluate(t, func(in []*graph.Node) []*graph.Node {
			return []*graph.Node{net.output(in[0], in[1:])}
		}, in...)
		var want [][]float64
		for _, row := range x {
			want = append(want, []float64{byHand(net, row, w)})
		}
		close2(t, fmt.Sprintf("%T", net), got[0], want, 1e-12)
	}
}

// TestChoose: the places are those that the graph finds, and the output at them
// is the output.
func TestChoose(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	net := Morphological{{4, 3, 5}, {2, 6, 3}, {3, 1, 1}}
	x := uniform(rng, 9, 4, 2)
	w := net.weights(rng, 4)
	in, flat := [][][]float64{x}, [][]float64{}
	for _, w := range w {
		in, flat = append(in, w.value), append(flat, slices.Concat(w.value...))
	}
	want := evaluate(t, func(in []*graph.Node) []*graph.Node { return []*graph.Node{net.output(in[0], in[1:])} }, in...)
	got := evaluate(t, func(in []*graph.Node) []*graph.Node {
		var at []*graph.Node
		for _, p := range net.choose(slices.Concat(x...), len(x), flat) {
			at = append(at, graph.Const(in[0].Graph(), tensors.FromFlatDataAndDimensions(p, len(x), len(p)/len(x))))
		}
		return []*graph.Node{net.outputAt(in[0], in[1:], at)}
	}, in...)
	close2(t, "output", got[0], want[0], 1e-14)
}

func samples(seed uint64, rows int) (x [][]float64, y []float64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	x = uniform(rng, rows, 3, 2)
	for _, row := range x {
		y = append(y, max(row[0], row[1])-0.5*row[2])
	}
	return x, y
}

// TestFit: each network learns a piecewise linear function, in batches whose last
// is smaller, the same way each time.
func TestFit(t *testing.T) {
	x, y := samples(1, 150)
	tx, ty := samples(2, 50)
	set := DefaultSettings()
	set.Rate, set.Batch, set.Epochs, set.Seed = 0.01, 64, 150, 3
	for _, net := range nets() {
		var first []float64
		for round := range 2 {
			model, err := Fit(context.Background(), net, x, y, set)
			if err != nil {
				t.Fatal(err)
			}
			pred, err := model.Predict(tx)
			if err != nil {
				t.Fatal(err)
			}
			if round == 1 && !reflect.DeepEqual(pred, first) {
				t.Errorf("%T: another answer the second time", net)
			}
			first = pred
			mean, rest, all := 0.0, 0.0, 0.0
			for _, v := range ty {
				mean += v / float64(len(ty))
			}
			for i, v := range ty {
				rest += (v - pred[i]) * (v - pred[i])
				all += (v - mean) * (v - mean)
			}
			if !(rest <= 0.05*all) {
				t.Errorf("%T: %g of the variance is left after %d epochs", net, rest/all, model.Epochs)
			}
		}
	}
}

// TestPatience: training stops when the loss has not fallen for so long.
func TestPatience(t *testing.T) {
	x, y := samples(1, 20)
	set := DefaultSettings()
	set.Tol, set.Patience = 1e6, 3
	model, err := Fit(context.Background(), MLP{5}, x, y, set)
	if err != nil || model.Epochs != 5 { // the first counts as a fall from nowhere
		t.Errorf("%d epochs, %v", model.Epochs, err)
	}
}

func TestRefuses(t *testing.T) {
	x, y := samples(1, 10)
	for _, c := range []struct {
		x    [][]float64
		y    []float64
		want string
	}{
		{nil, nil, "0 samples"}, {x, y[:3], "10 samples with 3"}, {[][]float64{{1}, {}}, y[:2], "features"}, {[][]float64{{math.NaN()}}, y[:1], "finite"},
	} {
		if _, err := Fit(context.Background(), MLP{5}, c.x, c.y, DefaultSettings()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q in it", err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Fit(ctx, MLP{5}, x, y, DefaultSettings()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	huge := append([]float64{}, y...)
	huge[0] = 1e200
	if _, err := Fit(context.Background(), MLP{5}, x, huge, DefaultSettings()); err == nil || !strings.Contains(err.Error(), "loss") {
		t.Errorf("a loss without bound: %v", err)
	}
	model, err := Fit(context.Background(), MLP{5}, x, y, DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := model.Predict([][]float64{{1}}); err == nil || !strings.Contains(err.Error(), "features") {
		t.Errorf("a short row: %v", err)
	}
	if pred, err := model.Predict(nil); pred != nil || err != nil {
		t.Errorf("no rows: %v, %v", pred, err)
	}
}
