package report

import (
	"math"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/program"
)

// Blocks are the variables at x, a complex one by both of its parts.
func Blocks(p *program.Problem, x []float64) (out []Block) {
	for _, v := range p.Vars {
		switch {
		case v.Complex == "":
			out = append(out, Block{Name: v.Name, Shape: v.Shape, Origin: v.Origin, V: v.Values(x)})
		case v.Imag:
			out[len(out)-1].Im = v.Values(x)
		default:
			out = append(out, Block{Name: v.Complex, Shape: v.Shape, Origin: v.Origin, V: v.Values(x)})
		}
	}
	return out
}

// complexValue is an array of complex numbers in JSON.
func complexValue(re, im any) Object { return Object{{"re", re}, {"im", im}} }

// JSON is the values in JSON.
func (b *Block) JSON() any {
	if b.Im == nil {
		return Nested{b.Shape, b.V}
	}
	return complexValue(Nested{b.Shape, b.V}, Nested{b.Shape, b.Im})
}

// number is entry k in text, a complex one as 1.5-2i.
func (b *Block) number(k int, full bool) string {
	re := Show(b.V[k], digits(6, full))
	if b.Im == nil {
		return re
	}
	im, sign := b.Im[k], "+"
	if im < 0 || math.Signbit(im) && im != 0 {
		im, sign = -im, "-"
	}
	return re + sign + Show(im, digits(6, full)) + "i"
}

// ComplexDuals joins the multipliers of the real and the imaginary part of a complex
// family: it has the name of the family.
func ComplexDuals(o Object) Object {
	out := Object{}
	for k := 0; k < len(o); k++ {
		base, imag, ok := program.PartOf(o[k].Name)
		switch next := k + 1; {
		case ok && !imag && next < len(o) && o[next].Name == program.ImagPart(base):
			out = append(out, Member{base, complexValue(o[k].Value, o[next].Value)})
			k++
		default:
			out = append(out, o[k])
		}
	}
	return out
}

// HermitianDual is the multiplier of psd(H) for a Hermitian H.
func HermitianDual(p *program.Problem, c *program.Constraint, y []float64) (any, bool) {
	for _, v := range p.Vars {
		if v.Complex == "" || v.Imag || !v.Semidefinite || c.Family != "psd("+v.Complex+")" {
			continue
		}
		n := v.Shape[0]
		if len(y) != 4*n*n {
			break
		}
		re, im := make([]float64, n*n), make([]float64, n*n)
		for k, z := range dc.ComplexDual(n, y) {
			re[k], im[k] = real(z), imag(z)
		}
		return complexValue(Nested{v.Shape, re}, Nested{v.Shape, im}), true
	}
	return nil, false
}
