package datafile

import (
	"fmt"
	"strings"
	"testing"
)

// TestLongCSV: a table that is read in blocks is the same, and a mistake in it has
// the number of its line.
func TestLongCSV(t *testing.T) {
	const rows = 100_000
	var b strings.Builder
	b.WriteString("one,two\n\n")
	for k := range rows {
		if k%1000 == 7 {
			b.WriteString(" \r\n")
		}
		fmt.Fprintf(&b, "%d,%d.25e0\r\n", 1000000+k, 2000000+k)
	}
	src := b.String()
	tab, err := readCSV(strings.NewReader(src), "t.csv", 1<<30)
	if err != nil || tab.Rows != rows || tab.Cols != 2 || len(tab.Num) != 2*rows {
		t.Fatalf("%+v, %v", tab, err)
	}
	for k := range rows {
		if tab.Num[2*k] != float64(1000000+k) || tab.Num[2*k+1] != float64(2000000+k)+0.25 {
			t.Fatalf("row %d is %v", k, tab.Num[2*k:2*k+2])
		}
	}
	tab, err = readCSV(strings.NewReader(src+"x,1\n"), "t.csv", 1<<30)
	if want := fmt.Sprintf("line %d column 1: \"x\" is not a number", strings.Count(src, "\n")+1); err != nil || tab.all() == nil || tab.all().Error() != want {
		t.Errorf("%v, %v, want %s", err, tab.all(), want)
	}
	if _, err := readCSV(strings.NewReader(src), "t.csv", rows); err == nil || err.Error() != fmt.Sprintf("more than %d numbers", rows) {
		t.Errorf("%v", err)
	}
}

// TestCSVWordsLong: words of a table that is read in blocks.
func TestCSVWordsLong(t *testing.T) {
	var b strings.Builder
	b.WriteString("a,b\n")
	words := []string{"one", "two", "three"}
	const rows = 60_000
	for k := range rows {
		b.WriteString(words[k%3] + ",1\r\n")
	}
	b.WriteString("last,1\n")
	got, err := readColumn(strings.NewReader(b.String()), "t.csv", 0)
	if err != nil || len(got) != rows+1 || got[rows] != "last" {
		t.Fatalf("%d cells, %v", len(got), err)
	}
	for k := range rows {
		if got[k] != words[k%3] {
			t.Fatalf("row %d is %q", k, got[k])
		}
	}
}
