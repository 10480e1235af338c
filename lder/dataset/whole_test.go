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
)

// viaCSV is Read with encoding/csv for every row.
func viaCSV(raw []byte, name string, opt Options) (*Table, error) {
	s, err := OpenStream(bytes.NewReader(raw), name, opt)
	if err != nil {
		return nil, err
	}
	s.quoted = newCSV(io.MultiReader(bytes.NewReader(s.rest), s.r), s.comma)
	s.offset = s.line - 1
	w := newWhole(s)
	if err := w.rows(); err != nil {
		return nil, err
	}
	t := w.finish()
	return t, t.dropUnnamed(s.heads)
}

// sameTable compares what two ways of reading give.
func sameTable(t *testing.T, what string, a, b *Table, errA, errB error) {
	t.Helper()
	if errA != nil || errB != nil {
		if errA == nil || errB == nil || errA.Error() != errB.Error() {
			t.Fatalf("%q: %v; by encoding/csv %v", what, errA, errB)
		}
		return
	}
	if !slices.Equal(a.Lines, b.Lines) || !slices.Equal(a.Notes, b.Notes) || len(a.Columns) != len(b.Columns) {
		t.Fatalf("%q: lines %v, notes %q; by encoding/csv %v, %q", what, a.Lines, a.Notes, b.Lines, b.Notes)
	}
	for j := range a.Columns {
		c, d := a.Columns[j], b.Columns[j]
		for i, v := range c.Values {
			if math.Float64bits(v) != math.Float64bits(d.Values[i]) {
				t.Fatalf("%q: column %d holds %v; by encoding/csv %v", what, j, c.Values, d.Values)
			}
		}
		if c.Values, d.Values = nil, nil; !reflect.DeepEqual(c, d) {
			t.Fatalf("%q: %+v; by encoding/csv %+v", what, c, d)
		}
	}
}

// TestLinesAreCSV: rows cut at line ends and delimiters are those of
// encoding/csv, with their values, places and complaints.
func TestLinesAreCSV(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 7))
	pieces := []string{",", ",", ",", ",", ";", "\t", "\n", "\n", "\r\n", "\r", "1", "-2.50", "3e4", "12345678901234567890", "x", "inf", " ", "\u00a0", "\u3000", "NA", "\xff", "|", "é", ".", "-", "0x1"}
	heads := []string{"a,b,c\n", "a,b,\n", "a\n", "a;b\r\n", "\na\tb\n", "a|b|c\n", "\ufeffaéb\n"}
	good := 0
	for range 4000 {
		var b strings.Builder
		head := heads[rng.IntN(len(heads))]
		b.WriteString(head)
		fields := 1 + strings.Count(head, ",")
		for range rng.IntN(6) {
			if rng.IntN(3) > 0 { // a row that has a chance
				for j := range fields {
					if j > 0 {
						b.WriteString(",")
					}
					b.WriteString(pieces[10+rng.IntN(len(pieces)-10)])
				}
				b.WriteString(pieces[6+rng.IntN(3)])
				continue
			}
			for range rng.IntN(8) {
				b.WriteString(pieces[rng.IntN(len(pieces))])
			}
		}
		opt := Options{KeepText: rng.IntN(2) == 0, DecimalComma: rng.IntN(4) == 0}
		switch {
		case strings.Contains(head, "|"):
			opt.Comma = '|'
		case strings.Contains(head, "é"):
			opt.Comma = 'é'
		}
		text := b.String()
		got, errA := Read(strings.NewReader(text), "t.csv", opt)
		want, errB := viaCSV([]byte(text), "t.csv", opt)
		sameTable(t, text, got, want, errA, errB)
		if errA == nil {
			good++
		}
	}
	if good < 400 {
		t.Errorf("only %d of the tables could be read", good)
	}
}

// TestLongTable crosses the ends of blocks and of chunks, with quotes late, early
// and never.
func TestLongTable(t *testing.T) {
	const rows = 2*chunkLen + 77
	rng := rand.New(rand.NewPCG(5, 9))
	words := []string{"1.5", "-0.25", "7", "", "NA", "1e-3", "0.1000000000000000055"}
	for _, quoted := range []int{-1, 5, rows - 5} {
		var b bytes.Buffer
		b.WriteString("a,b,kind\n")
		for i := range rows {
			b.WriteString(words[rng.IntN(len(words))] + "," + words[rng.IntN(len(words))] + ",")
			if i == quoted {
				b.WriteString("\"two\nlines\"\n")
			} else {
				b.WriteString("Ulm\n")
			}
		}
		opt := Options{KeepText: true}
		got, errA := Read(bytes.NewReader(b.Bytes()), "t.csv", opt)
		want, errB := viaCSV(b.Bytes(), "t.csv", opt)
		sameTable(t, "long", got, want, errA, errB)
		if errA != nil || got.Rows() != rows {
			t.Fatalf("%v, %d rows", errA, got.Rows())
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
	for _, text := range []string{"", "a,b\n1,2\n", "a,b\n1,2\n" + strings.Repeat("3,4\n", blockBytes/3), "a,b\n\"1\",2\n"} {
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
