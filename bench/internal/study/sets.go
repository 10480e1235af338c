package study

import (
	"fmt"
	"slices"

	"github.com/dcopt/dcopt/bench/internal/trial"
	"github.com/dcopt/dcopt/lder/dataset"
)

// Set is a data set with its folds.
type Set struct {
	Name  string
	X     [][]float64 // NaN for missing values
	Y     []float64
	Folds [][]int // row numbers; each row in one
}

// paperOrder are the sets of the paper, its D1 to D17.
func paperOrder() []string {
	return []string{
		"485_analcatdata_vehicle", "560_bodyfat", "712_chscase_geyser1", "210_cloud", "561_cpu", "228_elusage",
		"230_machine_cpu", "522_pm10",
		"229_pwLinear", "663_rabe_266", "666_rmftsa_ladata", "706_sleuth_case1202", "687_sleuth_ex1605", "192_vineyard",
		"519_vinnie",
		"678_visualizing_environmental", "690_visualizing_galaxy",
	}
}

// ReadSets reads the .tsv.gz, .tsv, .csv.gz and .csv files of a folder whose
// target column is named "target", sets of the paper first and in its order.
// Folds are the ones of scikit-learn's shuffled KFold with the seed.
func ReadSets(dir string, folds int, seed uint32) ([]Set, error) {
	all, err := trial.ReadSets([]string{dir}, ".tsv", ".tsv.gz", ".csv", ".csv.gz")
	if err != nil {
		return nil, err
	}
	order := paperOrder()
	place := func(s trial.Set) int {
		if k := slices.Index(order, s.Name); k >= 0 {
			return k
		}
		return len(order)
	}
	slices.SortStableFunc(all, func(a, b trial.Set) int { return place(a) - place(b) })
	var sets []Set
	for _, s := range all {
		parts, err := dataset.ShuffledKFold(len(s.Y), folds, seed)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		sets = append(sets, Set{s.Name, s.X, s.Y, parts})
	}
	return sets, nil
}
