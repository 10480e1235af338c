package flags

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/internal/table"
)

// Range is the parameter and the values of --sweep.
type Range struct {
	Name   string
	Values []string // as --set would have them
}

// mostValues keeps a slip in a count from running for days. Source: a limit on which no answer
// depends.
const mostValues = 100000

// ParseRange reads name=a:b:n, n values from a to b, or name=v1,v2,..., of a flag.
func ParseRange(flag, s string) (Range, error) {
	name, spec, ok := strings.Cut(s, "=")
	r := Range{Name: strings.TrimSpace(name)}
	bad := func(why string) (Range, error) {
		return r, exit.Usagef("%s %s: %s; want NAME=FROM:TO:COUNT or NAME=V1,V2,...", flag, s, why)
	}
	if !ok || r.Name == "" {
		return bad("no name and values")
	}
	if !strings.Contains(spec, ":") {
		for _, v := range strings.Split(spec, ",") {
			v = strings.TrimSpace(v)
			if _, ok := Finite(v); !ok {
				return bad(fmt.Sprintf("%q is no number", v))
			}
			r.Values = append(r.Values, v)
		}
		return r, nil
	}
	parts := strings.Split(spec, ":")
	if len(parts) != 3 {
		return bad("not three parts")
	}
	var ends [2]float64
	for k := range ends {
		v, ok := Finite(strings.TrimSpace(parts[k]))
		if !ok {
			return bad(fmt.Sprintf("%q is no number", parts[k]))
		}
		ends[k] = v
	}
	n, err := strconv.Atoi(strings.TrimSpace(parts[2]))
	if err != nil || n < 1 || n > mostValues {
		return bad(fmt.Sprintf("the count %q is no number from 1 to %d", parts[2], mostValues))
	}
	for k := range n {
		v := ends[0]
		if k == n-1 && n > 1 {
			v = ends[1]
		} else if k > 0 {
			v += (ends[1] - ends[0]) * float64(k) / float64(n-1)
		}
		r.Values = append(r.Values, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return r, nil
}

// Finite reads a number by the grammar of tables.
func Finite(s string) (float64, bool) {
	v, ok := table.Float(s)
	return v, ok && v-v == 0
}
