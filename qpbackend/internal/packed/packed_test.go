package packed_test

import (
	"math"
	"testing"

	"github.com/dcopt/dcopt/qpbackend/internal/packed"
)

// TestPlaces: Row and Entry undo each other, and Order counts the entries.
func TestPlaces(t *testing.T) {
	row := 0
	for j := range 60 {
		for i := range j + 1 {
			a, b := packed.Entry(row)
			if packed.Row(i, j) != row || packed.Row(j, i) != row || a != i || b != j {
				t.Fatalf("entry (%d, %d) in place %d; Entry says (%d, %d)", i, j, row, a, b)
			}
			row++
		}
	}
}

// TestPack: a matrix comes back, and inner products are those of the matrices.
func TestPack(t *testing.T) {
	v, m, back := []float64{1, 2, 3, 4, 5, 6}, make([]float64, 9), make([]float64, 6)
	packed.Unpack(m, v, 3)
	sum, want := 0.0, 0.0
	for _, e := range m {
		sum += e * e
	}
	packed.Pack(back, m, 3, false)
	packed.Pack(back, m, 3, true)
	for k, e := range v {
		want += e * e
		if math.Abs(back[k]-2*e) > 1e-15*e {
			t.Errorf("entry %d is %g, twice %g", k, back[k], e)
		}
	}
	if math.Abs(sum-want) > 1e-13*want || m[1] != m[3] || m[0] != 1 || m[8] != 6 {
		t.Errorf("the matrix %g of %g", m, v)
	}
}

func TestOrder(t *testing.T) {
	want := map[int]int{0: 0, 1: 1, 3: 2, 6: 3, 10: 4, 1275: 50, 500500: 1000}
	for n := range 600 {
		if _, is := want[n]; packed.Order(n) >= 0 != (is || isTriangle(n)) {
			t.Errorf("packed.Order(%d) = %d", n, packed.Order(n))
		}
	}
	for n, k := range want {
		if packed.Order(n) != k {
			t.Errorf("packed.Order(%d) = %d, want %d", n, packed.Order(n), k)
		}
	}
}

func isTriangle(n int) bool {
	for k := 0; k*(k+1)/2 <= n; k++ {
		if k*(k+1)/2 == n {
			return true
		}
	}
	return false
}
