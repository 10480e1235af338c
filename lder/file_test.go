package lder_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/lder/ensemble"
)

// made is a regressor that was put together rather than trained.
func made() *lder.Regressor {
	r := lder.NewRegressor(lder.MethodSettings(lder.CCP))
	r.Features, r.Target = []string{"a b", "ü"}, "price"
	r.Imputer = &dataset.SimpleImputer{Strategy: dataset.Mean, Fill: []float64{1. / 3, -2}}
	r.Scaler = &dataset.StandardScaler{Mean: []float64{.1, 1e-300}, Scale: []float64{2. / 3, 1e200}}
	r.Model = randomModel(rand.New(rand.NewPCG(3, 1)), 3, 2, 2)
	r.Training = lder.Training{Method: lder.CCP, Rows: 10, Iterations: 2, Status: ccp.Converged, StartMSE: 3, MSE: .1, FVU: .01, OOB: .02}
	r.Clip = lder.Range{Lo: -1e3, Hi: 1e300}
	return r
}

func text(t *testing.T, r *lder.Regressor) string {
	t.Helper()
	var b bytes.Buffer
	n, err := r.WriteTo(&b)
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("%d bytes of %d, %v", n, b.Len(), err)
	}
	return b.String()
}

func TestModelFileRoundTrip(t *testing.T) {
	r := made()
	s := text(t, r)
	back, err := lder.Read(strings.NewReader(s), "m.json")
	if err != nil {
		t.Fatal(err)
	}
	if again := text(t, back); again != s {
		t.Errorf("written again:\n%s\nwant\n%s", again, s)
	}
	if !slices.Equal(back.Features, r.Features) || back.Target != r.Target || back.Training != r.Training || back.Settings.Pieces != r.Settings.Pieces {
		t.Errorf("read %+v", back)
	}
	x := [][]float64{{1, 2}, {math.NaN(), 1e200}, {-7, math.NaN()}}
	p, err := r.Predict(x)
	if err != nil {
		t.Fatal(err)
	}
	q, err := back.Predict(x)
	if err != nil || !slices.Equal(p, q) {
		t.Errorf("predictions %v became %v, %v", p, q, err)
	}
}

// TestTreeFile: trees stay trees in a file of version 3; a file with a tree that cannot be
// evaluated is refused.
func TestTreeFile(t *testing.T) {
	r := made()
	r.Model, r.Ensemble = nil, &lder.Stack{Chains: []lder.Chain{{
		Parts: []lder.Part{
			{Model: randomModel(rand.New(rand.NewPCG(3, 1)), 1, 1, 1), Features: []int{1}},
			{Tree: &lder.Tree{Nodes: []ensemble.TreeNode{
				{Feature: 1, Lo: -.25, Hi: 1. / 3, Next: 1},
				{Value: -2, Least: -2},
				{Value: .1, On: []int{0}, Slopes: []float64{3}, Least: -1, Most: 2},
			}}},
		},
		Stops: []lder.Stop{{After: 2, Weight: 1}},
	}}}
	good := text(t, r)
	if !strings.Contains(good, `"version":3`) {
		t.Errorf("no version 3: %s", good)
	}
	back, err := lder.Read(strings.NewReader(good), "m.json")
	if err != nil {
		t.Fatal(err)
	}
	if again := text(t, back); again != good {
		t.Errorf("written again:\n%s\nwant\n%s", again, good)
	}
	if terms := r.Terms(); terms != 30 {
		// 4 of the linear part, 2·(1 + 2) of the leaf of −2, two l-DERs of 2·(2 + 1 + 2) of the
		// other.
		t.Errorf("%d terms", terms)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"next":1`, `"next":2`, "leads to node 2 of 3, want 1"},
		{`"next":1`, `"next":0`, "no split leads to node 1"},
		{`"lo":-0.25`, `"lo":0.5`, "a ramp from 0.5"},
		{`"on":[0]`, `"on":[2]`, "feature 2, want 0 to 1"},
		{`"slopes":[3]`, `"slopes":[]`, "0 slopes for 1 features"},
		{`"most":2`, `"most":-1`, "want an interval with 0"},
		{`"tree":[`, `"w":[[1]],"a":[0],"m":[[1]],"b":[0],"tree":[`, "not one model or one tree"},
		{`"tree":[`, `"features":[0],"tree":[`, "not one model or one tree"},
	} {
		s := strings.Replace(good, c.old, c.new, 1)
		if s == good {
			t.Errorf("nothing to replace: %s", c.old)
		}
		if _, err := lder.Read(strings.NewReader(s), "m.json"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.new, err, c.want)
		}
	}
}

func TestModelFileRefusals(t *testing.T) {
	good := text(t, made())
	for _, c := range []struct{ old, new, want string }{
		{good, "", "m.json:1:1: unexpected end"},
		{good, "{}", `m.json: not a model file: its format is ""`},
		{good, "[1, 2]", "m.json:1:1: json: cannot unmarshal array"},
		{good, good + "{}", "invalid character '{' after top-level value"},
		{`"dcopt-lder"`, `"other"`, `its format is "other", want "dcopt-lder"`},
		{`"version": 2`, `"version": 4`, "version 4, this program reads versions 1 to 3"},
		{`"version": 2`, `"version": 2, "colour": "red"`, `unknown field "colour"`},
		{`"version": 2`, `"version": "one"`, "m.json:3:17: json: cannot unmarshal string"},
		{`"target": "price"`, `"target": ""`, "the target has no name"},
		{`"ü"`, `"a b"`, `two features are named "a b"`},
		{`"ü"`, `""`, "feature 1 has no name"},
		{`"a b",`, ``, "imputation fill has 2 values for 1 features"},
		{`"mean",`, `"mode",`, `no imputation strategy "mode"; want one of mean, median`},
		{`-2`, `null`, "null where a number is wanted"},
		{`-2`, `1e999`, "1e999 where a number is wanted"},
		{`-2`, `"x"`, `"x" where a number is wanted`},
		{`-2`, `-2, 3`, "imputation fill has 3 values for 2 features"},
		{`-2`, `NaN`, "m.json:13:4: invalid character"},
		{`1e+200`, `0`, `scaling scale of "ü" is 0`},
		{`"scale"`, `"scales"`, `unknown field "scales"`},
		{`"w": [`, `"w": [[1, 2], `, "W has 4 rows, A 3 entries"},
		{`"w": [`, `"w": [[1], [1, 2], [2, 1]], "w": [`, ""}, // the last of equal keys counts
		{`"ccp"`, `"magic"`, `no method "magic"`},
		{`"converged"`, `"happy"`, `unknown training status "happy"`},
		{`"training"`, `"x"`, `unknown field "x"`},
	} {
		s := strings.Replace(good, c.old, c.new, 1)
		if s == good {
			t.Errorf("nothing to replace: %s", c.old)
		}
		_, err := lder.Read(strings.NewReader(s), "m.json")
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.new, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "m.json:") {
			t.Errorf("%s: %v, want %s", c.new, err, c.want)
		}
	}
	noTraining := good[:strings.Index(good, `,`+"\n"+` "training"`)] + "}"
	if _, err := lder.Read(strings.NewReader(noTraining), "m.json"); err == nil || !strings.Contains(err.Error(), `"training" is missing`) {
		t.Errorf("no training: %v", err)
	}
	ragged := made()
	ragged.Model.M[1] = []float64{1}
	if _, err := ragged.WriteTo(new(bytes.Buffer)); err == nil {
		t.Error("a ragged model was written")
	}
	if _, err := lder.NewRegressor(lder.MethodSettings(lder.CCP)).WriteTo(new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "not fitted") {
		t.Errorf("an unfitted model was written: %v", err)
	}
}

// FuzzModelFile: what is read predicts without a panic, gives numbers or an
// error, and is written and read the same.
func FuzzModelFile(f *testing.F) {
	var b bytes.Buffer
	if _, err := made().WriteTo(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := lder.Read(bytes.NewReader(raw), "m.json")
		if err != nil {
			return
		}
		s := text(t, r)
		back, err := lder.Read(strings.NewReader(s), "m.json")
		if err != nil || text(t, back) != s {
			t.Fatalf("written and read: %v", err)
		}
		row := make([]float64, len(r.Features))
		for _, v := range []float64{0, 1, -1e300, math.NaN()} {
			for j := range row {
				row[j] = v
			}
			p, err := r.Predict([][]float64{row})
			if err == nil && (math.IsNaN(p[0]) || math.IsInf(p[0], 0)) {
				t.Fatalf("prediction %v", p)
			}
		}
	})
}
