//go:build osqp

package osqp

import (
	"context"
	"math"
	"reflect"
	"strings"
	"testing"

	raw "github.com/dcopt/dcopt/third_party/osqp"
)

// TestOptionsRefuse sets every number to −1 and every float to NaN and ±Inf.
func TestOptionsRefuse(t *testing.T) {
	n := 0
	for i := range reflect.TypeFor[Options]().NumField() {
		name := reflect.TypeFor[Options]().Field(i).Name
		try := func(what string, set func(reflect.Value)) {
			n++
			opt := DefaultOptions()
			set(reflect.ValueOf(&opt).Elem().Field(i))
			err := opt.Validate()
			if err == nil || !strings.Contains(err.Error(), "Options."+name+" ") {
				t.Errorf("%s = %s: %v", name, what, err)
			}
			b := Backend{Options: &opt}
			if _, err := b.New(context.Background(), nil, b.DefaultSettings()); err == nil {
				t.Errorf("%s = %s: New accepts it", name, what)
			}
		}
		switch reflect.TypeFor[Options]().Field(i).Type.Kind() {
		case reflect.Bool:
		case reflect.Int:
			try("-1", func(v reflect.Value) { v.SetInt(-1) })
		case reflect.Float64:
			for _, f := range []float64{-1, 0, math.NaN(), math.Inf(1), math.Inf(-1)} {
				try("bad float", func(v reflect.Value) { v.SetFloat(f) })
			}
		default:
			t.Errorf("field %s has a kind that this test does not know", name)
		}
	}
	if n < 30 {
		t.Errorf("only %d trials", n)
	}
	if err := DefaultOptions().Validate(); err != nil {
		t.Error(err)
	}
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
