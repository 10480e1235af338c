package export

import (
	"errors"
	"math"
	"slices"

	"github.com/dcopt/dcopt/lder"
)

// formula is the model in the data's own units, or a summary of an ensemble.
func formula(r *lder.Regressor) ([]byte, error) {
	d := &document{}
	if r.Ensemble != nil {
		models, pieces := r.Ensemble.Size()
		d.add(textName(r.Target), " = a weighted mean of ", integer(len(r.Ensemble.Chains)), " sums of l-DERs, ",
			integer(models), " models with ", integer(pieces), " affine functions in all\n",
			"features: ", join(each(r.Features, textName), ", "), "\n")
		clipLine(d, r)
		d.add("it has no formula to read; method auto makes one model\n")
		return d.bytes(), nil
	}
	m, err := r.Unstandardised()
	if err != nil {
		return nil, err
	}
	d.add(textName(r.Target), " = ")
	switch { // the first piece of the second maximum is 0
	case len(m.W) == 1 && len(m.M) == 1:
		d.add(plain.affine(m.W[0], m.A[0], r.Features), "\n")
	case len(m.M) == 1:
		d.add("max(\n", listed(m.W, m.A, r.Features), "    )\n")
	default:
		d.add("max(\n", listed(m.W, m.A, r.Features), "    ) - max(\n", listed(m.M, m.B, r.Features), "    )\n")
	}
	clipLine(d, r)
	for _, c := range r.Categories {
		if c.Coding.String() == "ordinal" {
			d.add(textName(c.Column), ": ", join(numbered(c.Levels), ", "), "\n")
		}
	}
	return d.bytes(), nil
}

// numbered are levels with their numbers.
func numbered(levels []string) []code {
	out := make([]code, len(levels))
	for k, l := range levels {
		out[k] = integer(k) + " = " + textName(l)
	}
	return out
}

func clipLine(d *document, r *lder.Regressor) {
	if !math.IsInf(r.Clip.Lo, 0) {
		d.add("clipped to [", short(r.Clip.Lo), ", ", short(r.Clip.Hi), "]\n")
	}
}

// listed are the pieces of a maximum, a line for each.
func listed(w [][]float64, a []float64, names []string) code {
	const indent = "        "
	return indent + join(plain.pieces(w, a, names), ",\n"+indent) + "\n"
}

// style is how a formula writes its terms.
type style struct {
	name   escaper
	number func(float64) code
	times  code // between a coefficient and a name
	minus  code // before the first term
}

var (
	plain = style{textName, short, " ", "-"}
	tex   = style{texName, texNumber, `\,`, "- "}
)

// pieces are the affine functions of a maximum; those that read alike are one.
func (s *style) pieces(w [][]float64, a []float64, names []string) (out []code) {
	for k, row := range w {
		if p := s.affine(row, a[k], names); !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// affine is v·names + constant as text; terms of zero weight are left out.
func (s *style) affine(v []float64, constant float64, names []string) code {
	var out code
	term := func(c float64, what code) {
		switch {
		case c < 0 && out == "":
			out = s.minus
		case c < 0:
			out += " - "
		case out != "":
			out += " + "
		}
		out += s.number(math.Abs(c)) + what
	}
	for j, name := range names {
		if v[j] != 0 {
			term(v[j], s.times+s.name(name))
		}
	}
	if constant != 0 || out == "" {
		term(constant, "")
	}
	return out
}

// latex is the formula as an aligned display.
func latex(r *lder.Regressor) ([]byte, error) {
	if r.Ensemble != nil {
		return nil, errors.New("export: an ensemble has no formula; method auto makes one model")
	}
	m, err := r.Unstandardised()
	if err != nil {
		return nil, err
	}
	d := &document{}
	d.add("\\begin{align*}\n", texName(r.Target), " ={}& ")
	if len(m.W) == 1 && len(m.M) == 1 {
		d.add(tex.affine(m.W[0], m.A[0], r.Features), "\n\\end{align*}\n")
		return d.bytes(), nil
	}
	side := func(w [][]float64, a []float64) {
		d.add("\\max\\left\\{\\begin{aligned}\n")
		d.add("  & ", join(tex.pieces(w, a, r.Features), " \\\\\n  & "), "\n")
		d.add("\\end{aligned}\\right\\}")
	}
	side(m.W, m.A)
	if len(m.M) > 1 {
		d.add(" \\\\\n& - ")
		side(m.M, m.B)
	}
	d.add("\n\\end{align*}\n")
	return d.bytes(), nil
}
