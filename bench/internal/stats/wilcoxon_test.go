package stats_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/bench/internal/stats"
)

// TestWilcoxon: 200 cases as scipy answers them; peers/fixtures/wilcoxon.py made
// the file.
func TestWilcoxon(t *testing.T) {
	raw, err := os.ReadFile("testdata/wilcoxon.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		X, Y          []float64
		Exact         bool
		TwoSided      float64 `json:"two-sided"`
		Less, Greater float64
		Least, Plus   float64
	}
	if err := json.Unmarshal(raw, &cases); err != nil || len(cases) != 200 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	zeros, approximate := 0, 0
	for k, c := range cases {
		got, err := stats.Wilcoxon(c.X, c.Y)
		if err != nil {
			t.Fatal(err)
		}
		if got.N < len(c.X) {
			zeros++
		}
		if !got.Exact {
			approximate++
		}
		if c.Exact != got.Exact {
			t.Errorf("case %d (%d pairs, %d differ): exact is %v", k, len(c.X), got.N, got.Exact)
		}
		for _, v := range []struct {
			what      string
			got, want float64
		}{
			{"two-sided", got.TwoSided, c.TwoSided}, {"less", got.Less, c.Less}, {"greater", got.Greater, c.Greater},
			{"statistic", min(got.Plus, got.Minus), c.Least}, {"sum of positive ranks", got.Plus, c.Plus},
		} {
			if !(math.Abs(v.got-v.want) <= 1e-10*max(1, math.Abs(v.want))) {
				t.Errorf("case %d (%d pairs): %s %.15g, want %.15g", k, len(c.X), v.what, v.got, v.want)
			}
		}
	}
	if zeros < 40 || approximate < 30 {
		t.Errorf("%d cases with zeros, %d approximate", zeros, approximate)
	}
}

// TestWilcoxonBruteForce goes through all signs.
func TestWilcoxonBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for range 50 {
		n := 1 + rng.IntN(9)
		x, y := make([]float64, n), make([]float64, n)
		for k := range x {
			x[k] = float64(rng.IntN(5))
		}
		got, err := stats.Wilcoxon(x, y)
		if err != nil {
			t.Fatal(err)
		}
		less, greater := 0, 0
		for signs := range 1 << n {
			flipped := make([]float64, n)
			for k, v := range x {
				flipped[k] = v
				if signs>>k&1 == 1 {
					flipped[k] = -v
				}
			}
			other, err := stats.Wilcoxon(flipped, y)
			if err != nil {
				t.Fatal(err)
			}
			if other.Plus <= got.Plus {
				less++
			}
			if other.Plus >= got.Plus {
				greater++
			}
		}
		all := float64(int(1) << n)
		if !(math.Abs(got.Less-float64(less)/all) <= 1e-14 && math.Abs(got.Greater-float64(greater)/all) <= 1e-14) {
			t.Errorf("of %v: %+v, want %d and %d of %g", x, got, less, greater, all)
		}
	}
}

func TestWilcoxonEdges(t *testing.T) {
	if got, err := stats.Wilcoxon([]float64{1, 2}, []float64{1, 2}); err != nil || got.N != 0 || got.TwoSided != 1 || got.Less != 1 {
		t.Errorf("equal samples: %+v, %v", got, err)
	}
	if _, err := stats.Wilcoxon([]float64{1}, nil); err == nil || !strings.Contains(err.Error(), "lengths") {
		t.Errorf("different lengths: %v", err)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		if _, err := stats.Wilcoxon([]float64{bad}, []float64{1}); err == nil {
			t.Errorf("%g is accepted", bad)
		}
	}
}
