//go:build osqp

package osqp

import (
	"reflect"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/qptest"
	raw "github.com/dcopt/dcopt/third_party/osqp"
)

// TestOptionsRefuse: options out of range are refused by name.
func TestOptionsRefuse(t *testing.T) {
	qptest.Options(t, DefaultOptions(), Options.Validate, func(o Options) qpbackend.Backend { return Backend{Options: &o} })
}

// notOptions are the settings of OSQP that are no Option, and why.
var notOptions = map[string]string{
	"AllocateSolution": "the binding reads the solution",
	"Verbose":          "nothing is printed",
	"WarmStarting":     "WarmStart decides",
	"TimeLimit":        "the context decides",
	"MaxIter":          "qpbackend.Settings.MaxIter",
	"EpsAbs":           "qpbackend.Settings.Tol",
	"EpsRel":           "qpbackend.Settings.Tol",
	"EpsPrimInf":       "qpbackend.Settings.InfeasTol",
	"EpsDualInf":       "qpbackend.Settings.InfeasTol",
}

// renamed are the options with a clearer name.
var renamed = map[string]string{"LinsysSolver": "Indirect", "CGPrecond": "CGPrecondition"}

// TestOptionsReachC changes one option after the other and looks at what a
// solver in C has.
func TestOptionsReachC(t *testing.T) {
	p := small()
	settings := func(opt Options) raw.Settings {
		b := Backend{Options: &opt}
		return mustNew(t, b, p, b.DefaultSettings()).(*solver).c.Settings()
	}
	base := reflect.ValueOf(settings(DefaultOptions()))
	for i := range base.NumField() {
		field := base.Type().Field(i).Name
		if notOptions[field] != "" {
			continue
		}
		name := field
		if renamed[field] != "" {
			name = renamed[field]
		}
		opt := DefaultOptions()
		v := reflect.ValueOf(&opt).Elem().FieldByName(name)
		if !v.IsValid() {
			t.Errorf("OSQP's %s is no option", field)
			continue
		}
		if name == "Indirect" && !raw.HasIndirectSolver() {
			continue // the validation refuses it, see below
		}
		switch v.Kind() {
		case reflect.Bool:
			v.SetBool(!v.Bool())
		case reflect.Int:
			v.SetInt(v.Int() + 1)
		case reflect.Float64:
			v.SetFloat(v.Float() * 1.125)
		}
		got := reflect.ValueOf(settings(opt))
		for k := range got.NumField() {
			changed := !got.Field(k).Equal(base.Field(k))
			if other := got.Type().Field(k).Name; changed != (other == field) {
				t.Errorf("option %s: %s of the solver changed: %t", name, other, changed)
			}
		}
	}
	opt := DefaultOptions()
	opt.Indirect = true
	if err := opt.Validate(); (err == nil) != raw.HasIndirectSolver() {
		t.Errorf("Indirect: %v", err)
	}
	for rule, want := range map[RhoRule]int{RhoFixed: raw.AdaptiveRhoOff, RhoByIterations: raw.AdaptiveRhoIterations, RhoByError: raw.AdaptiveRhoKKTError} {
		opt := DefaultOptions()
		opt.AdaptiveRho = rule
		if got := settings(opt).AdaptiveRho; got != want {
			t.Errorf("rule %d reached C as %d, want %d", rule, got, want)
		}
	}
}
