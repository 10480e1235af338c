package export

import (
	"bytes"
	"fmt"

	"github.com/dcopt/dcopt/lder"
)

// golang is a file of a package named model with the function Predict.
func golang(r *lder.Regressor) []byte {
	p := newProgram(r)
	l := p.layout()
	var b bytes.Buffer
	b.WriteString("package model\n\nimport \"math\"\n\n")
	for k, line := range p.describe() {
		if k == 0 {
			line = "P" + line[1:]
		}
		fmt.Fprintf(&b, "// %s\n", line)
	}
	b.WriteString("func Predict(x []float64) float64 {\n")
	table := func(name, kind string, write func()) {
		fmt.Fprintf(&b, "\t%s := [...]%s{\n", name, kind)
		write()
		b.WriteString("\t}\n")
	}
	numbers := func(name string, v []float64) {
		table(name, "float64", func() { list(&b, "\t\t", v, number) })
	}
	numbers("fill", p.fill)
	numbers("mean", p.mean)
	numbers("scale", p.scale)
	table("shape", "int", func() { list(&b, "\t\t", l.shape, integer) })
	numbers("weight", l.weight)
	table("feature", "int", func() { list(&b, "\t\t", l.features, integer) })
	numbers("coef", l.coef)
	fmt.Fprintf(&b, `	var z [%d]float64
	for j := range z {
		z[j] = x[j]
		if math.IsNaN(x[j]) {
			z[j] = fill[j]
		}
		z[j] = (z[j] - mean[j]) / scale[j]
	}
	at, from := 0, 0
	largest := func(pieces, n int) float64 {
		best := math.Inf(-1)
		for k := 0; k < pieces; k++ {
			s := coef[at+n]
			for j := 0; j < n; j++ {
				s += coef[at+j] * z[feature[from+j]]
			}
			if s > best {
				best = s
			}
			at += n + 1
		}
		return best
	}
	sum, f := 0.0, 0.0
	for k := range weight {
		r1, r2, n := shape[4*k], shape[4*k+1], shape[4*k+2]
		if shape[4*k+3] == 1 {
			f = 0
		}
		u := largest(r1, n)
		f += u - largest(r2, n)
		from += n
`, len(p.features))
	if p.clips() {
		fmt.Fprintf(&b, "\t\tsum += weight[k] * math.Min(math.Max(f, %s), %s)\n", number(p.lo), number(p.hi))
	} else {
		b.WriteString("\t\tsum += weight[k] * f\n")
	}
	b.WriteString("\t}\n\treturn sum\n}\n")
	return b.Bytes()
}

// python is a module with the function predict, for Python 3 alone.
func python(r *lder.Regressor) []byte {
	p := newProgram(r)
	l := p.layout()
	var b bytes.Buffer
	table := func(name string, write func()) {
		fmt.Fprintf(&b, "%s = (\n", name)
		write()
		b.WriteString(")\n")
	}
	numbers := func(name string, v []float64) { table(name, func() { list(&b, "    ", v, number) }) }
	numbers("_FILL", p.fill)
	numbers("_MEAN", p.mean)
	numbers("_SCALE", p.scale)
	table("_SHAPE", func() { list(&b, "    ", l.shape, integer) })
	numbers("_WEIGHT", l.weight)
	table("_FEATURE", func() { list(&b, "    ", l.features, integer) })
	numbers("_COEF", l.coef)
	b.WriteString("\n\ndef predict(x):\n    \"\"\"")
	for k, line := range p.describe() {
		if k > 0 {
			b.WriteString("    ")
		}
		b.WriteString(line + "\n")
	}
	b.WriteString(`    """
    z = []
    for v, fill, mean, scale in zip(x, _FILL, _MEAN, _SCALE):
        z.append(((fill if v != v else v) - mean) / scale)
    at = start = 0
    total = f = 0.0
    for k, weight in enumerate(_WEIGHT):
        r1, r2, n, first = _SHAPE[4 * k:4 * k + 4]
        if first:
            f = 0.0
        best = []
        for pieces in (r1, r2):
            values = []
            for _ in range(pieces):
                s = _COEF[at + n]
                for j in range(n):
                    s += _COEF[at + j] * z[_FEATURE[start + j]]
                values.append(s)
                at += n + 1
            best.append(max(values))
        start += n
        f += best[0] - best[1]
`)
	if p.clips() {
		fmt.Fprintf(&b, "        total += weight * min(max(f, %s), %s)\n", number(p.lo), number(p.hi))
	} else {
		b.WriteString("        total += weight * f\n")
	}
	b.WriteString("    return total\n")
	return b.Bytes()
}

// c is a C99 file with the function predict.
func c(r *lder.Regressor) []byte {
	p := newProgram(r)
	l := p.layout()
	var b bytes.Buffer
	b.WriteString("#include <math.h>\n\n")
	table := func(kind, name string, write func()) {
		fmt.Fprintf(&b, "static const %s %s[] = {\n", kind, name)
		write()
		b.WriteString("};\n")
	}
	numbers := func(name string, v []float64) {
		table("double", name, func() { list(&b, "    ", v, number) })
	}
	numbers("fill", p.fill)
	numbers("mean", p.mean)
	numbers("scale", p.scale)
	table("int", "shape", func() { list(&b, "    ", l.shape, integer) })
	numbers("weight", l.weight)
	table("int", "feature", func() { list(&b, "    ", l.features, integer) })
	numbers("coef", l.coef)
	b.WriteString(`
static double largest(const double **coef, const double *z, const int *feature, int pieces, int n)
{
    double best = -INFINITY;
    for (int k = 0; k < pieces; k++) {
        double s = (*coef)[n];
        for (int j = 0; j < n; j++)
            s += (*coef)[j] * z[feature[j]];
        if (s > best)
            best = s;
        *coef += n + 1;
    }
    return best;
}

/*
`)
	for _, line := range p.describe() {
		fmt.Fprintf(&b, " * %s\n", line)
	}
	fmt.Fprintf(&b, ` */
double predict(const double *x)
{
    double z[%d], sum = 0, f = 0;
    const double *next = coef;
    const int *from = feature;
    for (int j = 0; j < %d; j++)
        z[j] = ((isnan(x[j]) ? fill[j] : x[j]) - mean[j]) / scale[j];
    for (int k = 0; k < %d; k++) {
        const int *s = shape + 4 * k;
        if (s[3])
            f = 0;
        double u = largest(&next, z, from, s[0], s[2]);
        f += u - largest(&next, z, from, s[1], s[2]);
        from += s[2];
`, len(p.features), len(p.features), len(l.weight))
	if p.clips() {
		fmt.Fprintf(&b, "        sum += weight[k] * fmin(fmax(f, %s), %s);\n", number(p.lo), number(p.hi))
	} else {
		b.WriteString("        sum += weight[k] * f;\n")
	}
	b.WriteString("    }\n    return sum;\n}\n")
	return b.Bytes()
}
