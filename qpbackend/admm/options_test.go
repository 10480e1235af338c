package admm

import (
	"context"
	"math"
	"reflect"
	"strings"
	"testing"
)

// TestOptionsRefuse sets every number to −1 and every float to NaN, 0 and ±Inf.
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
	if n < 25 {
		t.Errorf("only %d trials", n)
	}
	if err := DefaultOptions().Validate(); err != nil {
		t.Error(err)
	}
}
