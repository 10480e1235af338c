package dataset_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/lder/dataset"
)

const houses = `rooms,city,year,price,area,void
3,Berlin,2000,10,70,
4,Bonn,2000,,80,
?,Berlin,2000,12,90,
5,Ulm,2001,NA,90,
2,Ulm,2000,9,50,
`

func TestSupervised(t *testing.T) {
	tab := read(t, "h.csv", houses)
	sel := dataset.DefaultSelection()
	sel.Text = dataset.Drop
	d, err := tab.Supervised("price", sel)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.Features, []string{"rooms", "area"}) || d.Target != "price" {
		t.Errorf("features %q", d.Features)
	}
	if !slices.Equal(d.Y, []float64{10, 12, 9}) || !slices.Equal(d.Lines, []int{2, 4, 6}) {
		t.Errorf("y %v, lines %v", d.Y, d.Lines)
	}
	for i, want := range [][]float64{{3, 70}, {math.NaN(), 90}, {2, 50}} {
		if !sameValues(d.X[i], want) {
			t.Errorf("row %d is %v, want %v", i, d.X[i], want)
		}
	}
	// The year varies only in a row that has no price.
	want := []string{
		`2 rows without a value of the target "price" left out (first at line 3)`,
		`column "city" is text ("Berlin" at line 2) and is left out`,
		`column "year" is constant (2000) and is left out`,
		`column "void" has no values and is left out`,
	}
	if !slices.Equal(d.Notes, want) {
		t.Errorf("notes %q", d.Notes)
	}
}

func TestSupervisedRefusals(t *testing.T) {
	keep := dataset.Selection{Text: dataset.Drop, Constant: dataset.Refuse}
	drop := dataset.Selection{Text: dataset.Drop, Constant: dataset.Drop}
	for _, c := range []struct {
		content, target string
		sel             dataset.Selection
		want            string
	}{
		{houses, "prise", drop, `h.csv: no column "prise"; did you mean "price"?; the columns are rooms, city, year, price, area, void`},
		{houses, "PRICE", drop, `did you mean "price"`},
		{houses, "weather", drop, `h.csv: no column "weather"; the columns are rooms, city`},
		{houses, "city", drop, `h.csv:2:3: column "city" holds "Berlin", which is no number; leave`},
		{houses, "void", drop, `no row has a value of the target "void"`},
		{houses, "price", dataset.DefaultSelection(), `h.csv:2:3: column "city" holds "Berlin"`},
		{houses, "price", keep, `h.csv: column "year" is constant (2000); leave it out`},
		{houses, "price", dataset.Selection{Features: []string{"city"}, Text: dataset.Drop}, `h.csv:2:3: column "city"`},
		{houses, "price", dataset.Selection{Features: []string{"rooms", "price"}}, `the target "price" cannot be a feature`},
		{houses, "price", dataset.Selection{Features: []string{"rooms", "rooms"}}, `"rooms" is named twice`},
		{houses, "price", dataset.Selection{Exclude: []string{"aera"}}, `did you mean "area"`},
		{houses, "price", dataset.Selection{Exclude: []string{"price"}}, `the target "price" cannot be left out`},
		{houses, "price", dataset.Selection{Features: []string{}}, "no column is left"},
		{"x,y\n1,2\ninf,3\n", "y", drop, `h.csv:3:1: column "x" holds "inf", which is not finite`},
		{"x,y\n1,2\n2,1e999\n", "y", drop, `h.csv:3:3: column "y" holds "1e999"`},
		{"x,y\n1,2\n2o,3\n4,5\n", "y", dataset.DefaultSelection(), `h.csv:3:1: column "x" holds "2o", which is no number (1 of 3 cells are none); correct it`},
		{"x;y\n1,5;2\n2,5;3\n", "y", dataset.DefaultSelection(), `holds "1,5", which is no number; write decimals with a point`},
	} {
		_, err := read(t, "h.csv", c.content).Supervised(c.target, c.sel)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

func TestMatrixMatchesByName(t *testing.T) {
	tab := read(t, "h.csv", houses)
	x, err := tab.Matrix([]string{"area", "rooms"})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]float64{{70, 3}, {80, 4}, {90, math.NaN()}, {90, 5}, {50, 2}}
	for i := range want {
		if !sameValues(x[i], want[i]) {
			t.Errorf("row %d is %v", i, x[i])
		}
	}
	for _, c := range []struct{ name, want string }{
		{"romos", `no column "romos"; did you mean "rooms"?`},
		{"city", `h.csv:2:3: column "city" holds "Berlin"`},
	} {
		if _, err := tab.Matrix([]string{"area", c.name}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

func TestMessagesStayShort(t *testing.T) {
	var header, row strings.Builder
	for j := range 3000 {
		header.WriteString("x" + strings.Repeat("1", 1+j%7) + string(rune('a'+j/7%26)) + string(rune('a'+j/182)) + ",")
		row.WriteString(strings.Repeat("w", 500) + ",")
	}
	tab := read(t, "h.csv", header.String()+"y\n"+row.String()+"1\n")
	if _, err := tab.Column("nothing"); err == nil || len(err.Error()) > 500 || !strings.Contains(err.Error(), "and 2981 more") {
		t.Errorf("%v", err)
	}
	if _, err := tab.Supervised("y", dataset.DefaultSelection()); err == nil || len(err.Error()) > 200 {
		t.Errorf("%v", err)
	}
}
