package ipm_test

import (
	"context"
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/formats"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// TestCBLIB: problems of CBLIB whose linear systems lose many digits to rounding are solved, to
// 1e-6 at least. Where a factorisation adds large terms up before others take them back, cx02-200
// has no step after the third, and nql60 ends at 7e-6; with weights of 1e-10 for free variables and
// equations the systems of db_shear_wall have no correct digits from the 18th iteration on.
func TestCBLIB(t *testing.T) {
	for _, name := range shared.Sample(t, 3, []string{"exp/varun", "socp/nql60", "exp/cx02-200", "socp/db_shear_wall"}) {
		t.Run(name, func(t *testing.T) {
			file, err := formats.ReadFile(shared.Path(t, "data", "conic", name+".cbf.gz"))
			if err != nil {
				t.Fatal(err)
			}
			s := newCones(t, file.Problem, ipm.Backend{})
			defer s.Close()
			var res qpbackend.Result
			if err := s.Solve(context.Background(), &res); err != nil {
				t.Fatal(err)
			}
			if worst := qpbackend.Certify(file.Problem, res.X, res.Y, res.Z).Max(); res.Status != qpbackend.Solved && res.Status != qpbackend.AlmostSolved || !(worst <= 1e-6) {
				t.Errorf("%v with residual %.1e after %d iterations", res.Status, worst, res.Iterations)
			}
		})
	}
}
