package qptest

import (
	"context"
	"math"
	"reflect"
	"strings"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Options checks that the options of a backend, plain data, are refused by name where a
// number in them is −1, or a float 0, infinite or no number: by validate, and by the
// backend with them, which is asked for a solver of a small problem.
func Options[O any](t TB, defaults O, validate func(O) error, backend func(O) qpbackend.Backend) {
	t.Helper()
	if err := validate(defaults); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	bad := []float64{-1, 0, math.NaN(), math.Inf(1), math.Inf(-1)}
	p := &qpbackend.Problem{P: sparse.Identity(1), Q: []float64{1}}
	for i := range reflect.TypeFor[O]().NumField() {
		name := reflect.TypeFor[O]().Field(i).Name
		try := func(set func(reflect.Value)) {
			opt := defaults
			v := reflect.ValueOf(&opt).Elem().Field(i)
			set(v)
			if err := validate(opt); err == nil || !strings.Contains(err.Error(), "Options."+name+" ") {
				t.Errorf("%s = %v: %v", name, v, err)
			}
			b := backend(opt)
			if s, err := b.New(context.Background(), p, b.DefaultSettings()); err == nil {
				s.Close()
				t.Errorf("%s = %v: New accepts it", name, v)
			}
		}
		switch reflect.TypeFor[O]().Field(i).Type.Kind() {
		case reflect.Bool:
		case reflect.Int:
			try(func(v reflect.Value) { v.SetInt(-1) })
		case reflect.Float64:
			for _, f := range bad {
				try(func(v reflect.Value) { v.SetFloat(f) })
			}
		default:
			t.Errorf("field %s has a kind that this test does not know", name)
		}
	}
}
