package dataset_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/lder/dataset"
)

// pmlb holds rows and features of the paper's sets, as its table of data sets
// has them.
var pmlb = map[string][2]int{
	"485_analcatdata_vehicle": {48, 4}, "560_bodyfat": {252, 14}, "712_chscase_geyser1": {222, 2},
	"210_cloud": {108, 5}, "561_cpu": {209, 7}, "228_elusage": {55, 2}, "230_machine_cpu": {209, 6},
	"522_pm10": {500, 7}, "229_pwLinear": {200, 10}, "663_rabe_266": {120, 2},
	"666_rmftsa_ladata": {508, 10}, "706_sleuth_case1202": {93, 6}, "687_sleuth_ex1605": {62, 5},
	"192_vineyard": {52, 2}, "519_vinnie": {380, 2}, "678_visualizing_environmental": {111, 3},
	"690_visualizing_galaxy": {323, 4},
}

// pmlbDir is where the paper's sets are.
func pmlbDir(t *testing.T) string { return shared.Path(t, "data", "pmlb") }

func TestPMLB(t *testing.T) {
	dir := pmlbDir(t)
	files, err := filepath.Glob(filepath.Join(dir, "*.tsv.gz"))
	if err != nil || len(files) != len(pmlb) {
		t.Fatalf("%d files, %v; want %d", len(files), err, len(pmlb))
	}
	f, err := os.Open(filepath.Join(dir, "folds_seed1.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	known, err := dataset.ReadFolds(f, "folds_seed1.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		set := dataset.SetName(path)
		tab, err := dataset.ReadFile(path, dataset.Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		d, err := tab.Supervised("target", dataset.Selection{Text: dataset.Refuse, Constant: dataset.Refuse})
		if err != nil {
			t.Error(err)
			continue
		}
		if want := pmlb[set]; len(d.X) != want[0] || len(d.Features) != want[1] || len(d.Y) != want[0] || len(d.Notes) != 0 {
			t.Errorf("%s: %d rows, %d features, notes %q; want %v", set, len(d.X), len(d.Features), d.Notes, want)
		}
		want, err := known.Of(set, len(d.Y))
		if err != nil {
			t.Error(err)
			continue
		}
		got, err := dataset.ShuffledKFold(len(d.Y), 5, 1)
		if err != nil {
			t.Error(err)
			continue
		}
		for k := range want {
			if !slices.Equal(got[k], want[k]) {
				t.Errorf("%s: fold %d is %v, want %v", set, k, got[k], want[k])
			}
		}
	}
}
