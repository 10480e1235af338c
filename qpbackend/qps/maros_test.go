package qps_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/dcopt/dcopt/qpbackend/qps"
)

// sharedData is the folder of the Maros-Meszaros problems.
func sharedData(t *testing.T) string {
	t.Helper()
	root := os.Getenv("DCOPT_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared") // beside the repository
	}
	dir := filepath.Join(root, "data", "maros_meszaros")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("SKIPPED: no Maros-Meszaros problems: %v; set DCOPT_SHARED", err)
	}
	return dir
}

// TestMarosMeszaros reads every problem of the collection that is at hand and
// compares sizes with reference.csv, which counts both triangles of P and only
// the constraint rows of A.
func TestMarosMeszaros(t *testing.T) {
	dir := sharedData(t)
	f, err := os.Open(filepath.Join(dir, "reference.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, rec := range table[1:] {
		file, err := qps.ReadFile(filepath.Join(dir, rec[0]+".SIF.gz"))
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
			if want, _ := strconv.Atoi(rec[k+1]); got != want {
				t.Errorf("%s: %s is %d, want %d", rec[0], table[0][k+1], got, want)
			}
		}
		if file.Name != rec[0] || len(file.ColNames) != n || m != rows || len(file.RowNames) != m {
			t.Errorf("%s: read as %q with %d names of columns, %d of rows, %d rows", rec[0], file.Name, len(file.ColNames), len(file.RowNames), m)
		}
	}
	if read != 66 {
		t.Errorf("%d problems read, want 66", read)
	}
}
