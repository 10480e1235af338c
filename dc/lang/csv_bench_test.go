package lang

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"testing/fstest"
)

// BenchmarkCSV reads a table of ten columns by csv(), of short and of long
// numbers.
func BenchmarkCSV(b *testing.B) { benchmarkFile(b, "csv", "", ",", "\n", "\n") }

// BenchmarkJSON reads the same numbers by json().
func BenchmarkJSON(b *testing.B) { benchmarkFile(b, "json", "[[", ",", "],[", "]]") }

func benchmarkFile(b *testing.B, read, begin, comma, row, end string) {
	for _, digits := range []int{6, 17} {
		rng := rand.New(rand.NewPCG(1, 2))
		data := []byte(begin)
		for i := range 100_000 {
			if i > 0 {
				data = append(data, row...)
			}
			for j := range 10 {
				if j > 0 {
					data = append(data, comma...)
				}
				data = strconv.AppendFloat(data, rng.NormFloat64(), 'g', digits, 64)
			}
		}
		data = append(data, end...)
		f, err := Parse("p.dc", []byte("param A = "+read+"(\"A\")\nvar x\nminimize x\n"))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint("digits=", digits), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := Compile(b.Context(), f, Options{FS: fstest.MapFS{"A": &fstest.MapFile{Data: data}}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
