package dataset

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/internal/table"
)

// TestLongTable crosses the ends of blocks and of chunks, with quotes late, early
// and never.
func TestLongTable(t *testing.T) {
	const rows = 8*chunkLen + 77
	rng := rand.New(rand.NewPCG(5, 9))
	words := []string{"1.5", "-0.25", "7", "", "NA", "1e-3", "0.1000000000000000055"}
	for _, quoted := range shared.Sample(t, 2, []int{-1, 5, rows - 5}) {
		var b bytes.Buffer
		var want [][3]string
		b.WriteString("a,b,kind\n")
		for i := range rows {
			row := [3]string{words[rng.IntN(len(words))], words[rng.IntN(len(words))], "Ulm"}
			kind := row[2]
			if i == quoted {
				row[2], kind = "two\nlines", "\"two\nlines\""
			}
			b.WriteString(row[0] + "," + row[1] + "," + kind + "\n")
			want = append(want, row)
		}
		tab, err := Read(&b, "t.csv", Options{KeepText: true})
		if err != nil || tab.Rows() != rows {
			t.Fatalf("%v", err)
		}
		for i, row := range want {
			line := i + 2
			if quoted >= 0 && i > quoted {
				line++
			}
			if tab.Lines[i] != line {
				t.Fatalf("row %d is at line %d, want %d", i, tab.Lines[i], line)
			}
			for j, cell := range row {
				v, kind := table.Classify(cell, false)
				if c := &tab.Columns[j]; c.Cells[i] != cell || c.Values[i] != v && kind == table.Number || math.IsNaN(c.Values[i]) != (kind != table.Number) {
					t.Fatalf("row %d, column %d is %q and %g, want %q", i, j, c.Cells[i], c.Values[i], cell)
				}
			}
		}
	}
}

type failing struct{ after io.Reader }

var errBroken = errors.New("broken")

func (f failing) Read(p []byte) (int, error) {
	if n, err := f.after.Read(p); err == nil {
		return n, nil
	}
	return 0, errBroken
}

func TestReadPassesErrorsOn(t *testing.T) {
	for _, text := range []string{"", "a,b\n1,2\n", "a,b\n1,2\n" + strings.Repeat("3,4\n", 1<<18), "a,b\n\"1\",2\n"} {
		if _, err := Read(failing{strings.NewReader(text)}, "t.csv", Options{}); !errors.Is(err, errBroken) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

// TestTake: the same by columns, without a copy.
func TestTake(t *testing.T) {
	const text = "a,y,b,kind,c\n1,10,,Ulm,5\n2,,7,Bonn,6\n?,30,8,Bonn,7\n4,40,9,Ulm,8\n5,50,1,,9\n"
	for _, target := range []string{"y", "c"} { // with and without a gap
		sel := DefaultSelection()
		sel.Text, sel.Exclude = Encode, []string{map[string]string{"y": "c", "c": "y"}[target]}
		read := func() *Table {
			tab, err := Read(strings.NewReader(text), "t.csv", Options{KeepText: true})
			if err != nil {
				t.Fatal(err)
			}
			return tab
		}
		want, err := read().Supervised(target, sel)
		if err != nil {
			t.Fatal(err)
		}
		tab := read()
		own := &tab.Columns[0].Values[0]
		got, err := tab.Take(target, sel)
		if err != nil {
			t.Fatal(err)
		}
		if got.X != nil || &got.Columns[0][0] != own {
			t.Error("a copy was made")
		}
		for i, row := range want.X {
			for j, v := range row {
				if u := got.Columns[j][i]; u != v && !(math.IsNaN(u) && math.IsNaN(v)) {
					t.Errorf("row %d of feature %s is %g, want %g", i, got.Features[j], u, v)
				}
			}
		}
		for _, column := range got.Columns {
			if len(column) != len(want.X) {
				t.Errorf("%d rows, want %d", len(column), len(want.X))
			}
		}
		got.Columns, want.X = nil, nil
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	tab, err := Read(strings.NewReader(text), "t.csv", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tab.Take("kind", DefaultSelection()); err == nil {
		t.Error("words were taken for a target")
	}
	if v, err := tab.Numbers("c"); err != nil || !slices.Equal(v, []float64{5, 6, 7, 8, 9}) {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := tab.Numbers("kind"); err == nil {
		t.Error("words were taken for numbers")
	}
}
