package shared

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/dcopt/dcopt/internal/need"
)

// Path is the absolute path of a file or folder of the shared data, or of the part of
// them in the repository where they are missing. A test is skipped where that lacks
// it, too.
func Path(t testing.TB, parts ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(append([]string{root(t)}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	_, err = os.Stat(path)
	need.That(t, err == nil, need.Data, "not in the part that the repository has:", err)
	return path
}

// Whole reports whether all shared data are there, and not only the part of them in
// the repository.
func Whole(t testing.TB) bool {
	t.Helper()
	return filepath.Base(root(t)) != "testdata"
}

// root is the folder that DCOPT_SHARED names; without it, the folder "shared" beside
// the repository or beside a folder around it; without that, the part of the data in
// the repository.
func root(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("DCOPT_SHARED"); dir != "" {
		if _, err := os.Stat(filepath.Join(dir, "data")); err == nil {
			return dir
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	part := ""
	for {
		if own := filepath.Join(dir, "internal", "shared", "testdata"); part == "" && exists(own) {
			part = own
		}
		next := filepath.Dir(dir)
		if exists(filepath.Join(next, "shared", "data")) {
			return filepath.Join(next, "shared")
		}
		if next == dir {
			return part
		}
		dir = next
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
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
