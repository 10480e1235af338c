package qpbackend_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
)

// TestSettingsRefuseNaNAndNegative sets each numeric field to NaN, −1, 0 and an
// infinity and wants an error that names it.
func TestSettingsRefuseNaNAndNegative(t *testing.T) {
	good := qpbackend.Settings{Tol: 1e-8, InfeasTol: 1e-9, MaxIter: 100}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	numeric := 0
	kind := reflect.TypeOf(good)
	for k := range kind.NumField() {
		name := kind.Field(k).Name
		for _, bad := range []float64{math.NaN(), -1, 0, math.Inf(1)} {
			s := good
			f := reflect.ValueOf(&s).Elem().Field(k)
			switch f.Kind() {
			case reflect.Float64:
				f.SetFloat(bad)
			case reflect.Int:
				if bad != bad || bad > 0 {
					continue
				}
				f.SetInt(int64(bad))
			case reflect.Bool: // both values are good
				continue
			default:
				t.Errorf("Settings.%s is a %v, which this test does not know", name, f.Kind())
				continue
			}
			numeric++
			if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "Settings."+name) {
				t.Errorf("%s = %g: error %v, want one that names the field", name, bad, err)
			}
		}
	}
	if numeric != 4+4+2 {
		t.Errorf("%d values tried, want 10", numeric)
	}
}

func TestStatusStrings(t *testing.T) {
	want := map[qpbackend.Status]string{
		qpbackend.Unknown: "unknown", qpbackend.Solved: "solved", qpbackend.AlmostSolved: "almost_solved",
		qpbackend.PrimalInfeasible: "primal_infeasible", qpbackend.DualInfeasible: "dual_infeasible",
		qpbackend.IterationLimit: "iteration_limit", qpbackend.TimeLimit: "time_limit",
		qpbackend.Cancelled: "cancelled", qpbackend.NumericalTrouble: "numerical",
	}
	var zero qpbackend.Status
	if zero != qpbackend.Unknown {
		t.Error("the zero status is not Unknown")
	}
	named := 0
	for s := range 256 {
		got := qpbackend.Status(s).String()
		if w, ok := want[qpbackend.Status(s)]; ok {
			named++
			if got != w {
				t.Errorf("status %d is %q, want %q", s, got, w)
			}
		} else if got != fmt.Sprintf("Status(%d)", s) {
			t.Errorf("status %d is %q", s, got)
		}
	}
	if named != len(want) {
		t.Errorf("%d statuses have names, want %d", named, len(want))
	}
}

func TestConeStrings(t *testing.T) {
	for k, want := range []string{"second-order", "exponential", "power", "semidefinite", "ConeKind(4)"} {
		if got := qpbackend.ConeKind(k).String(); got != want {
			t.Errorf("cone %d is %q, want %q", k, got, want)
		}
	}
}

func TestInterrupted(t *testing.T) {
	if s := qpbackend.Interrupted(fmt.Errorf("solve: %w", context.DeadlineExceeded)); s != qpbackend.TimeLimit {
		t.Errorf("a deadline gives %v", s)
	}
	if s := qpbackend.Interrupted(context.Canceled); s != qpbackend.Cancelled {
		t.Errorf("a cancellation gives %v", s)
	}
}

// picky supports second-order cones only and makes nothing.
type picky struct{}

func (picky) Name() string                        { return "picky" }
func (picky) Supports(k qpbackend.ConeKind) bool  { return k == qpbackend.SecondOrder }
func (picky) DefaultSettings() qpbackend.Settings { return qpbackend.Settings{} }
func (picky) New(context.Context, *qpbackend.Problem, qpbackend.Settings) (qpbackend.Solver, error) {
	return nil, errors.New("picky makes no solvers")
}

func TestCheckCones(t *testing.T) {
	p := &qpbackend.Problem{Cones: []qpbackend.Cone{{Kind: qpbackend.SecondOrder}, {Kind: qpbackend.Semidefinite}, {Kind: qpbackend.Power}}}
	var u *qpbackend.UnsupportedConeError
	if err := qpbackend.CheckCones(picky{}, p); !errors.As(err, &u) || u.Kind != qpbackend.Semidefinite || u.Backend != "picky" {
		t.Errorf("error %v, want the semidefinite cone refused by picky", err)
	} else if want := "backend picky has no semidefinite cone"; err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	p.Cones = p.Cones[:1]
	if err := qpbackend.CheckCones(picky{}, p); err != nil {
		t.Error(err)
	}
}

func TestNonconvexError(t *testing.T) {
	if got := (&qpbackend.NonconvexError{Index: 3}).Error(); !strings.Contains(got, "variable 3") {
		t.Errorf("%q does not name the variable", got)
	}
	if got := (&qpbackend.NonconvexError{Index: -1}).Error(); strings.Contains(got, "-1") {
		t.Errorf("%q has an index that is not known", got)
	}
}
