package shards_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/lder/shards"
)

// reduce goes through the rounds as many machines do: parts in another order, what is said as JSON.
// It returns the steps.
func reduce(t *testing.T, f *shards.Reduction, p shards.Parts) (steps []string) {
	t.Helper()
	for f.Round() != nil {
		steps = append(steps, f.Round().Step)
		text, err := json.Marshal(f.Round())
		if err != nil {
			t.Fatal(err)
		}
		answers := make([][]byte, p.Count())
		for k := p.Count() - 1; k >= 0; k-- {
			round := &shards.Round{}
			if err := json.Unmarshal(text, round); err != nil {
				t.Fatal(err)
			}
			a, err := round.Sum(t.Context(), p, k)
			if err != nil {
				t.Fatal(err)
			}
			if answers[k], err = json.Marshal(a); err != nil {
				t.Fatal(err)
			}
		}
		for _, text := range answers {
			a := &shards.Answer{}
			if err := json.Unmarshal(text, a); err != nil {
				t.Fatal(err)
			}
			if err := f.Add(t.Context(), a); err != nil {
				t.Fatal(err)
			}
		}
	}
	return steps
}

// file is a regressor as bytes.
func file(t *testing.T, r *lder.Regressor) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := r.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestRounds: the rounds of a fit, of a cross-validation and of a stack give the model of Fit to
// the last bit.
func TestRounds(t *testing.T) {
	for _, c := range []struct {
		method      lder.Method
		folds, bags int
	}{{lder.Refit, 0, 0}, {lder.Refit, 3, 0}, {lder.Cheap, 0, 0}, {lder.Refit, 0, 4}} {
		m, _, _ := table(900, 3, 50)
		set := lder.MethodSettings(c.method)
		set.MaxIter = 8
		want, got := regressor(set), lder.NewRegressor(set)
		got.Target = "y" // the features are those of the first part
		opt := shards.Options{Parts: 3, Folds: c.folds, Bags: c.bags}
		scores, err := shards.Fit(t.Context(), want, m, opt)
		if err != nil {
			t.Fatal(err)
		}
		f, err := shards.NewReduction(got, opt)
		if err != nil {
			t.Fatal(err)
		}
		reduce(t, f, m)
		if a, b := file(t, got), file(t, want); !bytes.Equal(a, b) {
			t.Errorf("%v, %d folds, %d bags: the models differ:\n%s\n%s", c.method, c.folds, c.bags, a, b)
		}
		if a, b := fmt.Sprint(f.Scores()), fmt.Sprint(scores); a != b || len(scores.FVU) != c.folds {
			t.Errorf("%v: scores %s, want %s", c.method, a, b)
		}
	}
}

// TestFolds: the errors of a cross-validation over parts are those of lder.CrossValidate with the
// same folds, but for rounding.
func TestFolds(t *testing.T) {
	m, x, y := table(1200, 4, 70)
	set := lder.MethodSettings(lder.Refit)
	set.Seed = 7
	r := regressor(set)
	scores, err := shards.Fit(t.Context(), r, m, shards.Options{Folds: 3})
	if err != nil {
		t.Fatal(err)
	}
	folds := make([][]int, 3)
	row := 0
	for k := range m.y { // the parts are runs of the rows
		for line := range m.y[k] {
			f := shards.FoldOf(3, set.Seed, k, line+1)
			folds[f] = append(folds[f], row)
			row++
		}
	}
	want, err := lder.CrossValidate(t.Context(), x, y, folds, set)
	if err != nil {
		t.Fatal(err)
	}
	for f := range folds {
		if len(folds[f]) < 300 || math.Abs(scores.FVU[f]-want.FVU[f]) > 1e-8 || math.Abs(scores.MSE[f]-want.MSE[f]) > 1e-8 {
			t.Errorf("fold %d of %d rows: fvu %g, mse %g; want %g, %g", f, len(folds[f]), scores.FVU[f], scores.MSE[f], want.FVU[f], want.MSE[f])
		}
	}
	if r.Training.OOB < .8*slices.Min(scores.FVU) || r.Training.OOB > 1.2*slices.Max(scores.FVU) {
		t.Errorf("fvu %g out of bag, %v by fold", r.Training.OOB, scores.FVU)
	}
}

// TestStack: a stack over parts does on new rows what it says, about as well as that of the
// method cheap on the table in memory.
func TestStack(t *testing.T) {
	m, x, y := table(2000, 3, 100)
	half := &memory{x: m.x[:2], y: m.y[:2], block: 100}
	n := len(m.y[0]) + len(m.y[1])
	got, want := regressor(lder.MethodSettings(lder.Cheap)), regressor(lder.MethodSettings(lder.Cheap))
	if _, err := shards.Fit(t.Context(), got, half, shards.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := want.Fit(t.Context(), x[:n], y[:n]); err != nil {
		t.Fatal(err)
	}
	fvu := func(r *lder.Regressor) float64 {
		p, err := r.Predict(x[n:])
		if err != nil {
			t.Fatal(err)
		}
		return dataset.FVU(y[n:], p)
	}
	a, b := fvu(got), fvu(want)
	if a > 1.3*b || got.Training.OOB > 1.3*a || got.Training.OOB < a/1.3 {
		t.Errorf("fvu %g on new rows, %g out of bag; in memory %g", a, got.Training.OOB, b)
	}
	p, err := got.Predict(x[:n])
	if err != nil {
		t.Fatal(err)
	}
	if mse := dataset.MSE(y[:n], p); math.Abs(mse-got.Training.MSE) > 1e-9*mse {
		t.Errorf("mse %g on the training rows, it says %g", mse, got.Training.MSE)
	}
	if models, _ := got.Ensemble.Size(); models < 10 || models > 30 {
		t.Errorf("%d models", models)
	}
}

// TestBags: rows are drawn as a Poisson distribution of mean 1 says; the error on the training rows
// is that of the mean of the members, the error out of bag that of the members that have not drawn
// the row.
func TestBags(t *testing.T) {
	const rows, bags = 3000, 5
	m, x, y := table(rows, 3, 100)
	set := lder.MethodSettings(lder.Refit)
	set.Seed = 3
	r := regressor(set)
	if _, err := shards.Fit(t.Context(), r, m, shards.Options{Bags: bags}); err != nil {
		t.Fatal(err)
	}
	if len(r.Ensemble.Chains) != bags || r.Training.Status != ccp.Converged {
		t.Fatalf("%d members, %v", len(r.Ensemble.Chains), r.Training.Status)
	}
	var counts [bags][]float64 // by row
	total := 0.0
	for b := range bags {
		for k := range m.y {
			for line := range m.y[k] {
				times := float64(shards.Drawn(set.Seed, k, line+1, b+1))
				counts[b], total = append(counts[b], times), total+times
			}
		}
	}
	zero := 0
	var unseen, losses []float64
	for i := range rows {
		sum, others := 0.0, 0.0
		for b := range bags {
			if counts[b][i] > 0 {
				continue
			}
			zero++
			alone := *r
			alone.Ensemble = &lder.Stack{Chains: []lder.Chain{{Parts: r.Ensemble.Chains[b].Parts, Stops: []lder.Stop{{After: 1, Weight: 1}}}}}
			p, err := alone.Predict(x[i : i+1])
			if err != nil {
				t.Fatal(err)
			}
			sum, others = sum+p[0], others+1
		}
		if others > 0 {
			unseen, losses = append(unseen, sum/others), append(losses, y[i])
		}
	}
	if mean, none := total/rows/bags, float64(zero)/rows/bags; math.Abs(mean-1) > .04 || math.Abs(none-math.Exp(-1)) > .02 {
		t.Errorf("rows are drawn %g times, and %g of them not at all", mean, none)
	}
	p, err := r.Predict(x)
	if err != nil {
		t.Fatal(err)
	}
	if mse := dataset.MSE(y, p); math.Abs(mse-r.Training.MSE) > 1e-9*mse {
		t.Errorf("mse %g, it says %g", mse, r.Training.MSE)
	}
	if oob := dataset.MSE(losses, unseen) / stat.PopVariance(y, nil); math.Abs(oob-r.Training.OOB) > 1e-9*oob {
		t.Errorf("fvu %g out of bag, it says %g", oob, r.Training.OOB)
	}
}

// TestSampleOfParts: the sample has the rows with the least keys, wherever they are; parts
// that have more of them than their share are asked once more.
func TestSampleOfParts(t *testing.T) {
	const parts, rows = 16, 4000
	_, x, y := table(rows, 1, 100)
	m := &memory{block: 100}
	for k := range parts { // all but the last of one row
		to := k + 1
		if k == parts-1 {
			to = rows
		}
		m.x, m.y = append(m.x, x[k:to]), append(m.y, y[k:to])
	}
	var models [2][]byte
	for k, most := range []int{1000, 0} {
		r := regressor(lder.MethodSettings(lder.Refit))
		f, err := shards.NewReduction(r, shards.Options{Parts: parts})
		if err != nil {
			t.Fatal(err)
		}
		shards.SampleOf(f, 1000)
		if most > 0 {
			f.Round().Most = most // of each part, so that none is cut too early
		}
		if steps := reduce(t, f, m); slices.Contains(steps, "sample") != (most == 0) || r.Training.Rows != rows {
			t.Errorf("%v, %+v", steps, r.Training)
		}
		models[k] = file(t, r)
	}
	if !bytes.Equal(models[0], models[1]) {
		t.Error("the models differ")
	}
}

// TestFiles: a table in parts of several formats has the model of the same numbers as text, bit for
// bit; files that are wrong are named.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	m, _, _ := table(300, 2, 300)
	var paths, texts []string
	for k := range m.y {
		var text, values bytes.Buffer
		text.WriteString("x1,x2,x3,x4\n")
		for i, row := range m.x[k] {
			all := append(slices.Clone(row), m.y[k][i])
			if err := binary.Write(&values, binary.LittleEndian, all); err != nil {
				t.Fatal(err)
			}
			for j, v := range all {
				if v != v {
					text.WriteString("NaN")
				} else {
					fmt.Fprintf(&text, "%.17g", v)
				}
				text.WriteByte(",,,\n"[j])
			}
		}
		head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, 4), }\n", len(m.y[k]))
		npy := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), 0)
		npy = append(append(npy, head...), values.Bytes()...)
		for name, b := range map[string][]byte{"npy": npy, "csv": text.Bytes()} {
			at := filepath.Join(dir, fmt.Sprintf("%d.%s", k, name))
			if err := os.WriteFile(at, b, 0o666); err != nil {
				t.Fatal(err)
			}
			if name == "npy" {
				paths = append(paths, at)
			} else {
				texts = append(texts, at)
			}
		}
	}
	fit := func(paths ...string) ([]byte, error) {
		r := lder.NewRegressor(lder.MethodSettings(lder.Refit))
		r.Target = "x4"
		if _, err := shards.Fit(t.Context(), r, &shards.Files{Paths: paths}, shards.Options{}); err != nil {
			return nil, err
		}
		return file(t, r), nil
	}
	want, err := fit(texts...)
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]string{paths, {texts[0], paths[1]}} {
		if got, err := fit(list...); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%v: another model, %v", list, err)
		}
	}
	short := filepath.Join(dir, "short.npy")
	whole, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(short, whole[:len(whole)-8], 0o666); err != nil {
		t.Fatal(err)
	}
	parquet := filepath.Join(dir, "a.parquet")
	if err := os.WriteFile(parquet, []byte("PAR1"), 0o666); err != nil {
		t.Fatal(err)
	}
	infinite, changed := filepath.Join(dir, "infinite.npy"), slices.Clone(whole)
	binary.LittleEndian.PutUint64(changed[len(changed)-8*4:], math.Float64bits(math.Inf(1)))
	if err := os.WriteFile(infinite, changed, 0o666); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		infinite: "infinite.npy: row ", short: "short.npy: the file ends too early", parquet: "dcopt-cluster", filepath.Join(dir, "none.npy"): "no such file",
	} {
		if _, err := fit(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestAnswersRefused: answers that do not go with the round are errors that name the part.
func TestAnswersRefused(t *testing.T) {
	m, _, _ := table(100, 2, 10)
	f, err := shards.NewReduction(regressor(lder.MethodSettings(lder.Refit)), shards.Options{Parts: 2})
	if err != nil {
		t.Fatal(err)
	}
	for f.Round().Step != "sums" {
		for k := range 2 {
			a, err := f.Round().Sum(t.Context(), m, k)
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Add(t.Context(), a); err != nil {
				t.Fatal(err)
			}
		}
	}
	var e *shards.PartError
	for _, a := range []*shards.Answer{{Sums: []shards.Sums{{Losses: []float64{1}, Grams: make([]float64, 3)}}}, {Sums: make([]shards.Sums, 2)}} {
		if err := f.Add(t.Context(), a); !errors.As(err, &e) || e.Part != 0 {
			t.Errorf("%+v: %v", a, err)
		}
	}
	round := *f.Round()
	round.Members[0].Theta = round.Members[0].Theta[1:]
	if _, err := round.Sum(t.Context(), m, 0); err == nil || !strings.Contains(err.Error(), "member 0 is wrong") {
		t.Error(err)
	}
}
