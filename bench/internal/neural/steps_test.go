package neural

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/gomlx/gomlx/backends/simplego"
)

// TestSteps: from the same first weights and with the rows in the same order,
// training is scikit-learn's to the last epoch: what differs between the two is
// what they draw. peers/fixtures/mlp_steps.py made the file; its second case has
// batches of which the last is smaller, a penalty that counts, and ends by patience.
func TestSteps(t *testing.T) {
	raw, err := os.ReadFile("testdata/mlp_steps.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		X             [][]float64
		Y, Prediction []float64
		First         [][][]float64 // weights and biases, layer by layer
		Batch, Epochs int
		Rate, Penalty float64
		Loss          float64
	}
	if err := json.Unmarshal(raw, &cases); err != nil || len(cases) != 2 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	backend, err := simplego.New("ops_sequential")
	if err != nil {
		t.Fatal(err)
	}
	for k, c := range cases {
		net := MLP{Hidden: len(c.First[0][0])}
		first := net.weights(rand.New(rand.NewPCG(1, 1)), len(c.X[0]))
		for j := range first {
			first[j].value = c.First[j]
		}
		set := DefaultSettings()
		set.Batch, set.Rate, set.Penalty = c.Batch, c.Rate, c.Penalty
		epoch, order := 0, make([]int, len(c.Y))
		model, err := fit(context.Background(), backend, net, first, c.X, c.Y, set, func() []int {
			for i := range order {
				order[i] = (7*i + 3*epoch) % len(order)
			}
			epoch++
			return order
		})
		if err != nil {
			t.Fatal(err)
		}
		pred, err := model.Predict(c.X)
		if err != nil {
			t.Fatal(err)
		}
		worst := 0.0
		for i, v := range pred {
			worst = max(worst, math.Abs(v-c.Prediction[i])/max(1, math.Abs(c.Prediction[i])))
		}
		t.Logf("case %d: %d epochs, predictions within %.1e", k, model.Epochs, worst)
		if model.Epochs != c.Epochs || !(math.Abs(model.Loss-c.Loss) <= 1e-6*c.Loss) || !(worst <= 1e-6) {
			t.Errorf("case %d: %d epochs, loss %g, predictions %g off; want %d epochs, loss %g", k, model.Epochs, model.Loss, worst, c.Epochs, c.Loss)
		}
	}
}
