package csvtable

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Tagged is the format of a struct whose fields, in the order of the columns,
// have tags csv:"name" or, of floats, csv:"name,digits", where -1 digits are as
// many as it takes. Fields are strings, whole numbers and floats; others, and such
// without a tag, make it panic.
func Tagged[R any]() Format[R] {
	t := reflect.TypeFor[R]()
	n := t.NumField()
	f := Format[R]{Header: make([]string, n)}
	digits := make([]int, n)
	for k := range n {
		name, places, _ := strings.Cut(t.Field(k).Tag.Get("csv"), ",")
		kind := t.Field(k).Type.Kind()
		var err error
		if kind == reflect.Float64 {
			digits[k], err = strconv.Atoi(places)
		}
		if name == "" || err != nil || !strings.Contains("string int uint32 float64", kind.String()) {
			panic(fmt.Sprintf("csvtable: %v.%s is no column", t, t.Field(k).Name))
		}
		f.Header[k] = name
	}
	f.Record = func(r R) []string {
		v := reflect.ValueOf(r)
		rec := make([]string, n)
		for k := range rec {
			if x := v.Field(k); x.CanFloat() {
				rec[k] = strconv.FormatFloat(x.Float(), 'g', digits[k], 64)
			} else {
				rec[k] = fmt.Sprint(x)
			}
		}
		return rec
	}
	f.Parse = func(rec []string) (r R, err error) {
		v := reflect.ValueOf(&r).Elem()
		for k, s := range rec {
			if err := set(v.Field(k), s); err != nil {
				return r, fmt.Errorf("%s: %w", f.Header[k], err)
			}
		}
		return r, nil
	}
	return f
}

func set(v reflect.Value, s string) error {
	switch {
	case v.CanFloat():
		x, err := strconv.ParseFloat(s, 64)
		v.SetFloat(x)
		return err
	case v.CanInt():
		x, err := strconv.ParseInt(s, 10, v.Type().Bits())
		v.SetInt(x)
		return err
	case v.CanUint():
		x, err := strconv.ParseUint(s, 10, v.Type().Bits())
		v.SetUint(x)
		return err
	}
	v.SetString(s)
	return nil
}
