package lang

import (
	"fmt"
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
