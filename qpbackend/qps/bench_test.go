package qps_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/qpbackend/qps"
)

func BenchmarkRead(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 6))
	var data bytes.Buffer
	data.WriteString("NAME B\nROWS\n N c\n")
	const rows, columns = 2000, 5000
	for i := range rows {
		fmt.Fprintf(&data, " L r%d\n", i)
	}
	data.WriteString("COLUMNS\n")
	for j := range columns {
		first := rng.IntN(rows)
		for k := range 8 {
			fmt.Fprintf(&data, " x%d r%d %.17g\n", j, (first+k*rows/8)%rows, rng.NormFloat64())
		}
	}
	data.WriteString("ENDATA\n")
	src := data.Bytes()
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, err := qps.Read(bytes.NewReader(src), qps.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
