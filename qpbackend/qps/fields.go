package qps

import (
	"fmt"
	"strings"

	"github.com/dcopt/dcopt/internal/table"
)

// section is a part of the file.
type section uint8

const (
	none section = iota
	nameSection
	rowSection
	colSection
	rhsSection
	rangeSection
	boundSection
	triangleSection // one triangle of P
	matrixSection   // both triangles of P
	senseSection
	objNameSection
	skipped
	end
)

var sections = map[string]section{
	"NAME": nameSection, "ROWS": rowSection, "GROUPS": rowSection, "CONSTRAINTS": rowSection,
	"COLUMNS": colSection, "VARIABLES": colSection,
	"RHS": rhsSection, "CONSTANTS": rhsSection, "RANGES": rangeSection, "BOUNDS": boundSection,
	"QUADOBJ": triangleSection, "QSECTION": triangleSection, "QUADRATIC": triangleSection, "HESSIAN": triangleSection,
	"QMATRIX": matrixSection, "OBJSENSE": senseSection,
	"OBJNAME": objNameSection, "OBJECT": skipped, "ENDATA": end,
}

// hasCards: the section's lines are cut into fields.
func (s section) hasCards() bool { return s >= rowSection && s <= matrixSection }

// refused sections have a meaning that a convex QP cannot take on.
var refused = map[string]string{
	"QCMATRIX": "quadratic constraints", "QCSECTION": "quadratic constraints", "CSECTION": "cones",
	"SOS": "special ordered sets", "INDICATORS": "indicator constraints", "ELEMENT": "nonlinear elements",
	"ELEMENTS": "nonlinear elements", "GROUP": "nonlinear groups", "LAZYCONS": "lazy constraints",
	"USERCUTS": "user cuts", "START": "starting points", "GENCONS": "general constraints",
	"PWLOBJ": "piecewise linear objectives",
}

// pair is a name and its number.
type pair struct {
	name  string
	value float64
}

// card is a data line: a type (of a row or a bound), a first name, which is a
// column or the name of a set, and one or two pairs.
type card struct {
	kind  string
	name  string
	pairs [2]pair
	n     int // pairs used
	// marker is INTORG or INTEND on a line that marks integer columns.
	marker string
}

// number reads a value, also with Fortran's exponent letter D.
func number(s string) (float64, error) {
	v, ok := table.Float(s)
	if !ok {
		v, ok = table.Float(strings.ReplaceAll(strings.ToLower(s), "d", "e"))
	}
	if !ok || v != v {
		return 0, fmt.Errorf("%q is not a number", s)
	}
	return v, nil
}

// columns of the six fields of a fixed line, from 0, ends exclusive.
var columns = [6][2]int{{1, 3}, {4, 12}, {14, 22}, {24, 36}, {39, 47}, {49, 61}}

// cutFixed returns the fields of a fixed line, or says why it is none.
func cutFixed(sec section, text string) (f [6]string, err error) {
	if strings.IndexByte(text, '\t') >= 0 {
		return f, fmt.Errorf("a tab in fixed columns")
	}
	at := func(from, to int) string {
		from, to = min(from, len(text)), min(to, len(text))
		return strings.TrimSpace(text[from:to])
	}
	prev := 0
	for k, c := range columns {
		if at(prev, c[0]) != "" {
			return f, fmt.Errorf("does not fit the fixed columns")
		}
		f[k] = at(c[0], c[1])
		prev = c[1]
	}
	// A dollar sign at the start of a name opens a comment.
	if strings.HasPrefix(f[2], "$") {
		f[2], f[3], f[4], f[5] = "", "", "", ""
	} else if strings.HasPrefix(f[4], "$") {
		f[4], f[5] = "", ""
	}
	if f[4] == "" && f[5] != "" {
		return f, fmt.Errorf("%q stands behind no name", f[5])
	}
	switch sec {
	case rowSection:
		if f[0] == "" || f[1] == "" || f[2] != "" {
			return f, fmt.Errorf("want a type and a row in columns 2 and 5")
		}
	case boundSection:
		if f[0] == "" || f[2] == "" {
			return f, fmt.Errorf("want a type, a set and a column in columns 2, 5 and 15")
		}
	default:
		if f[0] != "" || f[2] == "" || f[1] == "" && sec != rhsSection && sec != rangeSection {
			return f, fmt.Errorf("want names in columns 5 and 15")
		}
	}
	return f, nil
}

// cutFree returns the same fields of a line of fields separated by white space. known says whether
// a name is one of those that the section's pairs may start with; it decides whether the name of a
// set was left out.
func cutFree(sec section, text string, known func(string) bool) (out [6]string, err error) {
	f := strings.Fields(text)
	switch sec {
	case rowSection:
		if len(f) != 2 {
			return out, fmt.Errorf("want a type and the name of a row, found %d fields", len(f))
		}
		out[0], out[1] = f[0], f[1]
		return out, nil
	case boundSection:
		return cutFreeBound(f, known)
	}
	if len(f)%2 == 1 || sec != rhsSection && sec != rangeSection {
		out[1], f = f[0], f[1:]
	}
	if len(f) != 2 && len(f) != 4 {
		return out, fmt.Errorf("want one or two pairs of a name and a number, found %d fields behind the first name",
			len(f))
	}
	copy(out[2:], f)
	return out, nil
}

func cutFreeBound(f []string, known func(string) bool) (out [6]string, err error) {
	kind, f := f[0], f[1:]
	needsValue := !valueless(kind)
	switch {
	case len(f) == 3:
	case len(f) == 2 && needsValue:
		f = []string{"", f[0], f[1]} // no set
	case len(f) == 2 && (known(f[1]) || !known(f[0])):
	case len(f) == 2, len(f) == 1 && !needsValue: // a value, if any, says nothing
		f = []string{"", f[0]}
	default:
		return out, fmt.Errorf("a bound %s with %d fields; want a set, a column and a number", kind, len(f))
	}
	out[0] = kind
	copy(out[1:], f)
	return out, nil
}

// newCard reads the fields of a line of a section.
func newCard(sec section, f [6]string) (card, error) {
	c := card{kind: f[0], name: f[1]}
	if sec == colSection && strings.Trim(f[2], "'") == "MARKER" {
		c.marker = strings.Trim(f[3]+f[4], "'")
		return c, nil
	}
	for k := 2; k < len(f) && f[k]+f[k+1] != ""; k += 2 {
		v := 0.0
		if sec != boundSection || !valueless(c.kind) {
			var err error
			if v, err = number(f[k+1]); err != nil {
				return c, err
			}
		}
		c.pairs[c.n] = pair{f[k], v}
		c.n++
	}
	return c, nil
}

// valueless bounds need no number.
func valueless(kind string) bool {
	switch kind {
	case "FR", "MI", "PL", "BV":
		return true
	}
	return false
}
