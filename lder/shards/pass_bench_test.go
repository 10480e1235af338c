//go:build unix

package shards_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/shards"
)

// writeNPY writes a matrix of normal numbers whose last column is a piecewise linear function of
// the others, with noise.
func writeNPY(tb testing.TB, path string, rows, features int) {
	tb.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	var out bytes.Buffer
	header := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", rows, features+1)
	header += string(bytes.Repeat([]byte{' '}, 117-len(header))) + "\n"
	out.WriteString("\x93NUMPY\x01\x00")
	binary.Write(&out, binary.LittleEndian, uint16(len(header)))
	out.WriteString(header)
	row := make([]float64, features+1)
	for range rows {
		for j := range features {
			row[j] = rng.NormFloat64()
		}
		row[features] = max(row[0], 2*row[1]-1, row[2]) - max(row[3], row[4]) + .1*rng.NormFloat64()
		for _, v := range row {
			out.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
		}
	}
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		tb.Fatal(err)
	}
}

// BenchmarkPass measures the passes of a fit over an .npy file, and reading it.
func BenchmarkPass(b *testing.B) {
	const rows, features = 500_000, 10
	path := filepath.Join(b.TempDir(), "part.npy")
	writeNPY(b, path, rows, features)
	parts := &shards.Files{Paths: []string{path}}
	var names []string
	for j := range features {
		names = append(names, fmt.Sprintf("x%d", j+1))
	}
	target := fmt.Sprintf("x%d", features+1)
	b.Run("read", func(b *testing.B) {
		c := processorTime()
		for b.Loop() {
			if err := parts.Each(b.Context(), 0, names, target, func([][]float64, []float64) error { return nil }); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(processorTime()-c)/float64(b.N)/rows, "ns/row")
	})
	r := lder.NewRegressor(lder.MethodSettings(lder.Refit))
	r.Target = target
	f, err := shards.NewReduction(r, shards.Options{Parts: 1})
	if err != nil {
		b.Fatal(err)
	}
	for f.Round() != nil {
		round := f.Round()
		a, err := round.Sum(b.Context(), parts, 0)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("%d-%s", round.Number, round.Step), func(b *testing.B) {
			c := processorTime()
			for b.Loop() {
				if _, err := round.Sum(b.Context(), parts, 0); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(processorTime()-c)/float64(b.N)/rows, "ns/row")
		})
		if err := f.Add(b.Context(), a); err != nil {
			b.Fatal(err)
		}
	}
}

// processorTime is that of this process, in nanoseconds.
func processorTime() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
