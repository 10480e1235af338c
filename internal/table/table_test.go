package table

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// result is a table as rows of texts.
type result struct {
	cells  [][]string
	values [][]float64
	lines  []int
}

// readAll reads all rows below the first.
func readAll(raw string, opt Options, workers int) (*result, error) {
	r, err := Open(strings.NewReader(raw), opt)
	if err != nil {
		return nil, err
	}
	r.Skip()
	n := len(r.First)
	r.Want(slices.Repeat([]Mode{Numbers | Texts}, n))
	out := &result{}
	return out, r.Each(workers, nil, func(b *Block) error {
		for i := range b.Rows {
			var row []string
			for _, c := range b.Texts[i*n : (i+1)*n] {
				row = append(row, string(c))
			}
			out.cells = append(out.cells, row)
			out.values = append(out.values, slices.Clone(b.Values[i*n:(i+1)*n]))
		}
		out.lines = append(out.lines, b.Lines...)
		return nil
	})
}

// viaCSV is readAll by encoding/csv.
func viaCSV(raw string, comma rune) (*result, error) {
	c := csv.NewReader(strings.NewReader(strings.TrimPrefix(raw, byteOrderMark)))
	c.Comma, c.FieldsPerRecord, c.TrimLeadingSpace = comma, -1, comma == ',' || comma == ';'
	out := &result{}
	rawLines := strings.Split(raw, "\n")
	n := 0
	for {
		rec, err := c.Read()
		if err == io.EOF {
			return out, nil
		}
		var pe *csv.ParseError
		if errors.As(err, &pe) {
			return out, &Error{Line: pe.StartLine}
		}
		line, _ := c.FieldPos(0)
		blank := len(rec) == 1 && strings.TrimSpace(rawLines[line-1]) == "" // "" is a cell
		switch {
		case n == 0 && blank, n > 1 && blank:
			continue
		case n == 0:
			n = len(rec)
			continue
		case len(rec) != n:
			line, col := c.FieldPos(min(len(rec)-1, n))
			return out, &Error{Line: line, Col: col, Msg: fmt.Sprintf("the row has %d fields, the header has %d", len(rec), n)}
		}
		var values []float64
		for j := range rec {
			rec[j] = strings.TrimSpace(rec[j])
			v, _ := Classify(rec[j], false)
			values = append(values, v)
		}
		out.cells, out.values, out.lines = append(out.cells, rec), append(out.values, values), append(out.lines, line)
	}
}

func bitsEqual(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y })
}

// TestIsCSV: rows and cells are those of encoding/csv, with their values, places
// and complaints, whatever stands in the table.
func TestIsCSV(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 7))
	pieces := []string{",", ",", ",", ",", ";", "\t", "\n", "\n", "\r\n", "\r", `"`, `""`, "\"a\nb\"", `"x,y"`, ` "q"`, "1", "-2.50", "3e4", "12345678901234567890", "x", "inf", " ", "\u00a0", "\u3000", "NA", "\xff", "|", "é", ".", "-", "0x1"}
	good, bad := 0, 0
	for range 8000 {
		var b strings.Builder
		comma := []rune(",;\t|é")[rng.IntN(5)]
		fields := 1 + rng.IntN(3)
		b.WriteString(strings.Repeat("h"+string(comma), fields-1) + "h\n")
		for range rng.IntN(6) {
			if rng.IntN(3) > 0 { // a row that has a chance
				for j := range fields {
					if j > 0 {
						b.WriteString(string(comma))
					}
					b.WriteString(pieces[12+rng.IntN(len(pieces)-12)])
				}
				b.WriteString(pieces[6+rng.IntN(3)])
				continue
			}
			for range rng.IntN(8) {
				b.WriteString(pieces[rng.IntN(len(pieces))])
			}
		}
		text := b.String()
		got, errA := readAll(text, Options{Comma: comma}, 1)
		want, errB := viaCSV(text, comma)
		switch {
		case (errA == nil) != (errB == nil):
			t.Fatalf("%q with %q: %v; by encoding/csv %v", text, comma, errA, errB)
		case errA != nil:
			a, b := errA.(*Error), errB.(*Error)
			// Where encoding/csv trims a line end, its column is behind it.
			if b.Msg != "" && (a.Line != b.Line || a.Msg != b.Msg) || b.Msg == "" && a.Line < b.Line {
				t.Fatalf("%q with %q: %+v; by encoding/csv %+v", text, comma, a, b)
			}
			bad++
			continue
		case !slices.Equal(got.lines, want.lines) || !slices.EqualFunc(got.cells, want.cells, slices.Equal[[]string]) || !slices.EqualFunc(got.values, want.values, bitsEqual):
			t.Fatalf("%q with %q: %+v; by encoding/csv %+v", text, comma, got, want)
		}
		good++
	}
	if good < 1000 || bad < 1000 {
		t.Errorf("%d tables could be read, %d not", good, bad)
	}
}

// TestBlocks: where blocks end and how many goroutines read changes nothing.
func TestBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	var b strings.Builder
	b.WriteString("a;b;c\n")
	words := []string{"1", "2.5", "", "x", "\"two\nlines; and \"\"quotes\"\"\"", `"7"`, "-1e-5", "99999999999999999999"}
	for b.Len() < 2*blockBytes {
		b.WriteString(words[rng.IntN(len(words))] + ";" + words[rng.IntN(len(words))] + ";" + words[rng.IntN(len(words))] + []string{"\n", "\r\n"}[rng.IntN(2)])
	}
	text := b.String()
	want, err := viaCSV(text, ';')
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{0, 1, runtime.GOMAXPROCS(0), 7} {
		got, err := readAll(text, Options{}, workers)
		if err != nil || !slices.Equal(got.lines, want.lines) || !slices.EqualFunc(got.values, want.values, bitsEqual) || !slices.EqualFunc(got.cells, want.cells, slices.Equal[[]string]) {
			t.Fatalf("%d goroutines: %v", workers, err)
		}
	}
	for _, c := range []struct{ add, want string }{
		{"1;\"open", "line %d: a quoted field begins in this row"},
		{"1;5\";3\n1;2;3\n", "line %d: a quote inside an unquoted field"},
		{"1;2\n", "line %d: the row has 2 fields, the header has 3"},
	} {
		line := 1 + strings.Count(text, "\n")
		if _, err := readAll(text+c.add+strings.Repeat("1;2;3\n", blockBytes/4), Options{}, 3); err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf(c.want, line)) {
			t.Errorf("%q: %v, want %s", c.add, err, fmt.Sprintf(c.want, line))
		}
	}
	stop := errors.New("stop")
	r, err := Open(strings.NewReader(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Each(3, func(b *Block) error { return stop }, func(*Block) error { return nil }); err != stop {
		t.Errorf("%v, want stop", err)
	}
}

// TestEndlessQuote: a quoted cell that does not end does not fill the memory.
func TestEndlessQuote(t *testing.T) {
	endless := io.MultiReader(strings.NewReader("a,b\n1,2\n3,\""), repeating("4,5\n"))
	r, err := Open(endless, Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = r.Each(1, nil, func(*Block) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "does a quoted cell not end?") {
		t.Errorf("%v", err)
	}
}

type repeating string

func (r repeating) Read(p []byte) (int, error) {
	for k := range p {
		p[k] = r[k%len(r)]
	}
	return len(p), nil
}

// TestHeadOf: one rule tells a header.
func TestHeadOf(t *testing.T) {
	for _, c := range []struct {
		row  string
		want Head
	}{
		{"a,b", Header}, {"a,", Header}, {"a,NA", Header}, {"1stFlr,area", Header}, {"a b", Header}, {`"x"`, Header}, {"é", Header}, {"-x,+y", Header}, {".a", Header}, {"a,inf", Header}, {"_", Header}, {"--", Header},
		{"1,2", Data}, {"1,", Data}, {",", Data}, {"NA,?", Data}, {"inf", Data}, {"1e999", Data}, {`"1","2"`, Data}, {" 1 ", Data},
		{"1.2.3,4x", Data}, {"0x10", Data}, {"1_000", Data}, {"1;5", Data}, {"-.5x", Data}, {"+1a", Data}, {"12:30", Data}, {"$5,1", Mixed},
		{"a,1", Mixed}, {"1,x,3", Mixed}, {"id,2019,2020", Mixed},
	} {
		r, err := Open(strings.NewReader(c.row+"\n1,2\n"), Options{Comma: ','})
		if err != nil {
			t.Fatal(err)
		}
		if got := HeadOf(r.First); got != c.want {
			t.Errorf("%s is %d, want %d", c.row, got, c.want)
		}
	}
}

// TestNoHeader: without Skip the first row is data.
func TestNoHeader(t *testing.T) {
	for _, text := range []string{"1,2\n3,4\n", "\n\n1,2\n3,4", "\ufeff1,2\r\n3,4\r\n", string(zip("1,2\n3,4\n"))} {
		r, err := Open(strings.NewReader(text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		if err := r.Each(1, nil, func(b *Block) error { got = append(got, b.Values...); return nil }); err != nil || !slices.Equal(got, []float64{1, 2, 3, 4}) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	r, err := Open(strings.NewReader(" \n\n"), Options{})
	if err != nil || r.First != nil {
		t.Errorf("blank: %v, %v", r.First, err)
	}
	if err := r.Each(1, nil, func(*Block) error { return nil }); err != nil {
		t.Error(err)
	}
}

func zip(s string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(s))
	z.Close()
	return b.Bytes()
}

// FuzzTable: nothing panics, and what is read is rectangular.
func FuzzTable(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n", "1;2\n", "\ufeff\"a\"\t b\r\n", "a,\"b\n\"\n1,\"2\"\"\"\n", "\"", "a\n\"", "é|1"} {
		f.Add(s, int32(0))
	}
	f.Fuzz(func(t *testing.T, text string, comma int32) {
		got, err := readAll(text, Options{Comma: comma}, 2)
		if err != nil {
			return
		}
		if !slices.IsSorted(got.lines) || len(got.cells) != len(got.lines) {
			t.Errorf("%d rows on lines %v", len(got.cells), got.lines)
		}
	})
}
