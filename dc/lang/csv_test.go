package lang

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// sumOf compiles a problem with the sum of a table as its objective.
func sumOf(t *testing.T, table string, column string) (float64, error) {
	t.Helper()
	arg := ""
	if column != "" {
		arg = fmt.Sprintf(", \"%s\"", strings.ReplaceAll(column, `"`, `""`))
	}
	p, err := compileData(t, "param a = csv(\"t.csv\""+arg+")\nvar x\nminimize x + sum(a)\n", "t.csv", table)
	if err != nil {
		return 0, err
	}
	return p.Problem.Value([]float64{0}), nil
}

// TestCSVForms: csv() reads what fit reads.
func TestCSVForms(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte("a,b\n1,2\n3,4\n"))
	z.Close()
	for _, c := range []struct {
		table, column string
		want          float64
	}{
		{"1,2\n3,4\n", "", 10},
		{"\ufeff1;2\r\n\r\n3;4", "", 10},
		{"a\tb\n1\t2\n3\t4\n", "", 10},
		{"a,b\n\"1\",2\n3,\"4\"\n", "", 10},
		{"a,b,\n1,2,\n3,4,\n", "", 10}, // a separator at the ends of the lines
		{"1,2,\n3,4,\n", "", 10},
		{"1;2;;\n3;4;;\n", "", 10},
		{packed.String(), "", 10},
		{packed.String(), "b", 6},
		{"town,\"size, in km\",y\nUlm,1,NA\n\"two\nlines\",2,\nBonn,3,x\n", "size, in km", 6},
		{"2019,id,2020\n1,a,2\n3,b,4\n", "2020", 6},
		{"y\n1e3\n", "", 1000},
		{"1stFlr,area\n1,2\n", "1stFlr", 1},
		{"\"5\"\" pipe\",b\n1,2\n", `5" pipe`, 1},
	} {
		if got, err := sumOf(t, c.table, c.column); err != nil || got != c.want {
			t.Errorf("%q, %q: %g, %v, want %g", c.table, c.column, got, err, c.want)
		}
	}
}

// TestCSVRefusals: what is no number is told with its line and column, and a
// broken first row is not taken for a header.
func TestCSVRefusals(t *testing.T) {
	for _, c := range []struct{ table, column, want string }{
		{"1.5x,2.O\n3,4\n", "", `line 1 column 1: "1.5x" is not a number`},
		{"1,,2\n3,,4\n", "", `line 1 column 2: an empty cell is not a number`},
		{"1,NA\n3,NA\n", "", `line 1 column 2: "NA" is a missing value`},
		{",\n,\n", "", "no numbers"},
		{"1,2.5.1\n3,4\n", "", `line 1 column 2: "2.5.1" is not a number`},
		{"12a\n20\n", "", `line 1 column 1: "12a" is not a number`},
		{"1_000\n20\n", "", `line 1 column 1: "1_000" is not a number`},
		{"0x1p4\n20\n", "", `line 1 column 1: "0x1p4" is not a number`},
		{"x,2\n3,4\n", "", `line 1 column 1: "x" is not a number`},
		{"1,x,3\n4,5,6\n", "", `line 1 column 2: "x" is not a number`},
		{"1,,3\n4,5,6\n", "", `line 1 column 2: an empty cell is not a number`},
		{"NA,2\n3,4\n", "", `line 1 column 1: "NA" is a missing value`},
		{"inf\n3\n", "", `line 1 column 1: "inf" is not a finite number`},
		{"1\n1_000\n", "", `line 2 column 1: "1_000" is not a number`},
		{"1\n0x1p4\n", "", `line 2 column 1: "0x1p4" is not a number`},
		{"1\n1e999\n", "", `line 2 column 1: "1e999" is too large for a number`},
		{"a,b\n1,u\nv,2\n", "", `line 2 column 2: "u" is not a number`},
		{"a,b\n1,u\nv,2\n", "a", `line 3 column 1: "v" is not a number`},
		{"a,b\n1,\n", "b", `line 2 column 2: an empty cell is not a number`},
		{"a,b\n1,2\n3\n", "a", "line 3: the row has 1 fields, the header has 2"},
		{"1,2\n1,2,3\n", "", "line 2: the row has 3 fields, the first row has 2"},
		{"a,b\n1,\"2\n", "", "line 2: a quoted field begins in this row"},
		{"a,a\n1,2\n", "a", `has two columns "a"`},
		{"a,b\n", "", "it holds no numbers"},
		{"a,1\n", "1", "it holds no numbers"},
		{"", "", "it holds no numbers"},
		{"PK\x03\x04", "", "zip archive"},
		{"\xff\xfe1", "", "UTF-16"},
		{"\x1f\x8b..", "", "damaged gzip file"},
	} {
		if got, err := sumOf(t, c.table, c.column); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q, %q: %g, %v, want %q", c.table, c.column, got, err, c.want)
		}
	}
}

// TestSetTable: --set takes a table, also a compressed one.
func TestSetTable(t *testing.T) {
	f, err := Parse("p.dc", []byte("param a[2]\nvar x\nminimize x + sum(a)\n"))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte("1,2\n"))
	z.Close()
	for name, data := range map[string][]byte{"v.csv": []byte("1,2\n"), "v.csv.gz": packed.Bytes()} {
		p, err := Compile(t.Context(), f, Options{Set: map[string]string{"a": name}, FS: fstest.MapFS{name: &fstest.MapFile{Data: data}}})
		if err != nil || p.Problem.Value([]float64{0}) != 3 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
