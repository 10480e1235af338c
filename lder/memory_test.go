//go:build !race

// The race detector needs memory of its own.

package lder_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"testing"

	"github.com/dcopt/dcopt/lder"
)

// liveHeap is what a garbage collection finds in use.
func liveHeap() float64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	runtime.GC()
	metrics.Read(sample)
	return float64(sample[0].Value.Uint64())
}

// peakHeap is the largest live heap seen twice in a row while work runs: what is
// dropped and what is made while a collection runs both count as live for it.
func peakHeap(work func()) float64 {
	stop, most := make(chan struct{}), make(chan float64)
	go func() {
		peak, last := 0.0, 0.0
		for {
			select {
			case <-stop:
				most <- peak
				return
			default:
				now := liveHeap()
				peak, last = max(peak, min(last, now)), now
			}
		}
	}()
	work()
	close(stop)
	return <-most
}

// TestMemory: a fit by refit, its data included, needs less than three times the
// data's memory, and less than 2.3 times when it may take the data.
func TestMemory(t *testing.T) {
	const m, n = 100_000, 10
	set := lder.MethodSettings(lder.Refit)
	set.MaxIter = 3
	for _, c := range []struct {
		what  string
		limit float64 // in units of the data's memory
		fit   func(x [][]float64, y []float64) func() error
	}{
		{"Fit", 3, func(x [][]float64, y []float64) func() error {
			return func() error {
				defer runtime.KeepAlive(x)
				defer runtime.KeepAlive(y)
				return lder.NewRegressor(set).Fit(context.Background(), x, y)
			}
		}},
		{"FitColumns", 2.3, func(x [][]float64, y []float64) func() error {
			columns := columnsOf(x)
			return func() error {
				defer runtime.KeepAlive(columns)
				defer runtime.KeepAlive(y)
				return lder.NewRegressor(set).FitColumns(context.Background(), columns, y, nil)
			}
		}},
	} {
		before := liveHeap()
		x := rowsOfNormals(rand.New(rand.NewPCG(3, 3)), m, n)
		fit := c.fit(x, bent(rand.New(rand.NewPCG(3, 4)), x, .1))
		x = nil
		var err error
		most := peakHeap(func() { err = fit() })
		if err != nil {
			t.Fatal(err)
		}
		got := (most - before) / (8 * m * (n + 1))
		t.Logf("%s: %.2f times the memory of the data", c.what, got)
		if !(got > 1.5 && got < c.limit) {
			t.Errorf("%s needs %.2f times the memory of the data, want less than %g", c.what, got, c.limit)
		}
	}
}
