package lder_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
)

// TestCancelledHasTheBest: whenever the context ends, what is there is a model
// better than the mean, and the error is the context's.
func TestCancelledHasTheBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 6))
	x := normalRows(rng, 80, 3)
	y := bent(rng, x, .2)
	for _, m := range shared.Sample(t, 3, []lder.Method{lder.Auto, lder.Cheap, lder.Bagged, lder.Ensemble}) {
		total := 0
		set := lder.MethodSettings(m)
		last := 0
		set.Progress = func(done, of int) {
			if done != last+1 || done > of {
				t.Errorf("%v: %d of %d after %d", m, done, of, last)
			}
			last, total = done, of
		}
		fitted(t, x, y, set)
		if last != total {
			t.Errorf("%v: progress ends at %d of %d", m, last, total)
		}
		for _, at := range []int{1, total / 2, total - 1} {
			ctx, cancel := context.WithCancel(context.Background())
			set.Progress = func(done, _ int) {
				if done == at {
					cancel()
				}
			}
			r := lder.NewRegressor(set)
			err := r.Fit(ctx, x, y)
			if err == nil && at >= total-runtime.GOMAXPROCS(0) {
				continue // the last parts were all under way
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("%v: %v", m, err)
			}
			if r.Training.Status != ccp.Cancelled || !(r.Training.FVU < .9) {
				t.Errorf("%v, after %d of %d: %+v", m, at, total, r.Training)
			}
			if got := dataset.FVU(y, predictions(t, r, x)); math.Abs(got-r.Training.FVU) > 1e-9 {
				t.Errorf("%v: FVU %g, want %g", m, got, r.Training.FVU)
			}
		}
	}
}
