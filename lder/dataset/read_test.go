package dataset_test

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/lder/dataset"
)

func read(t *testing.T, name, content string) *dataset.Table {
	t.Helper()
	tab, err := dataset.Read(strings.NewReader(content), name, dataset.Options{})
	if err != nil {
		t.Fatalf("%q: %v", content, err)
	}
	return tab
}

// sameValues compares with NaN equal to NaN.
func sameValues(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool {
		return x == y || math.IsNaN(x) && math.IsNaN(y)
	})
}

func TestReadForms(t *testing.T) {
	for _, c := range []struct{ what, name, content string }{
		{"comma", "f.csv", "a,b\n1,2\n3,-4.5e1\n"},
		{"no last line end", "f.csv", "a,b\n1,2\n3,-4.5e1"},
		{"CRLF", "f.csv", "a,b\r\n1,2\r\n3,-4.5e1\r\n"},
		{"byte order mark", "f.csv", "\ufeffa,b\n1,2\n3,-45\n"},
		{"byte order mark and quotes", "f.csv", "\ufeff\"a\",b\n1,2\n3,-45\n"},
		{"semicolon", "f.csv", "a;b\n1;2\n3;-45\n"},
		{"semicolon against commas in quotes", "f.csv", "\"a\";b\n1;\"2\"\n3;-45\n"},
		{"tab", "f.tsv", "a\tb\n1\t2\n3\t-45\n"},
		{"tab in a file of any name", "f.txt", "a\tb\n1\t2\n3\t-45\n"},
		{"comma in a file named .tsv", "f.tsv", "a,b\n1,2\n3,-45\n"},
		{"blank lines", "f.csv", "\n\na,b\n\n1,2\n   \n3,-45\n\n\n"},
		{"blanks around", "f.csv", " a , b\n 1, 2 \n3 ,\"-45\"\n"},
		{"quoted after a blank", "f.csv", "a, \"b\"\n1, \"2\"\n3, -45\n"},
		{"delimiter at every end", "f.csv", "a,b,\n1,2,\n3,-45,\n"},
	} {
		tab := read(t, c.name, c.content)
		if !slices.Equal(tab.Names(), []string{"a", "b"}) || tab.Rows() != 2 {
			t.Errorf("%s: columns %q, %d rows", c.what, tab.Names(), tab.Rows())
			continue
		}
		if a, b := tab.Columns[0].Values, tab.Columns[1].Values; !sameValues(a, []float64{1, 3}) || !sameValues(b, []float64{2, -45}) {
			t.Errorf("%s: values %v, %v", c.what, a, b)
		}
	}
}

func TestReadOptionComma(t *testing.T) {
	tab, err := dataset.Read(strings.NewReader("a|b\n1|2\n"), "f", dataset.Options{Comma: '|'})
	if err != nil || len(tab.Columns) != 2 {
		t.Fatalf("%v, %v", tab, err)
	}
	for _, r := range []rune{'"', '\n', '\r', -1, '\ufffd'} {
		if _, err := dataset.Read(strings.NewReader("a|b\n1|2\n"), "f", dataset.Options{Comma: r}); err == nil {
			t.Errorf("delimiter %q accepted", r)
		}
	}
}

func TestReadCells(t *testing.T) {
	tab := read(t, "f.csv", "v\n1\n\"\"\nNA\nna\nNaN\nnan\n?\nnull\nNULL\n-\nN/A\n +3 \n1e-400\n.5\n")
	want := []float64{1, math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), 3, 0, .5}
	c := tab.Columns[0]
	if !sameValues(c.Values, want) || c.Missing != 10 || c.IsText() || c.FirstInfinite != nil {
		t.Errorf("%+v", c)
	}
	if tab.Lines[1] != 3 || tab.Lines[13] != 15 {
		t.Errorf("lines %v", tab.Lines)
	}
	for _, s := range []string{"inf", "-Inf", "+infinity", "1e999", "-1e309"} {
		c := read(t, "f.csv", "u,v\n1,2\n3,"+s+"\n").Columns[1]
		if c.FirstInfinite == nil || *c.FirstInfinite != (dataset.Cell{Line: 3, Col: 3, Value: s}) {
			t.Errorf("%s: %+v", s, c)
		}
	}
	for _, s := range []string{"x", "0x1p-2", "1_000", "1 000", "--", "true", "1,5", "12:30", "+nan"} {
		c := read(t, "f.tsv", "u\tv\n1\t2\n3\t"+s+"\n4\tz\n").Columns[1]
		if !c.IsText() || c.Text != 2 || *c.FirstText != (dataset.Cell{Line: 3, Col: 3, Value: s}) {
			t.Errorf("%s: %+v", s, c)
		}
	}
}

func TestReadRefusals(t *testing.T) {
	for _, c := range []struct{ content, want string }{
		{"", "f.csv: the file is empty"},
		{"\n\n", "f.csv: the file is empty"},
		{"a,b\n", "f.csv: there are no rows"},
		{"a,b\n1,2\n1,2,3\n", "f.csv:3:5: the row has 3 fields, the header has 2"},
		{"a,b,c\n\n1,2\n", "f.csv:3:3: the row has 2 fields, the header has 3"},
		{"a,b,a\n1,2,3\n", `f.csv:1:5: columns 1 and 3 are both named "a"`},
		{"1,2\n3,4\n", "f.csv:1:1: the first row is all numbers"},
		{",a\n0,5\n", "f.csv:1:1: column 1 has no name"},
		{",\n,\n", "f.csv:1:1: no column has a name"},
		{"a,b\n1,2\n\"3,4\n5,6\n", "f.csv:3:1: a quoted field begins in this row and does not end properly"},
		{"a,b\n1,2\n\"3\"4,5\n", "f.csv:3:3: a quoted field that does not end"},
		{"a,b\n1,5\"\n", "f.csv:2:4: a quote inside an unquoted field"},
		{"a,\xff\n1,2\n", "f.csv:1:3: the name of column 2 is not UTF-8"},
		{"a,b\r1,2\r3,4", "f.csv:1:3: a carriage return in the header"},
		{"a,b\x00\n1,2", "f.csv:1:3: a zero byte"},
		{"\xff\xfea\x00", "f.csv: this is UTF-16"},
		{"PK\x03\x04...", "f.csv: this is a zip archive"},
		{"\x1f\x8bxx", "f.csv: damaged gzip file"},
	} {
		_, err := dataset.Read(strings.NewReader(c.content), "f.csv", dataset.Options{})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.content, err, c.want)
		}
	}
	var located *dataset.Error
	_, err := dataset.Read(strings.NewReader("a,b\n1\n"), "f.csv", dataset.Options{})
	if !errors.As(err, &located) || located.Line != 2 || located.Col != 1 || located.File != "f.csv" {
		t.Errorf("%#v", err)
	}
}

func zipped(s string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(s))
	z.Close()
	return b.Bytes()
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	packed := zipped("a\tb\n1\t2\n")
	for name, content := range map[string][]byte{"p.csv": []byte("a,b\n1,2\n"), "z.tsv.gz": packed, "cut.tsv.gz": packed[:len(packed)-6]} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"p.csv", "z.tsv.gz"} {
		tab, err := dataset.ReadFile(filepath.Join(dir, name), dataset.Options{})
		if err != nil || tab.Rows() != 1 || !slices.Equal(tab.Names(), []string{"a", "b"}) {
			t.Errorf("%s: %v, %v", name, tab, err)
		}
	}
	if _, err := dataset.ReadFile(filepath.Join(dir, "cut.tsv.gz"), dataset.Options{}); err == nil || !strings.Contains(err.Error(), "damaged gzip") {
		t.Errorf("truncated file: %v", err)
	}
	if _, err := dataset.ReadFile(filepath.Join(dir, "none.csv"), dataset.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := dataset.ReadFile(dir, dataset.Options{}); err == nil {
		t.Error("a folder was read")
	}
}

// FuzzRead: whatever is read is rectangular, finite and named, and reads the
// same once written.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n", "a;b\n1,5;NA\n", "\ufeffa\tb\r\n1\t\"2\"\r\n", "a,b,\n1,inf,\n", "\"x\"\"y\",b\n\n1,\n", "a\n\"\"\n", "a,b\r1,2"} {
		f.Add([]byte(s), "f.csv")
		f.Add(zipped(s), "f.tsv.gz")
	}
	f.Fuzz(func(t *testing.T, raw []byte, name string) {
		tab, err := dataset.Read(bytes.NewReader(raw), name, dataset.Options{})
		if err != nil {
			return
		}
		if tab.Rows() == 0 || len(tab.Columns) == 0 {
			t.Fatalf("%d rows, %d columns", tab.Rows(), len(tab.Columns))
		}
		if !slices.IsSorted(tab.Lines) {
			t.Fatalf("lines %v", tab.Lines)
		}
		var out bytes.Buffer
		w := csv.NewWriter(&out)
		w.Write(tab.Names())
		rec := make([]string, len(tab.Columns))
		for i := range tab.Rows() {
			for j, c := range tab.Columns {
				if len(c.Values) != tab.Rows() || math.IsInf(c.Values[i], 0) {
					t.Fatalf("column %d: %v", j, c.Values)
				}
				rec[j] = strconv.FormatFloat(c.Values[i], 'g', -1, 64)
			}
			w.Write(rec)
		}
		w.Flush()
		again, err := dataset.Read(&out, "again", dataset.Options{Comma: ','})
		if err != nil {
			t.Fatalf("written and read: %v", err)
		}
		if !slices.Equal(again.Names(), tab.Names()) {
			t.Fatalf("names %q became %q", tab.Names(), again.Names())
		}
		for j := range tab.Columns {
			if !sameValues(tab.Columns[j].Values, again.Columns[j].Values) {
				t.Fatalf("column %d: %v became %v", j, tab.Columns[j].Values, again.Columns[j].Values)
			}
		}
		for _, name := range tab.Names() {
			if c, err := tab.Column(name); err != nil || c.Name != name {
				t.Fatalf("column %q: %v", name, err)
			}
			_, _ = tab.Supervised(name, dataset.DefaultSelection())
		}
	})
}
