package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/bits"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mathext/prng"

	"github.com/dcopt/dcopt/internal/input"
	"github.com/dcopt/dcopt/internal/suggest"
)

// KFold deals the rows 0..n-1 into k consecutive folds, the first n mod k one
// row longer, and returns the test rows of each.
func KFold(n, k int) ([][]int, error) {
	if k < 2 || k > n {
		return nil, fmt.Errorf("dataset: %d folds of %d rows; want from 2 to as many as there are rows", k, n)
	}
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return deal(rows, k), nil
}

// ShuffledKFold is KFold after a shuffle, with ascending rows in each fold. The
// folds are the ones of scikit-learn's KFold(k, shuffle=True, random_state=seed).
func ShuffledKFold(n, k int, seed uint32) ([][]int, error) {
	if _, err := KFold(n, k); err != nil {
		return nil, err
	}
	folds := deal(Permutation(n, seed), k)
	for _, fold := range folds {
		slices.Sort(fold)
	}
	return folds, nil
}

// Permutation shuffles 0..n-1 as numpy's RandomState(seed).permutation(n) does:
// Fisher and Yates's shuffle by the Mersenne Twister, indices drawn by rejection.
func Permutation(n int, seed uint32) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	src := prng.NewMT19937()
	src.Seed(uint64(seed))
	for i := n - 1; i > 0; i-- {
		mask := uint32(1)<<bits.Len32(uint32(i)) - 1
		j := src.Uint32() & mask
		for j > uint32(i) {
			j = src.Uint32() & mask
		}
		rows[i], rows[j] = rows[j], rows[i]
	}
	return rows
}

// deal cuts rows into k runs.
func deal(rows []int, k int) [][]int {
	size, longer := len(rows)/k, len(rows)%k
	folds := make([][]int, k)
	for f := range folds {
		n := size
		if f < longer {
			n++
		}
		folds[f], rows = rows[:n:n], rows[n:]
	}
	return folds
}

// CheckFolds returns an error unless the folds are two or more and each row
// 0..n-1 is in exactly one.
func CheckFolds(folds [][]int, n int) error {
	if len(folds) < 2 {
		return fmt.Errorf("dataset: want at least 2 folds, not %d", len(folds))
	}
	in := make([]int, n) // 1 + the fold of each row
	total := 0
	for f, fold := range folds {
		if len(fold) == 0 {
			return fmt.Errorf("dataset: fold %d is empty", f)
		}
		for _, i := range fold {
			if i < 0 || i >= n {
				return fmt.Errorf("dataset: fold %d holds row %d, the rows are 0 to %d; are the folds those of this "+
					"table?", f, i, n-1)
			}
			if in[i] != 0 {
				return fmt.Errorf("dataset: row %d is in fold %d and in fold %d", i, in[i]-1, f)
			}
			in[i] = f + 1
		}
		total += len(fold)
	}
	if total != n {
		return fmt.Errorf("dataset: the folds hold %d of %d rows (row %d is in none); are they those of this table?",
			total, n, slices.Index(in, 0))
	}
	return nil
}

// TrainRows lists the rows 0..n-1 that are not in the fold, ascending.
func TrainRows(fold []int, n int) []int {
	test := make([]bool, n)
	for _, i := range fold {
		test[i] = true
	}
	train := make([]int, 0, n-len(fold))
	for i, t := range test {
		if !t {
			train = append(train, i)
		}
	}
	return train
}

// FoldFile holds, by the name of a data set, the test rows of its folds.
type FoldFile map[string][][]int

// ReadFolds reads a JSON object of the form {"set": [[0, 3], [1, 2]], ...}.
// name is for messages.
func ReadFolds(r io.Reader, name string) (FoldFile, error) {
	text, err := input.JSON(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	var f FoldFile
	if err := dec.Decode(&f); err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("the file is empty")
		}
		return nil, fmt.Errorf(`%s: want {"set": [[row, ...], ...], ...}: %w`, name, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("%s: there is more after the JSON object", name)
	}
	if len(f) == 0 {
		return nil, fmt.Errorf("%s: no folds in the file", name)
	}
	return f, nil
}

// Of returns the checked folds of the named set for a table of n rows.
func (f FoldFile) Of(set string, n int) ([][]int, error) {
	folds, ok := f[set]
	if !ok {
		names := slices.Sorted(maps.Keys(f))
		return nil, fmt.Errorf("dataset: no folds for %q%s; there are folds for %s", set,
			suggest.DidYouMean(set, names), list(names))
	}
	if err := CheckFolds(folds, n); err != nil {
		return nil, fmt.Errorf("%s: %w", set, err)
	}
	return folds, nil
}

// SetName is the name by which a fold file knows a table: the file's name
// without folder and endings, "192_vineyard" for "pmlb/192_vineyard.tsv.gz".
func SetName(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".gz")
	return strings.TrimSuffix(name, filepath.Ext(name))
}
