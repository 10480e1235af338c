package dc

import (
	"errors"
	"fmt"

	"github.com/dcopt/dcopt/internal/convex"
)

// ComplexVar adds complex variables of the given shape, none for a scalar: two real
// variables, named re(name) and im(name). Attributes that are drawn, StartNormal and
// StartUniform, hold for both parts; StartAt sets the real part and leaves 0 for the
// imaginary one, StartAtComplex sets both. Complex numbers have no order: AtLeast,
// AtMost, Symmetric and PSD are errors of Problem.
func (m *Model) ComplexVar(name string, shape []int, opts ...VarOption) Complex {
	return m.complexVar(name, shape, false, opts)
}

// HermitianVar adds a Hermitian matrix of order n: its real part is symmetric and its
// imaginary part skew, of which x has the upper triangles. With PSD it is positive
// semidefinite, by a constraint named psd(name) on the matrix [Re −Im; Im Re] of order
// 2n. The other attributes are as in ComplexVar.
func (m *Model) HermitianVar(name string, n int, opts ...VarOption) Complex {
	return m.complexVar(name, []int{n, n}, true, opts)
}

func (m *Model) complexVar(name string, shape []int, hermitian bool, opts []VarOption) Complex {
	if m = m.orNone(); m.names[name] {
		m.fail(fmt.Errorf("dc: variable %s is declared twice", name))
	}
	var parts [2]*Variable
	var made [2]Expr
	for k, part := range []string{RealPart(name), ImagPart(name)} {
		v := &Variable{Name: part, Shape: append([]int(nil), shape...), Complex: name, Imag: k == 1}
		check := func(v *Variable) error {
			switch {
			case v.Lo != nil || v.Hi != nil:
				return errors.New("complex numbers have no order, so no bounds; bound the parts or the modulus by " +
					"constraints")
			case !hermitian && (v.Symmetric || v.semidefinite):
				return errors.New("a complex matrix is declared Hermitian by HermitianVar")
			}
			v.Symmetric, v.Skew = hermitian && !v.Imag, hermitian && v.Imag
			if v.Imag && v.Start.Kind == StartValues && v.Start.modulus == 0 {
				v.Start.Values = make([]float64, convex.Size(v.Shape))
			}
			return nil
		}
		parts[k], made[k] = v, m.declare(v, append(opts[:len(opts):len(opts)], check))
	}
	if m.names != nil { // a variable was added
		m.names[name] = true
	}
	z := Complex{made[0], made[1]}
	if parts[0].semidefinite && convex.Size(shape) > 0 && z.Err() == nil {
		c := z.Semidefinite().Named("psd(" + name + ")")
		c.implied = true
		m.SubjectTo(c)
	}
	return z
}
