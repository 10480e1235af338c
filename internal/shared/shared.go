package shared

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// Path is the absolute path of a file or folder of the shared data. A test is skipped
// where it is missing.
func Path(t testing.TB, parts ...string) string {
	t.Helper()
	root := os.Getenv("DCOPT_SHARED")
	if root == "" {
		root = beside(t)
	}
	path, err := filepath.Abs(filepath.Join(append([]string{root}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Skipf("SKIPPED: no shared data: %v; set DCOPT_SHARED", err)
	}
	return path
}

// beside is the folder "shared" beside the repository, or beside a folder around it.
func beside(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		next := filepath.Dir(dir)
		if _, err := os.Stat(filepath.Join(next, "shared", "data")); err == nil || next == dir {
			return filepath.Join(next, "shared")
		}
		dir = next
	}
}

// Program is a problem of the Maros-Meszaros collection.
type Program struct {
	Name, Path string
	Sizes      [4]int  // variables, rows, entries of P, both triangles, and of A
	Optimum    float64 // on which other solvers agree
}

// MarosMeszaros are the problems of the collection that are there.
func MarosMeszaros(t testing.TB) []Program {
	t.Helper()
	dir := Path(t, "data", "maros_meszaros")
	f, err := os.Open(filepath.Join(dir, "reference.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var all []Program
	for _, rec := range table[1:] {
		p := Program{Name: rec[0], Path: filepath.Join(dir, rec[0]+".SIF.gz")}
		for k := range p.Sizes {
			if p.Sizes[k], err = strconv.Atoi(rec[k+1]); err != nil {
				t.Fatal(err)
			}
		}
		if p.Optimum, err = strconv.ParseFloat(rec[5], 64); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}
