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
func BenchmarkCSV(b *testing.B) {
	for _, digits := range []int{6, 17} {
		rng := rand.New(rand.NewPCG(1, 2))
		var data []byte
		for range 100_000 {
			for j := range 10 {
				if j > 0 {
					data = append(data, ',')
				}
				data = strconv.AppendFloat(data, rng.NormFloat64(), 'g', digits, 64)
			}
			data = append(data, '\n')
		}
		f, err := Parse("p.dc", []byte("param A = csv(\"A.csv\")\nvar x\nminimize x\n"))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint("digits=", digits), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := Compile(b.Context(), f, Options{FS: fstest.MapFS{"A.csv": &fstest.MapFile{Data: data}}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
