package trial

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
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

// Files are the files of a folder with one of the endings, in no order.
func Files(dir string, endings ...string) ([]string, error) {
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
	return files, nil
}

// Read reads the features, NaN where missing, and the column named "target" of a file.
func Read(file string) (*dataset.Data, error) {
	table, err := dataset.ReadFile(file, dataset.Options{})
	if err != nil {
		return nil, err
	}
	return table.Supervised("target", dataset.DefaultSelection())
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
