package garbage_test

import (
	"runtime/debug"
	"testing"

	"github.com/dcopt/dcopt/internal/garbage"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// TestMind: small works collect seldom, large ones often, those between as before, and afterwards
// all do as before.
func TestMind(t *testing.T) {
	t.Setenv("GOGC", "")
	const usual = 123
	defer debug.SetGCPercent(debug.SetGCPercent(usual))
	percent := func() int {
		p := debug.SetGCPercent(usual)
		debug.SetGCPercent(p)
		return p
	}
	for _, c := range []struct{ numbers, want int }{{0, 400}, {1 << 17, 400}, {1<<17 + 1, usual}, {1<<20 - 1, usual}, {1 << 20, 10}} {
		restore := garbage.Mind(c.numbers)
		if got := percent(); got != c.want {
			t.Errorf("%d numbers: %d %%, want %d", c.numbers, got, c.want)
		}
		restore()
		if got := percent(); got != usual {
			t.Errorf("%d numbers: %d %% afterwards, want %d", c.numbers, got, usual)
		}
	}
	t.Setenv("GOGC", "100")
	defer garbage.Mind(0)()
	if got := percent(); got != usual {
		t.Errorf("with GOGC set: %d %%, want %d", got, usual)
	}
}

func TestNumbers(t *testing.T) {
	p := &qpbackend.Problem{Q: make([]float64, 3)}
	if got := garbage.Numbers(p); got != 3 {
		t.Errorf("%d numbers, want 3", got)
	}
	p.P, p.A, p.L, p.U = sparse.Identity(3), sparse.Identity(3), make([]float64, 3), make([]float64, 3)
	p.Lo, p.Hi = make([]float64, 3), make([]float64, 3)
	if got := garbage.Numbers(p); got != 21 {
		t.Errorf("%d numbers, want 21", got)
	}
}
