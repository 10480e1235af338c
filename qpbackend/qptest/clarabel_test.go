package qptest

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/qptest/internal/problems"
)

// TestClarabelAgrees compares what the generator says of its random problems
// with what Clarabel found (bench/peers/cone_fixture.py).
func TestClarabelAgrees(t *testing.T) {
	f, err := os.Open("testdata/clarabel_cones.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 201 {
		t.Fatalf("%d lines, want 201", len(rows))
	}
	for _, r := range rows[1:] {
		seed, err := strconv.ParseUint(r[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		obj, err := strconv.ParseFloat(r[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		c := problems.RandomCones(seed, problems.Kinds...)
		if c.Want != qpbackend.Solved {
			if r[1] != c.Want.String() {
				t.Errorf("%s: Clarabel says %s", c.Name, r[1])
			}
			continue
		}
		if r[1] != "solved" && r[1] != "almostsolved" || !(math.Abs(obj-c.Objective) <= 1e-6*max(1, math.Abs(c.Objective))) {
			t.Errorf("%s: Clarabel says %s with the objective %.9g, want %.9g", c.Name, r[1], obj, c.Objective)
		}
	}
}
