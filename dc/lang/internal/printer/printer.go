package printer

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/dcopt/dcopt/dc/lang/syntax"
	"github.com/dcopt/dcopt/internal/program"
)

// printer writes a problem.
type printer struct {
	p        *program.Problem
	names    []string          // of the variables
	taken    map[string]bool   // names in use
	data     strings.Builder   // params
	shared   map[string]string // the names of those that were made, by their text
	ops      []string          // names of functions that dc.Apply knows
	families bool              // maxima may be families
	err      error             // the first
}

func (pr *printer) fail(format string, args ...any) {
	if pr.err == nil {
		pr.err = fmt.Errorf(format, args...)
	}
}

// fresh is a name like the one wanted that is not in use.
func (pr *printer) fresh(want string) string {
	var b strings.Builder
	for _, r := range want {
		if r != '_' && !unicode.IsLetter(r) && (b.Len() == 0 || !unicode.IsDigit(r)) {
			r = '_'
		}
		b.WriteRune(r)
	}
	base := b.String()
	if strings.Trim(base, "_") == "" {
		base = "x"
	}
	name := base
	for k := 2; pr.taken[name] || syntax.Words[name] != 0; k++ {
		name = fmt.Sprintf("%s_%d", base, k)
	}
	pr.taken[name] = true
	return name
}

// Number is a number that is read as the same.
func Number(v float64) string {
	if math.IsInf(v, 0) {
		return map[bool]string{true: "inf", false: "-inf"}[v > 0]
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// named is the name of a param with these data.
func (pr *printer) named(shape []int, x []float64) string {
	text := pr.literal(shape, x)
	name, ok := pr.shared[text]
	if !ok {
		name = pr.fresh("data")
		pr.shared[text] = name
		fmt.Fprintf(&pr.data, "param %s = %s\n", name, text)
	}
	return name
}

// literal is an array of data.
func (pr *printer) literal(shape []int, x []float64) string {
	if len(shape) == 0 {
		return Number(x[0])
	}
	var b strings.Builder
	if len(x) == 0 {
		return "zeros(" + commas(shape) + ")"
	}
	deep := len(shape) != 1 && (len(shape) != 2 || shape[0] == 1 || shape[1] == 1)
	if deep {
		b.WriteString("reshape(")
	}
	b.WriteByte('[')
	line := b.Len()
	for k, v := range x {
		switch {
		case k == 0:
		case len(shape) == 2 && !deep && k%shape[1] == 0:
			b.WriteString(";\n")
			line = b.Len()
		case b.Len()-line > lineLength:
			b.WriteString(",\n")
			line = b.Len()
		default:
			b.WriteString(", ")
		}
		b.WriteString(Number(v))
	}
	b.WriteByte(']')
	if deep {
		b.WriteString(", " + commas(shape) + ")")
	}
	return b.String()
}

// commas are sizes with commas between.
func commas(shape []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", ", "), "[]")
}

// lineLength is where a line is broken after the next operator or comma.
// Source: a limit, on which no answer depends.
const lineLength = 100
