package export

import "github.com/dcopt/dcopt/lder"

// table is a name and the list of numbers under it.
type table struct {
	name code
	list []code
	ints bool
}

// tables are the numbers of a program.
func (p *program) tables() []table {
	l := p.layout()
	numbers := func(v []float64) []code { return each(v, number) }
	return []table{
		{"fill", numbers(p.fill), false}, {"mean", numbers(p.mean), false}, {"scale", numbers(p.scale), false},
		{"shape", each(l.shape, integer), true}, {"weight", numbers(l.weight), false},
		{"feature", each(l.features, integer), true}, {"coef", numbers(l.coef), false},
	}
}

func each[T any](v []T, text func(T) code) []code {
	out := make([]code, len(v))
	for k, e := range v {
		out[k] = text(e)
	}
	return out
}

// write puts the numbers between two lines, several on one.
func (t *table) write(d *document, open, indent, end code) {
	d.add(open, "\n")
	for k := 0; k < len(t.list); k += 8 {
		d.add(indent, join(t.list[k:min(k+8, len(t.list))], ", "), ",\n")
	}
	d.add(end, "\n")
}

// golang is a file of a package named model with the function Predict.
func golang(r *lder.Regressor) []byte {
	p := newProgram(r)
	d := &document{}
	d.add("package model\n\nimport \"math\"\n\n")
	d.add("// Predict returns ", goName(p.target), " for the features\n//\n")
	for j, name := range p.features {
		d.add("//\tx[", integer(j), "]  ", goName(name), "\n")
	}
	d.add("//\n// NaN stands for a missing value.\nfunc Predict(x []float64) float64 {\n")
	for _, t := range p.tables() {
		kind := code("float64")
		if t.ints {
			kind = "int"
		}
		t.write(d, "\t"+t.name+" := [...]"+kind+"{", "\t\t", "\t}")
	}
	d.add("\tvar z [", integer(len(p.features)), `]float64
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
		sum += weight[k] * `, p.clipped("f", "math.Min(math.Max(f, ", ")"), `
	}
	return sum
}
`)
	return d.bytes()
}

// clipped is the variable, or the expression that keeps it between two ends, in the language.
func (p *program) clipped(variable, open, end code) code {
	if !p.clips() {
		return variable
	}
	return open + number(p.lo) + "), " + number(p.hi) + end
}

// python is a module with the function predict, for Python 3 alone.
func python(r *lder.Regressor) []byte {
	p := newProgram(r)
	d := &document{}
	names := map[code]code{"fill": "_FILL", "mean": "_MEAN", "scale": "_SCALE", "shape": "_SHAPE", "weight": "_WEIGHT",
		"feature": "_FEATURE", "coef": "_COEF"}
	for _, t := range p.tables() {
		t.write(d, names[t.name]+" = (", "    ", ")")
	}
	d.add("\n\ndef predict(x):\n    \"\"\"predict returns ", pythonName(p.target), " for the features\n")
	for j, name := range p.features {
		d.add("      x[", integer(j), "]  ", pythonName(name), "\n")
	}
	d.add(`    NaN stands for a missing value.
    """
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
        total += weight * `, p.clipped("f", "min(max(f, ", ")"), `
    return total
`)
	return d.bytes()
}

// c is a C99 file with the function predict.
func c(r *lder.Regressor) []byte {
	p := newProgram(r)
	d := &document{}
	d.add("#include <math.h>\n\n")
	for _, t := range p.tables() {
		kind := code("double")
		if t.ints {
			kind = "int"
		}
		t.write(d, "static const "+kind+" "+t.name+"[] = {", "    ", "};")
	}
	d.add(`
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
 * predict returns `, cName(p.target), " for the features\n")
	for j, name := range p.features {
		d.add(" *   x[", integer(j), "]  ", cName(name), "\n")
	}
	n := integer(len(p.features))
	d.add(` * NaN stands for a missing value.
 */
double predict(const double *x)
{
    double z[`, n, `], sum = 0, f = 0;
    const double *next = coef;
    const int *from = feature;
    for (int j = 0; j < `, n, `; j++)
        z[j] = ((isnan(x[j]) ? fill[j] : x[j]) - mean[j]) / scale[j];
    for (int k = 0; k < `, integer(len(p.layout().weight)), `; k++) {
        const int *s = shape + 4 * k;
        if (s[3])
            f = 0;
        double u = largest(&next, z, from, s[0], s[2]);
        f += u - largest(&next, z, from, s[1], s[2]);
        from += s[2];
        sum += weight[k] * `, p.clipped("f", "fmin(fmax(f, ", ")"), `;
    }
    return sum;
}
`)
	return d.bytes()
}
