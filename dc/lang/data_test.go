package lang

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestLongTables: a table that is read in pieces is the same, and a mistake in it
// has the number of its line.
func TestLongTables(t *testing.T) {
	const rows = 3 * chunkSize / 20
	var b strings.Builder
	b.WriteString("one,two\n\n")
	for k := range rows {
		if k%1000 == 7 {
			b.WriteString(" \r\n")
		}
		fmt.Fprintf(&b, "%d,%d.25e0\r\n", 1000000+k, 2000000+k)
	}
	src := b.String()
	tab, err := parseCSV(src, 1<<30)
	if err != nil || tab.rows != rows || tab.cols != 2 || len(tab.num) != 2*rows || len(chunks(src, 1)) < 3 {
		t.Fatalf("%d × %d, %v", tab.rows, tab.cols, err)
	}
	for k := range rows {
		if tab.num[2*k] != float64(1000000+k) || tab.num[2*k+1] != float64(2000000+k)+0.25 {
			t.Fatalf("row %d is %v", k, tab.num[2*k:2*k+2])
		}
	}
	lines := strings.Count(src, "\n")
	for bad, want := range map[string]string{
		src + "x,1\n":             fmt.Sprintf("line %d column 1", lines+1),
		src + "1,2,3":             fmt.Sprintf("line %d: it has 3 columns, the lines before it 2", lines+1),
		src + "1,2,3\n" + src[9:]: fmt.Sprintf("line %d: it has 3 columns", lines+1),
	} {
		if _, err := parseCSV(bad, 1<<30); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := parseCSV(src, rows); err == nil || err.Error() != fmt.Sprintf("more than %d numbers", rows) {
		t.Errorf("error %v", err)
	}
}

// TestNumbers: numbers are what strconv makes of them, or are left to it.
func TestNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	left, all := 0, 0
	check := func(s string, common bool) {
		t.Helper()
		want, err := strconv.ParseFloat(s, 64)
		got, n, ok := scanNumber(s + ",7")
		switch all++; {
		case !ok:
			left++
			if common {
				t.Errorf("%q is left to strconv", s)
			}
		case err != nil || n != len(s) || math.Float64bits(got) != math.Float64bits(want):
			t.Fatalf("%q is %g, %d bytes; strconv says %g, %v", s, got, n, want, err)
		}
	}
	for range 200000 {
		x := rng.NormFloat64() * math.Pow(10, float64(rng.IntN(9)-5))
		check(strconv.FormatFloat(x, 'g', -1, 64), math.Abs(x) > 1e-9)
		check(strconv.FormatFloat(x, 'f', rng.IntN(12), 64), true)
		check(strconv.FormatFloat(x, 'e', 18, 64), math.Abs(x) > 1e-9 && math.Abs(x) < 1e9)
		m, e := rng.Uint64()>>rng.IntN(64), rng.IntN(60)-40
		check(fmt.Sprintf("%de%d", m, e), false)
		// Halfway between two numbers, and just beside it.
		half := strconv.FormatUint(1<<53+2*(rng.Uint64()>>12)+1, 10)
		check(half, true)
		check(half+".00", true)
		check(half[:3]+"."+half[3:], true)
	}
	for _, s := range []string{"0", "-0", "+0.0", "00.10", "5.", ".5", "-.25", "1E3", "1e+03", "1e22", "0e999", "123456789012345678", "0.000000000000000000000000001", "9007199254740993", "18446744073709551615", "1.7976931348623157e308", "5e-324", "12345678901234567890123"} {
		check(s, false)
	}
	for _, s := range []string{"", "-", ".", "e5", "1e", "1e+", "inf", "nan", "x", "- 1", "--1"} {
		if v, _, ok := scanNumber(s); ok {
			t.Errorf("%q is taken for %g", s, v)
		}
	}
	for s, length := range map[string]int{"1_000": 1, "0x10": 1, "1.5.2": 3, "2 3": 1, "1e5e": 3} {
		if _, n, ok := scanNumber(s); ok && n != length {
			t.Errorf("of %q %d bytes are read", s, n)
		}
	}
	if left > all/5 {
		t.Errorf("%d of %d are left to strconv", left, all)
	}
}

// TestQuickRows: a line that is read the quick way is what the careful way makes
// of it.
func TestQuickRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	pieces := []string{"1", "-2.5", "3e2", "0.001", ",", ",", ",", ",", " ", "\r", "\t", "x", "", ".", "1e400", "12345678901234567890", "+7", "inf", `"`, "1 2"}
	quick, left := 0, 0
	for range 200000 {
		var b strings.Builder
		for range rng.IntN(9) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		line := b.String()
		src := line + []string{"", "\n", "\r\n", "\n5,6"}[rng.IntN(4)]
		cols := 1 + rng.IntN(3)
		fast, slow := table{cols: cols}, table{cols: cols}
		rest, after := src, src
		if !fast.quickRow(&rest, ',') {
			if left++; rest != src || len(fast.num) > 0 || fast.rows > 0 {
				t.Fatalf("%q: something was done", src)
			}
			continue
		}
		quick++
		if err := slow.addRow(slow.nextLine(&after), ',', 1); err != nil || rest != after || fast.rows != 1 || !slices.Equal(fast.num, slow.num) {
			t.Fatalf("%q is %v, want %v (%v)", src, fast.num, slow.num, err)
		}
	}
	if quick < 1000 || left < 1000 {
		t.Errorf("%d lines were read the quick way, %d were not", quick, left)
	}
}
