package ensemble

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/lder/internal/refit"
)

func TestDevSelect(t *testing.T) {
	files, _ := filepath.Glob(os.Getenv("DCOPT_SHARED") + "/data/srbench/*.tsv.gz")
	more, _ := filepath.Glob(os.Getenv("DCOPT_SHARED") + "/data/pmlb/*.tsv.gz")
	for _, f := range append(files, more...) {
		tab, err := dataset.ReadFile(f, dataset.Options{})
		if err != nil {
			continue
		}
		s, err := tab.Supervised("target", dataset.DefaultSelection())
		if err != nil {
			continue
		}
		perm := dataset.Permutation(len(s.Y), 1)[:min(10000, len(s.Y)*3/4)]
		var x [][]float64
		var y []float64
		for _, i := range perm {
			x = append(x, append([]float64(nil), s.X[i]...))
			y = append(y, s.Y[i])
		}
		sc, _ := dataset.FitScaler(x)
		d := &refit.Data{M: len(x), N: len(x[0]) + 1, Y: y}
		mean, sd := dataset.MeanStd(y)
		for i, r := range x {
			sc.Apply(r)
			d.X = append(append(d.X, r...), 1)
			y[i] = (y[i] - mean) / sd
		}
		b := time.Now()
		sel, err := selectFeatures(context.Background(), d)
		fmt.Printf("%-30s %5d %3d: %v %.2fs %v\n", filepath.Base(f), d.M, d.N-1, sel, time.Since(b).Seconds(), err)
	}
}
