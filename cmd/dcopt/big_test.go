package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc/lang"
)

// BenchmarkReady reads and compiles files up to the first convex problem: ten
// million numbers with 100,000 constraints, and a million coefficients, from a
// table and written out.
func BenchmarkReady(b *testing.B) {
	dir := b.TempDir()
	var buf bytes.Buffer
	x := 0.37
	for range 2000 {
		for j := range 5000 {
			if j > 0 {
				buf.WriteByte(',')
			}
			x = 3.99 * x * (1 - x) // the logistic map: any digits will do
			buf.Write(strconv.AppendFloat(buf.AvailableBuffer(), x, 'g', -1, 64))
		}
		buf.WriteByte('\n')
	}
	if err := os.WriteFile(filepath.Join(dir, "A.csv"), buf.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	const table = "param A = csv(\"A.csv\")\n"
	for _, c := range []struct {
		name, src string
		nnz       int
	}{
		{"table_and_family", table + `
param n = 100000
param r[i in 1..n] = 1/sqrt(i)
var x[cols(A)] in [-1, 1], z[n+1, 2]
minimize norm1(A*x) + sum(i in 1..n) abs(z[i,1])
subject to
  c[i in 1..n]: norm2(z[i,:] - z[i+1,:]) >= r[i]`, 10_000_000},
		{"million_from_table", table + "var x[cols(A)]\nminimize sum(x)\nsubject to\n  c: A[1..200,:]*x <= 1", 1_000_000},
		{"million_written_out", `
param n = 100000
var x[n + 10]
minimize sum(x)
subject to
  c[i in 1..n]: sum(j in 0..9) (i + j)*x[i+j] <= 1`, 1_000_000},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				f, err := lang.Parse("big.dc", []byte(c.src))
				if err != nil {
					b.Fatal(err)
				}
				p, err := lang.Compile(context.Background(), f, lang.Options{Dir: dir})
				if err != nil {
					b.Fatal(err)
				}
				sum, err := ccp.Inspect(context.Background(), p.Problem)
				if err != nil || sum.NonzerosA < c.nnz {
					b.Fatal(sum.NonzerosA, err)
				}
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.Sys)/(1<<20), "MiB-sys")
		})
	}
}
