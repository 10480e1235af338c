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
	files, err := trial.Files(dir, ".tsv", ".tsv.gz", ".csv", ".csv.gz")
	if err != nil {
		return nil, err
	}
	order := paperOrder()
	place := func(file string) int {
		if k := slices.Index(order, dataset.SetName(file)); k >= 0 {
			return k
		}
		return len(order)
	}
	slices.Sort(files)
	slices.SortStableFunc(files, func(a, b string) int { return place(a) - place(b) })
	var sets []Set
	for _, file := range files {
		s, err := readSet(file, folds, seed)
		if err != nil {
			return nil, err
		}
		sets = append(sets, s)
	}
	return sets, nil
}

func readSet(file string, folds int, seed uint32) (Set, error) {
	d, err := trial.Read(file)
	if err != nil {
		return Set{}, err
	}
	parts, err := dataset.ShuffledKFold(len(d.Y), folds, seed)
	if err != nil {
		return Set{}, fmt.Errorf("%s: %w", file, err)
	}
	return Set{dataset.SetName(file), d.X, d.Y, parts}, nil
}
