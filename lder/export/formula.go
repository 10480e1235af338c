package export

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/dcopt/dcopt/lder"
)

// digits are those of coefficients that people read.
const digits = 5

// formula is the model in the data's own units, or a summary of an ensemble.
func formula(r *lder.Regressor) ([]byte, error) {
	var b bytes.Buffer
	if r.Ensemble != nil {
		models, pieces := r.Ensemble.Size()
		fmt.Fprintf(&b, "%s = a weighted mean of %d sums of l-DERs, %d models with %d affine functions in all\n",
			r.Target, len(r.Ensemble.Chains), models, pieces)
		fmt.Fprintf(&b, "features: %s\n", strings.Join(r.Features, ", "))
		clipLine(&b, r)
		b.WriteString("it has no formula to read; method auto makes one model\n")
		return b.Bytes(), nil
	}
	m, err := r.Natural()
	if err != nil {
		return nil, err
	}
	switch { // the first piece of the second maximum is 0
	case len(m.W) == 1 && len(m.M) == 1:
		fmt.Fprintf(&b, "%s = %s\n", r.Target, affine(append(append([]float64(nil), m.W[0]...), m.A[0]), r.Features))
	case len(m.M) == 1:
		fmt.Fprintf(&b, "%s = max(\n%s    )\n", r.Target, pieces(m.W, m.A, r.Features))
	default:
		fmt.Fprintf(&b, "%s = max(\n%s    ) - max(\n%s    )\n", r.Target,
			pieces(m.W, m.A, r.Features), pieces(m.M, m.B, r.Features))
	}
	clipLine(&b, r)
	for _, c := range r.Categories {
		if c.Coding.String() == "ordinal" {
			fmt.Fprintf(&b, "%s: 0 = %s\n", c.Column, strings.Join(numbered(c.Levels), ", "))
		}
	}
	return b.Bytes(), nil
}

// numbered are levels with their numbers, but for the first's.
func numbered(levels []string) []string {
	out := make([]string, len(levels))
	for k, l := range levels {
		out[k] = l
		if k > 0 {
			out[k] = fmt.Sprintf("%d = %s", k, l)
		}
	}
	return out
}

func clipLine(b *bytes.Buffer, r *lder.Regressor) {
	if !math.IsInf(r.Clip.Lo, 0) {
		fmt.Fprintf(b, "clipped to [%s, %s]\n", short(r.Clip.Lo), short(r.Clip.Hi))
	}
}

func pieces(w [][]float64, a []float64, names []string) string {
	var b strings.Builder
	for k, row := range w {
		comma := ","
		if k == len(w)-1 {
			comma = ""
		}
		fmt.Fprintf(&b, "        %s%s\n", affine(append(append([]float64(nil), row...), a[k]), names), comma)
	}
	return b.String()
}

// affine is v[0]·names[0] + … + v[n] as text. Names that are no words are
// quoted; terms of zero weight are left out.
func affine(v []float64, names []string) string {
	var b strings.Builder
	term := func(c float64, name string) {
		sign := " + "
		if c < 0 {
			sign = " - "
		}
		if b.Len() == 0 {
			sign = strings.TrimSpace(strings.TrimPrefix(sign, " + "))
		}
		b.WriteString(sign + short(math.Abs(c)) + name)
	}
	for j, name := range names {
		if v[j] != 0 {
			term(v[j], " "+quoted(name))
		}
	}
	if last := v[len(names)]; last != 0 || b.Len() == 0 {
		term(last, "")
	}
	return b.String()
}

func quoted(name string) string {
	plain := strings.IndexFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '.' && r != '='
	}) < 0
	if plain && name != "" && !unicode.IsDigit(rune(name[0])) {
		return name
	}
	return strconv.Quote(name)
}

func short(v float64) string { return strconv.FormatFloat(v, 'g', digits, 64) }

// latex is the formula as an aligned display.
func latex(r *lder.Regressor) ([]byte, error) {
	if r.Ensemble != nil {
		return nil, errors.New("export: an ensemble has no formula; method auto makes one model")
	}
	m, err := r.Natural()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "\\begin{align*}\n%s ={}& ", texName(r.Target))
	if len(m.W) == 1 && len(m.M) == 1 {
		b.WriteString(texAffine(append(append([]float64(nil), m.W[0]...), m.A[0]), r.Features) + "\n\\end{align*}\n")
		return b.Bytes(), nil
	}
	side := func(w [][]float64, a []float64) {
		b.WriteString("\\max\\left\\{\\begin{aligned}\n")
		for k, row := range w {
			end := " \\\\"
			if k == len(w)-1 {
				end = ""
			}
			fmt.Fprintf(&b, "  & %s%s\n", texAffine(append(append([]float64(nil), row...), a[k]), r.Features), end)
		}
		b.WriteString("\\end{aligned}\\right\\}")
	}
	side(m.W, m.A)
	if len(m.M) > 1 {
		b.WriteString(" \\\\\n& - ")
		side(m.M, m.B)
	}
	b.WriteString("\n\\end{align*}\n")
	return b.Bytes(), nil
}

func texAffine(v []float64, names []string) string {
	var b strings.Builder
	term := func(c float64, name string) {
		if c < 0 {
			b.WriteString(" - ")
		} else if b.Len() > 0 {
			b.WriteString(" + ")
		}
		b.WriteString(texNumber(math.Abs(c)) + name)
	}
	for j, name := range names {
		if v[j] != 0 {
			term(v[j], `\,`+texName(name))
		}
	}
	if last := v[len(names)]; last != 0 || b.Len() == 0 {
		term(last, "")
	}
	return strings.TrimSpace(b.String())
}

func texNumber(v float64) string {
	head, exp, ok := strings.Cut(short(v), "e")
	if !ok {
		return head
	}
	n, err := strconv.Atoi(exp)
	if err != nil {
		return head
	}
	return fmt.Sprintf(`%s \cdot 10^{%d}`, head, n)
}

// texName sets a name upright, its special characters escaped.
func texName(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch r {
		case '\\':
			b.WriteString(`\textbackslash{}`)
		case '~':
			b.WriteString(`\textasciitilde{}`)
		case '^':
			b.WriteString(`\textasciicircum{}`)
		case '_', '%', '&', '#', '$', '{', '}':
			b.WriteString(`\` + string(r))
		default:
			if !unicode.IsPrint(r) {
				r = '?'
			}
			b.WriteRune(r)
		}
	}
	return `\text{` + b.String() + `}`
}
