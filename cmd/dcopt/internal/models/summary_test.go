package models

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/lder"
)

// TestPercent: only 0 is 0%.
func TestPercent(t *testing.T) {
	if percent(1e-9) != "<1%" || percent(0) != "0%" || percent(.5) != "50%" {
		t.Errorf("%s %s %s", percent(1e-9), percent(0), percent(.5))
	}
}

// TestPieceTable: a model file has no shares of rows, so that the table has a question mark for
// each piece.
func TestPieceTable(t *testing.T) {
	var x [][]float64
	var y []float64
	for i := range 12 {
		v := float64(i)
		x, y = append(x, []float64{v}), append(y, max(v, 3)-max(2*v-14, 0))
	}
	r := lder.NewRegressor(lder.MethodSettings(lder.Refit))
	r.Settings.Pieces = [2]int{3, 2}
	if err := r.Fit(context.Background(), x, y); err != nil {
		t.Fatal(err)
	}
	var file, table bytes.Buffer
	if _, err := r.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	read, err := lder.Read(&file, "model.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := pieceTable(&table, read); err != nil || strings.Count(table.String(), "?") != 5 {
		t.Errorf("%v:\n%s", err, &table)
	}
}
