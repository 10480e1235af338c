package study_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
	"github.com/dcopt/dcopt/bench/internal/study"
	"github.com/dcopt/dcopt/bench/internal/trial"
	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/lder/dataset"
)

// plane is a set with y = x1 - 2 x2 and gaps in x2 where x2 is small.
func plane(t *testing.T, name string, m int) study.Set {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(m), 1))
	s := study.Set{Name: name}
	for range m {
		x := []float64{rng.NormFloat64(), rng.NormFloat64()}
		s.Y = append(s.Y, x[0]-2*x[1])
		if math.Abs(x[1]) < 0.05 {
			x[1] = math.NaN()
		}
		s.X = append(s.X, x)
	}
	var err error
	if s.Folds, err = dataset.ShuffledKFold(m, 4, 1); err != nil {
		t.Fatal(err)
	}
	return s
}

func open(t *testing.T, path string) *csvtable.Table[study.Row] {
	t.Helper()
	table, err := csvtable.Open[study.Row](path, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}

// TestModels: every model learns a plane.
func TestModels(t *testing.T) {
	models, err := study.Choose([]string{"all"})
	if err != nil {
		t.Fatal(err)
	}
	models = shared.Sample(t, 4, models)
	table := open(t, filepath.Join(t.TempDir(), "t.csv"))
	set := plane(t, "plane", 60)
	set.Folds = set.Folds[:1]
	set.Folds[0] = slices.DeleteFunc(set.Folds[0], func(i int) bool { return math.IsNaN(set.X[i][1]) })
	c := study.Campaign{Sets: []study.Set{set}, Models: models, Limit: time.Hour}
	if err := c.Run(context.Background(), table, nil); err != nil {
		t.Fatal(err)
	}
	if len(table.Rows) != len(models) {
		t.Errorf("%d rows, want %d", len(table.Rows), len(models))
	}
	for _, r := range table.Rows {
		want := 0.05
		switch r.Model {
		case "svr":
			want = 0.5 // scikit-learn's C is too small for 45 samples of such a slope
		case "mdn":
			want = 0.5 // 200 steps are few
		}
		if r.Status != trial.Trained || !(r.FVU <= want) || !(r.MSE > 0 && r.Seconds > 0) {
			t.Errorf("%+v", r)
		}
	}
}

func TestChoose(t *testing.T) {
	if _, err := study.Choose([]string{"nonsense"}); err == nil || !strings.Contains(err.Error(), "svr") {
		t.Errorf("%v does not say what there is", err)
	}
	if _, err := study.Choose([]string{"svr", "svr"}); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("%v", err)
	}
	for bad, want := range map[string]string{"mlp@x": "FIRST-LAST", "mlp@": "a seed", "mlp@9-3": "a seed", "mlp@0-1000": "1000", "svr@1": "maxout", "mlp@-1": "a seed"} {
		if _, err := study.Choose([]string{bad}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", bad, err, want)
		}
	}
	if _, err := study.Choose([]string{"mlp", "mlp@0-2"}); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("seed 0 by two names: %v", err)
	}
	m, err := study.Choose([]string{"mdn@0-2", "mlp@7"})
	var names []string
	for _, m := range m {
		names = append(names, m.Name)
	}
	if want := []string{"mdn", "mdn@1", "mdn@2", "mlp@7"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("models %v, %v; want %v", names, err, want)
	}
	if m, err := study.Choose([]string{"ridge", "svr"}); err != nil || m[0].Name != "ridge" || m[1].Name != "svr" {
		t.Errorf("%v, %v", m, err)
	}
}

// constant predicts v everywhere, or fails.
func constant(name string, v float64, err error) study.Model {
	return study.Model{Name: name, Train: func(context.Context, [][]float64, []float64) (study.Predictor, error) {
		return func(x [][]float64) ([]float64, error) { return slices.Repeat([]float64{v}, len(x)), err }, nil
	}}
}

func TestRows(t *testing.T) {
	set := plane(t, "plane", 20)
	slow := study.Model{Name: "slow", Train: func(ctx context.Context, x [][]float64, y []float64) (study.Predictor, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	late := study.Model{Name: "late", Train: func(ctx context.Context, x [][]float64, y []float64) (study.Predictor, error) {
		<-ctx.Done() // and returns what it has
		return constant("", 0, nil).Train(ctx, x, y)
	}}
	broken := study.Model{Name: "broken", Train: func(context.Context, [][]float64, []float64) (study.Predictor, error) {
		return nil, errors.New("no,\nnothing")
	}}
	table := open(t, filepath.Join(t.TempDir(), "t.csv"))
	c := study.Campaign{
		Sets: []study.Set{set}, Limit: 50 * time.Millisecond,
		Models: []study.Model{constant("good", 1, nil), constant("nan", math.NaN(), nil), constant("mute", 0, errors.New("mute")), slow, late, broken},
	}
	if err := c.Run(context.Background(), table, nil); err != nil {
		t.Fatal(err)
	}
	if len(table.Rows) != 4*6 {
		t.Fatalf("%d rows", len(table.Rows))
	}
	for _, r := range table.Rows {
		want := map[string]string{"good": trial.Trained, "slow": trial.TooLong, "late": trial.TooLong}[r.Model]
		if want == "" {
			want = trial.Failed
		}
		if r.Status != want || math.IsNaN(r.FVU) != (want != trial.Trained) || r.Folds != 4 {
			t.Errorf("%+v", r)
		}
		if r.Model == "good" {
			var y []float64
			for _, i := range set.Folds[r.Fold] {
				y = append(y, set.Y[i])
			}
			if ones := slices.Repeat([]float64{1}, len(y)); !(math.Abs(r.MSE-dataset.MSE(y, ones)) <= 1e-9*r.MSE) || !(math.Abs(r.FVU-dataset.FVU(y, ones)) <= 1e-9*r.FVU) {
				t.Errorf("fold %d: MSE %g, FVU %g", r.Fold, r.MSE, r.FVU)
			}
		}
	}
}

// TestResume: runs that are interrupted at random moments add up to one that is
// not: nothing is lost, nothing is counted twice.
func TestResume(t *testing.T) {
	sets := []study.Set{plane(t, "a", 20), plane(t, "b", 24)}
	path := filepath.Join(t.TempDir(), "t.csv")
	rng := rand.New(rand.NewPCG(2, 2))
	var trained atomic.Int64
	model := study.Model{Name: "m", Train: func(ctx context.Context, x [][]float64, y []float64) (study.Predictor, error) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(2 * time.Millisecond):
		}
		trained.Add(1)
		return constant("", 0, nil).Train(ctx, x, y)
	}}
	c := study.Campaign{Sets: sets, Models: []study.Model{model, constant("n", 2, nil)}, Limit: time.Minute, Version: "1"}
	for range 20 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rng.IntN(4000))*time.Microsecond)
		table := open(t, path)
		if err := c.Run(ctx, table, nil); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		table.Close()
		cancel()
		// What a kill leaves of a line.
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(f, "a,m,0,4,1")
		f.Close()
	}
	if err := c.Run(context.Background(), open(t, path), nil); err != nil {
		t.Fatal(err)
	}
	rows, err := csvtable.Read[study.Row](path)
	if err != nil || len(rows) != 2*2*4 || len(csvtable.Latest(rows)) != len(rows) {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	before := trained.Load()
	if err := c.Run(context.Background(), open(t, path), nil); err != nil || trained.Load() != before {
		t.Errorf("trained again: %v", err)
	}
	c.Version = "2"
	if err := c.Run(context.Background(), open(t, path), nil); err != nil || trained.Load() != before+8 {
		t.Errorf("another version: trained %d times", trained.Load()-before)
	}
	rows, err = csvtable.Read[study.Row](path)
	if err != nil || len(rows) != 32 || len(csvtable.Latest(rows)) != 16 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

func TestReadSets(t *testing.T) {
	dir := t.TempDir()
	if _, err := study.ReadSets(dir, 5, 1); err == nil {
		t.Error("an empty folder has sets")
	}
	body := "x\ttarget\n"
	for k := range 12 {
		body += fmt.Sprintf("%d\t%d\n", k, k*k)
	}
	for _, name := range []string{"another.tsv", "560_bodyfat.tsv", "485_analcatdata_vehicle.tsv"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	sets, err := study.ReadSets(dir, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range sets {
		names = append(names, s.Name)
		if len(s.Y) != 12 || len(s.Folds) != 5 || s.Y[3] != 9 {
			t.Errorf("%s: %d rows, %d folds", s.Name, len(s.Y), len(s.Folds))
		}
	}
	if want := []string{"485_analcatdata_vehicle", "560_bodyfat", "another"}; !slices.Equal(names, want) {
		t.Errorf("sets %v, want %v", names, want)
	}
	if _, err := study.ReadSets(dir, 13, 1); err == nil {
		t.Error("13 folds of 12 rows")
	}
}
