package qps_test

import (
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/qpbackend/formats"
)

// TestMarosMeszaros reads every problem of the collection that is at hand and
// compares sizes with reference.csv, which counts both triangles of P and only
// the constraint rows of A.
func TestMarosMeszaros(t *testing.T) {
	read := 0
	for _, program := range shared.Sample(t, 4, shared.MarosMeszaros(t)) {
		file, err := formats.ReadFile(program.Path)
		if err != nil {
			t.Error(err)
			continue
		}
		read++
		p := file.Problem
		n, m := p.Dims()
		rows := len(file.RowNames)
		nnzP, nnzA := 0, 0
		for j := range n {
			for k := p.P.ColPtr[j]; k < p.P.ColPtr[j+1]; k++ {
				nnzP++
				if p.P.RowIdx[k] != j {
					nnzP++
				}
			}
			for k := p.A.ColPtr[j]; k < p.A.ColPtr[j+1]; k++ {
				if p.A.RowIdx[k] < rows {
					nnzA++
				}
			}
		}
		for k, got := range []int{n, rows, nnzP, nnzA} {
			if want := program.Sizes[k]; got != want {
				t.Errorf("%s: size %d is %d, want %d", program.Name, k, got, want)
			}
		}
		if file.Name != program.Name || len(file.ColNames) != n || m != rows || len(file.RowNames) != m {
			t.Errorf("%s: read as %q with %d names of columns, %d of rows, %d rows", program.Name, file.Name, len(file.ColNames), len(file.RowNames), m)
		}
	}
	if want := map[bool]int{true: 66, false: 33}[shared.Whole(t)]; read != want && !shared.Race {
		t.Errorf("%d problems read, want %d", read, want)
	}
}
