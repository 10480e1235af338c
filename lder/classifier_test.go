//go:build !race

package lder_test

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/lder"
)

// problem draws points with labels and knows the label that is most probable
// at a point.
type problem struct {
	name  string
	draw  func(rng *rand.Rand) (x []float64, label string)
	bayes func(x []float64) string
}

// problems have noise, so that the best possible accuracy is below 1.
func problems() []problem {
	density := func(x, centre []float64, σ float64) float64 {
		return math.Exp(-((x[0]-centre[0])*(x[0]-centre[0]) + (x[1]-centre[1])*(x[1]-centre[1])) / (2 * σ * σ))
	}
	moon := func(upper bool, t float64) []float64 {
		if upper {
			return []float64{math.Cos(t), math.Sin(t)}
		}
		return []float64{1 - math.Cos(t), .5 - math.Sin(t)}
	}
	const moonNoise, ringNoise = .25, .15
	return []problem{
		{"moons", func(rng *rand.Rand) ([]float64, string) {
			upper := rng.IntN(2) == 0
			p := moon(upper, math.Pi*rng.Float64())
			p[0] += moonNoise * rng.NormFloat64()
			p[1] += moonNoise * rng.NormFloat64()
			return p, map[bool]string{true: "up", false: "low"}[upper]
		}, func(x []float64) string {
			up, low := 0.0, 0.0
			for k := range 200 {
				t := math.Pi * (float64(k) + .5) / 200
				up += density(x, moon(true, t), moonNoise)
				low += density(x, moon(false, t), moonNoise)
			}
			if up > low {
				return "up"
			}
			return "low"
		}},
		{"circles", func(rng *rand.Rand) ([]float64, string) {
			r, label := 1., "out"
			if rng.IntN(2) == 0 {
				r, label = .5, "in"
			}
			t := 2 * math.Pi * rng.Float64()
			return []float64{r*math.Cos(t) + ringNoise*rng.NormFloat64(), r*math.Sin(t) + ringNoise*rng.NormFloat64()}, label
		}, func(x []float64) string {
			in, out := 0.0, 0.0
			for k := range 200 {
				t := 2 * math.Pi * float64(k) / 200
				in += density(x, []float64{.5 * math.Cos(t), .5 * math.Sin(t)}, ringNoise)
				out += density(x, []float64{math.Cos(t), math.Sin(t)}, ringNoise)
			}
			if in > out {
				return "in"
			}
			return "out"
		}},
		{"xor", func(rng *rand.Rand) ([]float64, string) {
			x := []float64{2*rng.Float64() - 1, 2*rng.Float64() - 1}
			same := x[0]*x[1] > 0
			if rng.Float64() < .1 {
				same = !same
			}
			return x, map[bool]string{true: "same", false: "other"}[same]
		}, func(x []float64) string {
			return map[bool]string{true: "same", false: "other"}[x[0]*x[1] > 0]
		}},
	}
}

// TestClassifierNearBayes: at least 95% of the accuracy of the rule that knows
// how the points were drawn.
func TestClassifierNearBayes(t *testing.T) {
	for _, p := range problems() {
		rng := rand.New(rand.NewPCG(9, 1))
		draw := func(m int) (x [][]float64, labels []string) {
			for range m {
				row, l := p.draw(rng)
				x, labels = append(x, row), append(labels, l)
			}
			return x, labels
		}
		x, labels := draw(500)
		c := lder.NewClassifier(lder.DefaultSettings())
		if err := c.Fit(context.Background(), x, labels); err != nil {
			t.Fatal(err)
		}
		x, labels = draw(4000)
		got, err := c.Score(x, labels)
		if err != nil {
			t.Fatal(err)
		}
		best := 0.0
		for i, row := range x {
			if p.bayes(row) == labels[i] {
				best += 1. / 4000
			}
		}
		brier := 0.0
		proba, err := c.Proba(x)
		if err != nil {
			t.Fatal(err)
		}
		for i, q := range proba {
			k := slices.Index(c.Classes, labels[i])
			brier += (1 - q[k]) * (1 - q[k]) / 4000
			if q[0] < 0 || q[1] < 0 || math.Abs(q[0]+q[1]-1) > 1e-12 {
				t.Fatalf("%s: probabilities %v", p.name, q)
			}
		}
		t.Logf("%s: accuracy %.3f, out of bag %.3f, of the Bayes rule %.3f; Brier score %.3f", p.name, got, c.Training.OOB, best, brier)
		// A rule that is sure of itself has the share of its errors, 1 − p; where all
		// labels are right with the same probability p, the best is p(1 − p).
		if !(brier < .92*(1-got)) {
			t.Errorf("%s: the Brier score of the probabilities is %.3f, the share of errors %.3f", p.name, brier, 1-got)
		}
		if !(math.Abs(c.Training.OOB-got) < .04) {
			t.Errorf("%s: accuracy %.3f out of bag, %.3f on new rows", p.name, c.Training.OOB, got)
		}
		if !(got >= .95*best) {
			t.Errorf("%s: accuracy %.3f, of the Bayes rule %.3f", p.name, got, best)
		}
	}
}

// threeKinds are three clouds in four dimensions, two of which touch.
func threeKinds(rng *rand.Rand, m int) (x [][]float64, labels []string) {
	centres := map[string][]float64{"setosa": {5, 3.4, 1.5, .2}, "versicolor": {5.9, 2.8, 4.3, 1.3}, "virginica": {6.6, 3, 5.6, 2}}
	for k := range m {
		name := []string{"virginica", "setosa", "versicolor"}[k%3]
		row := make([]float64, 4)
		for j, v := range centres[name] {
			row[j] = v + .3*rng.NormFloat64()
		}
		x, labels = append(x, row), append(labels, name)
	}
	return x, labels
}

func TestClassifierThreeClasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 2))
	x, labels := threeKinds(rng, 150)
	x[3][2] = math.NaN()
	for _, m := range []lder.Method{lder.Auto, lder.Refit, lder.Cheap} {
		c := lder.NewClassifier(lder.MethodSettings(m))
		c.Features, c.Target = []string{"sl", "sw", "pl", "pw"}, "kind"
		if err := c.Fit(context.Background(), x, labels); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(c.Classes, []string{"setosa", "versicolor", "virginica"}) {
			t.Errorf("classes %q", c.Classes)
		}
		newX, newLabels := threeKinds(rng, 600)
		if got, err := c.Score(newX, newLabels); err != nil || got < .93 {
			t.Errorf("%v: accuracy %.3f, %v", m, got, err)
		}
		var file bytes.Buffer
		if _, err := c.WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		text := file.String()
		back, err := lder.ReadClassifier(&file, "c.json")
		if err != nil {
			t.Fatal(err)
		}
		p, _ := c.Predict(newX)
		q, err := back.Predict(newX)
		if err != nil || !slices.Equal(p, q) || back.Target != "kind" || back.Training != c.Training {
			t.Errorf("%v: the file predicts otherwise: %v", m, err)
		}
		for _, bad := range []struct{ old, new, want string }{
			{"dcopt-ldep", "dcopt-lder", "not a file of a classifier"},
			{`"virginica"`, `"a"`, "sorted and different"},
			{text[len(text)/2:], "", "c.json:"},
			{`"sw"`, `"xx"`, "has other features"},
		} {
			if _, err := lder.ReadClassifier(strings.NewReader(strings.Replace(text, bad.old, bad.new, 1)), "c.json"); err == nil || !strings.Contains(err.Error(), bad.want) {
				t.Errorf("%v, want %s", err, bad.want)
			}
		}
	}
}

func TestClassifierRefusals(t *testing.T) {
	c := lder.NewClassifier(lder.DefaultSettings())
	ctx := context.Background()
	if err := c.Fit(ctx, [][]float64{{1}, {2}}, []string{"a", "a"}); err == nil || !strings.Contains(err.Error(), `all labels are "a"`) {
		t.Errorf("one class: %v", err)
	}
	if err := c.Fit(ctx, [][]float64{{1}, {2}}, []string{"a"}); err == nil {
		t.Error("one label too few")
	}
	if _, err := c.Predict([][]float64{{1}}); err == nil || !strings.Contains(err.Error(), "not fitted") {
		t.Errorf("unfitted: %v", err)
	}
	if err := c.Fit(ctx, [][]float64{{1}, {math.Inf(1)}}, []string{"a", "b"}); err == nil || !strings.Contains(err.Error(), "+Inf") {
		t.Errorf("infinite: %v", err)
	}
}

// TestClassifierOfNoise: what labels at random leave is not taken for accuracy.
func TestClassifierOfNoise(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(9, 100+seed))
		rows := []int{12, 30}[seed%2]
		x, labels := normalRows(rng, rows, 15), make([]string, rows)
		for i := range labels {
			labels[i] = []string{"a", "b"}[rng.IntN(2)]
		}
		c := lder.NewClassifier(lder.DefaultSettings())
		if err := c.Fit(context.Background(), x, labels); err != nil {
			t.Fatal(err)
		}
		count := 0.
		for _, l := range labels {
			if l == "a" {
				count++
			}
		}
		commonest := max(count, float64(rows)-count) / float64(rows)
		if oob := c.Training.OOB; oob > commonest+1e-9 || rows < 20 && oob != -1 {
			t.Errorf("%d rows: an accuracy of %.3f is claimed, the commonest label has %.3f", rows, oob, commonest)
		}
	}
}

// TestReadAny tells the two kinds of files apart.
func TestReadAny(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 3))
	x, labels := threeKinds(rng, 30)
	c := lder.NewClassifier(lder.MethodSettings(lder.Refit))
	if err := c.Fit(context.Background(), x, labels); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := c.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	if r, back, err := lder.ReadAny(bytes.NewReader(file.Bytes()), "c.json"); err != nil || r != nil || back == nil {
		t.Errorf("classifier: %v, %v, %v", r, back, err)
	}
	if _, err := lder.Read(bytes.NewReader(file.Bytes()), "c.json"); err == nil || !strings.Contains(err.Error(), "the file of a classifier") {
		t.Errorf("read as a regressor: %v", err)
	}
	r := fitted(t, x, normals(rng, 30), lder.MethodSettings(lder.Refit))
	if back, none, err := lder.ReadAny(strings.NewReader(text(t, r)), "m.json"); err != nil || none != nil || back == nil {
		t.Errorf("regressor: %v, %v, %v", back, none, err)
	}
	if r, c, err := lder.ReadAny(strings.NewReader("no"), "m.json"); err == nil || r != nil || c != nil {
		t.Errorf("neither: %v", err)
	}
}

// TestClassifierFewRows: with as few rows as there are classes, and with rows of
// weight 0, probabilities are numbers of sum 1.
func TestClassifierFewRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 5))
	ctx := context.Background()
	for _, m := range lder.Methods() {
		for _, rows := range []int{2, 3, 5, 6, 9} {
			classes := 2 + rows%2
			x, labels, weights := normalRows(rng, rows, 3), make([]string, rows), make([]float64, rows)
			for i := range labels {
				labels[i], weights[i] = string(rune('a'+i%classes)), float64(i%2)
			}
			for _, w := range [][]float64{nil, weights} {
				c := lder.NewClassifier(lder.MethodSettings(m))
				if err := c.FitWeighted(ctx, x, labels, w); err != nil {
					t.Fatalf("%v, %d rows: %v", m, rows, err)
				}
				p, err := c.Proba(x)
				if err != nil {
					t.Fatal(err)
				}
				for _, q := range p {
					sum := 0.0
					for _, v := range q {
						sum += v
					}
					if slices.Min(q) < 0 || !(math.Abs(sum-1) < 1e-9) || len(q) != classes {
						t.Fatalf("%v, %d rows: probabilities %v", m, rows, q)
					}
				}
			}
		}
	}
}
