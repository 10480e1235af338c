package dataset_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/lder/dataset"
)

// streamed reads all rows of a table by a Stream.
func streamed(text string, features []string, categories []dataset.Category, opt dataset.Options) (x [][]float64, lines []int, unknown int, err error) {
	s, err := dataset.OpenStream(strings.NewReader(text), "t.csv", opt)
	if err != nil {
		return nil, nil, 0, err
	}
	if err := s.Select(features, categories); err != nil {
		return nil, nil, 0, err
	}
	err = s.Each(3, func(b *dataset.Block) error {
		for _, row := range b.X {
			b.Out = strconv.AppendFloat(b.Out, row[0], 'g', -1, 64)
		}
		return nil
	}, func(b *dataset.Block) error {
		for i, row := range b.X {
			x, lines = append(x, append([]float64(nil), row...)), append(lines, b.Lines[i])
		}
		unknown += b.Unknown
		return nil
	})
	return x, lines, unknown, err
}

// same compares rows, NaN equal to NaN.
func same(a, b [][]float64) error {
	if len(a) != len(b) {
		return fmt.Errorf("%d rows, want %d", len(a), len(b))
	}
	for i := range a {
		for j, v := range a[i] {
			if v != b[i][j] && !(math.IsNaN(v) && math.IsNaN(b[i][j])) {
				return fmt.Errorf("row %d: %v, want %v", i, a[i], b[i])
			}
		}
	}
	return nil
}

// TestStreamIsTable: a stream gives what a table gives, whatever the numbers
// look like, with quotes and without, over many blocks.
func TestStreamIsTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	looks := []func(v float64) string{
		func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) },
		func(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) },
		func(v float64) string { return strconv.FormatFloat(v, 'e', 6, 64) },
		func(v float64) string { return fmt.Sprintf(" %.0f ", v) },
		func(v float64) string { return fmt.Sprintf("+%g", math.Abs(v)) },
		func(float64) string { return []string{"", "NA", "?", "nan", "-"}[rng.IntN(5)] },
		func(float64) string { return "123456789012345678901234567890" },
		func(float64) string { return "-.5" },
		func(float64) string { return "0.1000000000000000055511151231257827" },
	}
	for _, c := range []struct {
		rows  int
		quote float64 // share of quoted cells
		comma string
		end   string
	}{{5, 0, ",", "\n"}, {40000, 0, ";", "\r\n"}, {30000, 0, "\t", "\n"}, {20000, 1e-4, ",", "\n"}, {300, .3, ";", "\n"}} {
		var b strings.Builder
		b.WriteString("a" + c.comma + "\"b c\"" + c.comma + "text" + c.comma + "d" + c.end)
		for range c.rows {
			for j := range 4 {
				s := looks[rng.IntN(len(looks))](1e3 * rng.NormFloat64())
				if j == 2 {
					s = []string{"Ulm", "Bonn", "Köln", "Ulm " + s}[rng.IntN(4)]
				}
				if rng.Float64() < c.quote {
					s = `"` + s + `"`
				}
				if j > 0 {
					b.WriteString(c.comma)
				}
				b.WriteString(s)
			}
			b.WriteString(c.end)
			if rng.IntN(50) == 0 {
				b.WriteString(c.end)
			}
		}
		text := b.String()
		if c.rows == 5 {
			text = strings.TrimRight(text, "\n") // no newline at the end
		}
		features := []string{"d", "text=Bonn", "a", "text=Ulm", "b c"}
		categories := []dataset.Category{{Column: "text", Coding: dataset.OneHot, Levels: []string{"Bonn", "Ulm"}}}
		table, err := dataset.Read(strings.NewReader(text), "t.csv", dataset.Options{KeepText: true})
		if err != nil {
			t.Fatal(err)
		}
		want, unknown, err := table.Encode(features, categories)
		if err != nil {
			t.Fatal(err)
		}
		x, lines, got, err := streamed(text, features, categories, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := same(x, want); err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		if got != unknown || unknown == 0 && c.rows > 5 {
			t.Errorf("%+v: %d unknown words, want %d", c, got, unknown)
		}
		for i, l := range lines {
			if l != table.Lines[i] {
				t.Fatalf("%+v: row %d is at line %d, want %d", c, i, l, table.Lines[i])
			}
		}
	}
}

func TestStreamZipped(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, "\ufeffa,b\n1,2\n3,4\n")
	z.Close()
	x, _, _, err := streamed(b.String(), []string{"b"}, nil, dataset.Options{})
	if err != nil || same(x, [][]float64{{2}, {4}}) != nil {
		t.Errorf("%v, %v", x, err)
	}
	if _, _, _, err := streamed(b.String()[:b.Len()-9], []string{"b"}, nil, dataset.Options{}); err == nil {
		t.Error("a gzip file that breaks off is read")
	}
}

func TestStreamErrors(t *testing.T) {
	long := "a,b\n" + strings.Repeat("1,2\n", 200000)
	for _, c := range []struct{ text, want string }{
		{"", "t.csv: the file is empty"},
		{"a,b\n", "t.csv: there are no rows below the header"},
		{"1,2\n3,4\n", "t.csv:1:1: the first row is all numbers"},
		{"a,a\n", "both named"},
		{"a,c\n1,2\n", `no column "b"`},
		{"a,b\n1,2\n1,x\n", `t.csv:3:3: column "b" holds "x", which is no number`},
		{"a,b\n1,\"x\"\n", `t.csv:2:3: column "b" holds "x", which is no number`},
		{"a,b\n1,1e999\n", `t.csv:2:3: column "b" holds "1e999", which is not finite`},
		{"a;b\n1;2,5\n", "write decimals with a point"},
		{"a,b\n1,2\n\n3\n", "t.csv:4:1: the row has 1 fields, the header has 2"},
		{"a,b\n1,2,3\n", "the row has 3 fields, the header has 2"},
		{"a,b\n\"1\",2\n1,2,3\n", "t.csv:3:5: the row has 3 fields"},
		{"a,b\n1,2\n1,\"2\n", "t.csv:3:3: a quoted field begins in this row and does not end properly up to line 3"},
		{long + "1,x\n", `t.csv:200002:3: column "b" holds "x"`},
		{"PK\x03\x04", "zip archive"},
		{"a,\"b\n", "a quoted field"},
	} {
		_, _, _, err := streamed(c.text, []string{"a", "b"}, nil, dataset.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.20q: %v, want %s", c.text, err, c.want)
		}
	}
	s, err := dataset.OpenStream(strings.NewReader(long), "t.csv", dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Each(1, nil, nil); err == nil {
		t.Error("Each before Select")
	}
	if err := s.Select([]string{"a"}, nil); err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	if err := s.Each(2, func(*dataset.Block) error { return nil }, func(*dataset.Block) error { return stop }); err != stop {
		t.Errorf("%v, want stop", err)
	}
	if _, _, _, err := streamed("a,b\n1,2\n", []string{"a", "b"}, nil, dataset.Options{}); err != nil {
		t.Error(err)
	}
}

func TestDecimalComma(t *testing.T) {
	text := "a;b\n1,5;2\n-0,25;3.5\n"
	opt := dataset.Options{DecimalComma: true}
	table, err := dataset.Read(strings.NewReader(text), "t.csv", opt)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]float64{{1.5, 2}, {-.25, 3.5}}
	if x, err := table.Matrix([]string{"a", "b"}); err != nil || same(x, want) != nil {
		t.Errorf("%v, %v", x, err)
	}
	if x, _, _, err := streamed(text, []string{"a", "b"}, nil, opt); err != nil || same(x, want) != nil {
		t.Errorf("stream: %v, %v", x, err)
	}
}

func TestCategories(t *testing.T) {
	text := "town,kind,y,code\nUlm,x,1,1\nBonn,x,2,2\n,x,3,A\nUlm,x,4,2\n"
	table, err := dataset.Read(strings.NewReader(text), "t.csv", dataset.Options{KeepText: true})
	if err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	sel := dataset.DefaultSelection()
	sel.Text = dataset.Encode
	d, err := table.Supervised("y", sel)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(d.Features, " "); got != "town=Bonn town=Ulm code=1 code=2 code=A" || len(d.Notes) != 1 {
		t.Errorf("features %s, notes %q", got, d.Notes)
	}
	if err := same(d.X, [][]float64{{0, 1, 1, 0, 0}, {1, 0, 0, 1, 0}, {nan, nan, 0, 0, 1}, {0, 1, 0, 1, 0}}); err != nil {
		t.Error(err)
	}
	sel.Coding = dataset.Ordinal
	if d, err = table.Supervised("y", sel); err != nil {
		t.Fatal(err)
	}
	if err := same(d.X, [][]float64{{1, 0}, {0, 1}, {nan, 2}, {1, 1}}); err != nil {
		t.Error(err)
	}
	x, unknown, err := table.Encode(d.Features, []dataset.Category{{Column: "town", Coding: dataset.Ordinal, Levels: []string{"Ulm"}}, d.Categories[1]})
	if err != nil || unknown != 1 || same(x, [][]float64{{0, 0}, {nan, 1}, {nan, 2}, {0, 1}}) != nil {
		t.Errorf("%v, %d unknown, %v", x, unknown, err)
	}
	for _, c := range []struct {
		c    dataset.Category
		want string
	}{
		{dataset.Category{Column: "a", Levels: nil}, "no levels"},
		{dataset.Category{Column: "a", Levels: []string{"b", "a"}}, "not in order"},
		{dataset.Category{Column: "a", Levels: []string{"a"}, Coding: 9}, "unknown coding"},
	} {
		if err := c.c.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	for _, c := range []dataset.Coding{dataset.OneHot, dataset.Ordinal} {
		if g, err := dataset.ParseCoding(c.String()); err != nil || g != c {
			t.Errorf("%v, %v", g, err)
		}
	}
	clash, err := dataset.Read(strings.NewReader("town,town=Ulm,y\nUlm,1,1\nBonn,2,2\n"), "t.csv", dataset.Options{KeepText: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := clash.Supervised("y", dataset.Selection{Text: dataset.Encode}); err == nil || !strings.Contains(err.Error(), "cannot be coded") {
		t.Errorf("clash: %v", err)
	}
	var many strings.Builder
	many.WriteString("name,y\n")
	for k := range 200 {
		fmt.Fprintf(&many, "n%d,%d\n", k, k)
	}
	names, err := dataset.Read(strings.NewReader(many.String()), "t.csv", dataset.Options{KeepText: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := names.Supervised("y", dataset.Selection{Text: dataset.Encode}); err == nil || !strings.Contains(err.Error(), "200 different words") {
		t.Errorf("names: %v", err)
	}
}

func TestImputationStrategies(t *testing.T) {
	nan := math.NaN()
	x := [][]float64{{1, 5}, {nan, 5}, {2, nan}, {4, -1}, {9, -1}}
	for _, c := range []struct {
		s    dataset.Strategy
		fill []float64
	}{{dataset.Mean, []float64{4, 2}}, {dataset.Median, []float64{3, 2}}, {dataset.MostFrequent, []float64{1, -1}}, {dataset.Constant, []float64{7, 7}}} {
		im, err := dataset.FitImputerValue(x, c.s, 7)
		if err != nil || same([][]float64{im.Fill}, [][]float64{c.fill}) != nil {
			t.Errorf("%v: %v, %v", c.s, im, err)
		}
	}
	if _, err := dataset.FitImputerValue(x, dataset.Constant, nan); err == nil {
		t.Error("filled with NaN")
	}
	if dataset.Accuracy([]string{"a", "b", "c"}, []string{"a", "x", "c"}) != 2./3 {
		t.Error("accuracy")
	}
}
