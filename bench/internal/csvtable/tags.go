package csvtable

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// The values of the tag key of a column. A row replaces the earlier ones that agree with it in all
// columns of the place, and is the same measurement as those that also agree in the terms.
const (
	place = "place"
	terms = "terms"
)

// format says how a struct is a row. Its fields, in the order of the columns, have tags
// csv:"name" or, of floats and of lists of them, csv:"name,digits", where -1 digits are as
// many as it takes, and may have key:"place" or key:"terms".
type format[R any] struct {
	header []string
	digits []int
	keys   []string // of the columns
}

// tagged is the format of R. A field without a tag, and a field that is neither a string, nor a
// whole number, nor a float, nor a list of floats, makes it panic.
func tagged[R any]() (f format[R]) {
	t := reflect.TypeFor[R]()
	for k := range t.NumField() {
		field := t.Field(k)
		name, places, _ := strings.Cut(field.Tag.Get("csv"), ",")
		digits, err := strconv.Atoi(places)
		switch field.Type.String() {
		case "float64", "[]float64":
		case "string", "int", "uint32":
			err = nil
		default:
			name = ""
		}
		if name == "" || err != nil {
			panic(fmt.Sprintf("csvtable: %v.%s is no column", t, field.Name))
		}
		f.header, f.digits = append(f.header, name), append(f.digits, digits)
		f.keys = append(f.keys, field.Tag.Get("key"))
	}
	return f
}

// record has the fields of a row as they are written, the entries of a list between blanks.
func (f format[R]) record(r R) []string {
	v := reflect.ValueOf(r)
	rec := make([]string, len(f.header))
	for k := range rec {
		number := func(x float64) string { return strconv.FormatFloat(x, 'g', f.digits[k], 64) }
		switch x := v.Field(k).Interface().(type) {
		case float64:
			rec[k] = number(x)
		case []float64:
			var words []string
			for _, e := range x {
				words = append(words, number(e))
			}
			rec[k] = strings.Join(words, " ")
		default:
			rec[k] = fmt.Sprint(x)
		}
	}
	return rec
}

// key tells the rows of one place, or of one place and the same terms, from others.
func (f format[R]) key(r R, of string) string {
	var words []string
	for k, word := range f.record(r) {
		if f.keys[k] == place || f.keys[k] == of {
			words = append(words, word)
		}
	}
	return strings.Join(words, "\x00")
}

// parse reads a record of as many fields as there are columns.
func (f format[R]) parse(rec []string) (r R, err error) {
	v := reflect.ValueOf(&r).Elem()
	for k, s := range rec {
		if err := set(v.Field(k), s); err != nil {
			return r, fmt.Errorf("%s: %w", f.header[k], err)
		}
	}
	return r, nil
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
	case v.Kind() == reflect.Slice:
		for _, word := range strings.Fields(s) {
			x, err := strconv.ParseFloat(word, 64)
			if err != nil {
				return err
			}
			v.Set(reflect.Append(v, reflect.ValueOf(x)))
		}
		return nil
	}
	v.SetString(s)
	return nil
}
