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

// ReadSets reads the .tsv.gz, .tsv, .csv.gz and .csv files of a folder whose
// target column is named "target", sets of the paper first and in its order.
// Folds are the ones of scikit-learn's shuffled KFold with the seed.
func ReadSets(dir string, folds int, seed uint32) ([]Set, error) {
	all, err := trial.ReadSets([]string{dir}, ".tsv", ".tsv.gz", ".csv", ".csv.gz")
	if err != nil {
		return nil, err
	}
	place := func(s trial.Set) int {
		k := slices.IndexFunc(paperSets, func(p paperSet) bool { return p.name == s.Name })
		if k < 0 {
			return len(paperSets)
		}
		return k
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
