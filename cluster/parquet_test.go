package cluster_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/dcopt/dcopt/cluster"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/lder/shards"
)

// part is a row of a Parquet file.
type part struct {
	A     float64  `parquet:"a"`
	B     *float64 `parquet:"b,optional"`
	C     int32    `parquet:"c"`
	Note  string   `parquet:"note"`
	List  []int64  `parquet:"list"`
	Price int64    `parquet:"price,decimal(2:18)"`
	Y     float32  `parquet:"y"`
}

// TestParquet: parts in Parquet have the model of the same numbers as text, bit for bit, also with
// missing values and several row groups; columns that are no numbers, and damaged files, are
// refused.
func TestParquet(t *testing.T) {
	dir := t.TempDir()
	var paths, texts []string
	for k := range 2 {
		var rows []part
		var text strings.Builder
		text.WriteString("a,b,c,y\n")
		for i := range 3000 {
			b := math.Cos(float64(7*i + k))
			r := part{A: math.Sin(float64(97*k+i)) * 4, B: &b, C: int32(i % 5), Note: "n", List: make([]int64, i%3), Y: float32(math.Abs(math.Sin(float64(97*k+i))) - b)}
			word := fmt.Sprintf("%.17g", b)
			if i%11 == 0 {
				r.B, word = nil, ""
			}
			rows = append(rows, r)
			fmt.Fprintf(&text, "%.17g,%s,%d,%.17g\n", r.A, word, r.C, r.Y)
		}
		at := filepath.Join(dir, fmt.Sprintf("%d.parquet", k))
		if err := parquet.WriteFile(at, rows, parquet.MaxRowsPerRowGroup(1300), parquet.Compression(&parquet.Zstd)); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, at)
		at = filepath.Join(dir, fmt.Sprintf("%d.csv", k))
		if err := os.WriteFile(at, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, at)
	}
	fit := func(open shards.Format, paths []string, features ...string) (string, error) {
		r := lder.NewRegressor(lder.MethodSettings(lder.Refit))
		r.Features, r.Target = features, "y"
		if _, err := shards.Fit(t.Context(), r, &shards.Files{Paths: paths, Open: open}, shards.Options{}); err != nil {
			return "", err
		}
		var b strings.Builder
		_, err := r.WriteTo(&b)
		return b.String(), err
	}
	want, err := fit(cluster.OpenPart, texts, "a", "b", "c")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := fit(cluster.OpenPart, paths, "a", "b", "c"); err != nil || got != want {
		t.Errorf("another model, %v:\n%s\n%s", err, got, want)
	}
	for _, c := range []struct{ feature, want string }{{"note", "is no number"}, {"price", "write it as double"}, {"list", `no column "list"`}} {
		if _, err := fit(cluster.OpenPart, paths, "a", c.feature); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.feature, err)
		}
	}
	if _, err := fit(nil, paths, "a"); err == nil || !strings.Contains(err.Error(), "Parquet is read by the program dcopt-cluster") {
		t.Errorf("without the reader: %v", err)
	}
	whole, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{0, 3, 100, len(whole) / 2, len(whole) - 1} {
		at := filepath.Join(dir, "damaged.parquet")
		if err := os.WriteFile(at, whole[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(at)
		if err != nil {
			t.Fatal(err)
		}
		_, err = cluster.OpenPart(f, dataset.Options{})
		f.Close()
		if err == nil || !strings.Contains(err.Error(), "damaged.parquet: ") {
			t.Errorf("%d bytes of a file: %v", cut, err)
		}
	}
}
