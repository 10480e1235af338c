package export

import (
	"errors"
	"fmt"
	"math"

	"github.com/dcopt/dcopt/internal/enum"
	"github.com/dcopt/dcopt/lder"
)

// Format is a kind of text.
type Format uint8

// The formats.
const (
	Text Format = iota
	Go
	Python
	C
	LaTeX
	numFormat
)

var formatText = [numFormat]string{"text", "go", "python", "c", "latex"}

// String is the format's name, such as "python".
func (f Format) String() string { return enum.String(f, "Format", formatText[:]) }

// ParseFormat is the inverse of String.
func ParseFormat(name string) (Format, error) {
	return enum.Parse[Format](name, "export: no format", formatText[:])
}

// Export returns the regressor as text.
func Export(r *lder.Regressor, f Format) ([]byte, error) {
	if r.Model == nil && r.Ensemble == nil {
		return nil, errors.New("export: the regressor is not fitted")
	}
	switch f {
	case Text:
		return formula(r)
	case LaTeX:
		return latex(r)
	case Go:
		return golang(r), nil
	case Python:
		return python(r), nil
	case C:
		return c(r), nil
	}
	return nil, fmt.Errorf("export: unknown format %v", f)
}

// program has the numbers of the functions, the same in all languages.
type program struct {
	features []string
	target   string
	fill     []float64
	mean     []float64
	scale    []float64
	lo, hi   float64 // ±Inf: no clipping
	chains   []lder.Chain
}

func newProgram(r *lder.Regressor) *program {
	p := &program{
		features: r.Features, target: r.Target,
		fill: r.Imputer.Fill, mean: r.Scaler.Mean, scale: r.Scaler.Scale,
		lo: r.Clip.Lo, hi: r.Clip.Hi,
	}
	if r.Ensemble != nil {
		p.chains = r.Ensemble.Chains
	} else {
		p.chains = []lder.Chain{{Parts: []lder.Part{{Model: r.Model}}, Stops: []lder.Stop{{After: 1, Weight: 1}}}}
	}
	return p
}

// layout is the chains as flat tables: for each part r1, r2, the number of its
// features and the weight of the stop behind it (0: none), its features, and
// its coefficients, each piece with its constant last.
type layout struct {
	shape    []int // r1, r2, n, first of a chain (1 or 0), three numbers and a mark a part
	weight   []float64
	features []int
	coef     []float64
}

func (p *program) layout() layout {
	var l layout
	for _, chain := range p.chains {
		stops := map[int]float64{}
		for _, s := range chain.Stops {
			stops[s.After] = s.Weight
		}
		first := 1
		for k, part := range chain.Parts {
			part.Each(func(m *lder.Model, features []int) {
				if features == nil {
					for j := range p.features {
						features = append(features, j)
					}
				}
				r1, r2, n := m.Dims()
				l.shape = append(l.shape, r1, r2, n, first)
				l.weight = append(l.weight, 0)
				l.features = append(l.features, features...)
				l.coef = append(l.coef, m.Params()...)
				first = 0
			})
			l.weight[len(l.weight)-1] = stops[k+1]
		}
	}
	return l
}

func (p *program) clips() bool { return !math.IsInf(p.lo, 0) || !math.IsInf(p.hi, 0) }
