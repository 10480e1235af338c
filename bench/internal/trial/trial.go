package trial

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dcopt/dcopt/bench/internal/clock"
	"github.com/dcopt/dcopt/lder/dataset"
)

// The statuses of rows.
const (
	Trained = "trained"
	TooLong = "time_limit"
	Failed  = "failed"
)

// Set is a table with targets.
type Set struct {
	Name string
	X    [][]float64 // NaN for missing values
	Y    []float64
}

// ReadSets reads the files of folders with one of the endings, in the order of their names; the
// target is the column named "target". A set in two of the folders is read once.
func ReadSets(dirs []string, endings ...string) ([]Set, error) {
	var sets []Set
	for _, dir := range dirs {
		var files []string
		for _, ending := range endings {
			some, err := filepath.Glob(filepath.Join(dir, "*"+ending))
			if err != nil {
				return nil, err
			}
			files = append(files, some...)
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("%s has no file that ends in one of %v", dir, endings)
		}
		for _, file := range files {
			name := dataset.SetName(file)
			if slices.ContainsFunc(sets, func(s Set) bool { return s.Name == name }) {
				continue
			}
			table, err := dataset.ReadFile(file, dataset.Options{})
			if err != nil {
				return nil, err
			}
			d, err := table.Supervised("target", dataset.DefaultSelection())
			if err != nil {
				return nil, err
			}
			sets = append(sets, Set{name, d.X, d.Y})
		}
	}
	slices.SortFunc(sets, func(a, b Set) int { return strings.Compare(a.Name, b.Name) })
	return sets, nil
}

// Predictor predicts the targets of rows.
type Predictor func(x [][]float64) ([]float64, error)

// Result is the outcome of a training.
type Result struct {
	Status, Message string
	Seconds         float64   // of training, by the clock
	Targets, Values []float64 // of the test rows, and those predicted; nil unless Trained
}

// Train trains on some rows within the limit, in seconds, and predicts others. A model
// that stops with the limit has no result, whatever it returns.
func Train(ctx context.Context, fit func(ctx context.Context, x [][]float64, y []float64) (Predictor, error),
	x [][]float64, y []float64, train, test []int, limit float64, now clock.Clock,
) Result {
	pick := func(rows []int) (px [][]float64, py []float64) {
		for _, i := range rows {
			px, py = append(px, x[i]), append(py, y[i])
		}
		return px, py
	}
	trainX, trainY := pick(train)
	limited, cancel := context.WithTimeout(ctx, time.Duration(limit*float64(time.Second)))
	defer cancel()
	begin := now()
	predict, err := fit(limited, trainX, trainY)
	r := Result{Seconds: now() - begin}
	if limited.Err() != nil {
		r.Status, r.Message = TooLong, "not trained within the limit"
		return r
	}
	testX, testY := pick(test)
	var values []float64
	if err == nil {
		values, err = predict(testX)
	}
	for _, v := range values {
		if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
			err = errors.New("a prediction is no finite number")
		}
	}
	if err != nil {
		r.Status, r.Message = Failed, err.Error()
		return r
	}
	r.Status, r.Targets, r.Values = Trained, testY, values
	return r
}
