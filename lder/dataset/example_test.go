package dataset_test

import (
	"fmt"
	"strings"

	"github.com/dcopt/dcopt/lder/dataset"
)

func ExampleTable_Supervised() {
	t, err := dataset.Read(strings.NewReader("rooms;area;kind;rent\n2;NA;1;600\n3;80;1;\n4;95;1;1100\n"), "flats.csv", dataset.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := t.Supervised("rent", dataset.DefaultSelection())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Features, d.X, d.Y)
	for _, note := range d.Notes {
		fmt.Println(note)
	}
	_, err = t.Supervised("rnet", dataset.DefaultSelection())
	fmt.Println(err)
	// Output:
	// [rooms] [[2] [4]] [600 1100]
	// 1 row without a value of the target "rent" left out (first at line 3)
	// column "area" is constant (95) and is left out
	// column "kind" is constant (1) and is left out
	// flats.csv: no column "rnet"; did you mean "rent"?; the columns are rooms, area, kind, rent
}
