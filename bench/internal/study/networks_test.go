package study_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/dcopt/dcopt/bench/internal/study"
)

// TestMLP: the mean FVU over the folds is as scikit-learn's for ten seeds, with
// targets as they are and standardised; peers/fixtures/mlp.py made the file. The
// small sets are trained here, docs/regression.md has all.
func TestMLP(t *testing.T) {
	shared := os.Getenv("DCOPT_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "..", "shared")
	}
	raw, err := os.ReadFile("testdata/mlp.json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]map[string][]float64
	if err := json.Unmarshal(raw, &want); err != nil || len(want) != 17 {
		t.Fatalf("%d sets, %v", len(want), err)
	}
	dir := filepath.Join(shared, "data", "pmlb")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("SKIPPED: no shared data:", err)
	}
	sets, err := study.ReadSets(dir, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	small := []string{"192_vineyard", "228_elusage", "485_analcatdata_vehicle"}
	sets = slices.DeleteFunc(sets, func(s study.Set) bool { return !slices.Contains(small, s.Name) })
	models, err := study.Choose([]string{"mlp", "mlp-std"})
	if err != nil {
		t.Fatal(err)
	}
	table := open(t, filepath.Join(t.TempDir(), "t.csv"))
	c := study.Campaign{Sets: sets, Models: models, Seed: 1, Limit: time.Minute}
	if err := c.Run(context.Background(), table); err != nil {
		t.Fatal(err)
	}
	got := map[[2]string]float64{}
	for _, r := range table.Rows {
		got[[2]string{r.Set, r.Model}] += r.FVU / 5
	}
	if len(got) != 6 {
		t.Errorf("%d means, want 6", len(got))
	}
	for place, v := range got {
		seeds := want[place[0]][place[1]]
		mean, sum := 0.0, 0.0
		for _, s := range seeds {
			mean += s / float64(len(seeds))
		}
		for _, s := range seeds {
			sum += (s - mean) * (s - mean)
		}
		std := math.Sqrt(sum / float64(len(seeds)-1))
		t.Logf("%v: %.4f, scikit-learn %.4f ± %.4f", place, v, mean, std)
		if len(seeds) != 10 || !(math.Abs(v-mean) <= 3*std) {
			t.Errorf("%v: FVU %.4f, scikit-learn's %d seeds have %.4f ± %.4f", place, v, len(seeds), mean, std)
		}
	}
}
