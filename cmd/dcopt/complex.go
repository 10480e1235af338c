package main

import (
	"errors"
	"math"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang"
)

// blocks are the variables at x, a complex one by both of its parts.
func blocks(p *dc.Problem, x []float64) (out []block) {
	for _, v := range p.Vars {
		switch {
		case v.Complex == "":
			out = append(out, block{name: v.Name, shape: v.Shape, origin: v.Origin, v: v.Values(x)})
		case v.Imag:
			out[len(out)-1].im = v.Values(x)
		default:
			out = append(out, block{name: v.Complex, shape: v.Shape, origin: v.Origin, v: v.Values(x)})
		}
	}
	return out
}

// complexValue is an array of complex numbers in JSON.
func complexValue(re, im any) object { return object{{"re", re}, {"im", im}} }

// json is the values in JSON.
func (b *block) json() any {
	if b.im == nil {
		return nested{b.shape, b.v}
	}
	return complexValue(nested{b.shape, b.v}, nested{b.shape, b.im})
}

// number is entry k in text, a complex one as 1.5-2i.
func (b *block) number(k int, full bool) string {
	re := show(b.v[k], digits(6, full))
	if b.im == nil {
		return re
	}
	im, sign := b.im[k], "+"
	if im < 0 || math.Signbit(im) && im != 0 {
		im, sign = -im, "-"
	}
	return re + sign + show(im, digits(6, full)) + "i"
}

// complexDuals joins the multipliers of the real and the imaginary part of a complex
// family: its name is that of the family.
func complexDuals(o object) object {
	out := object{}
	for k := 0; k < len(o); k++ {
		base, imag, ok := dc.PartOf(o[k].name)
		switch next := k + 1; {
		case ok && !imag && next < len(o) && o[next].name == dc.ImagPart(base):
			out = append(out, member{base, complexValue(o[k].value, o[next].value)})
			k++
		default:
			out = append(out, o[k])
		}
	}
	return out
}

// hermitianDual is the multiplier of psd(H) for a Hermitian H.
func hermitianDual(p *dc.Problem, c *dc.Constraint, y []float64) (any, bool) {
	for _, v := range p.Vars {
		if v.Complex == "" || v.Imag || !v.Semidefinite() || c.Family != "psd("+v.Complex+")" {
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
		return complexValue(nested{v.Shape, re}, nested{v.Shape, im}), true
	}
	return nil, false
}

// complexStart adds the start of a complex variable, by its parts.
func complexStart(to map[string]lang.Start, name string, parts map[string]any) error {
	re, okRe := parts["re"]
	im, okIm := parts["im"]
	if !okRe || !okIm || len(parts) != 2 {
		return errors.New(`complex numbers are an object with the members "re" and "im"`)
	}
	var a, b lang.Start
	if err := errors.Join(flatten(&a, re, 0), flatten(&b, im, 0)); err != nil {
		return err
	}
	to[dc.RealPart(name)], to[dc.ImagPart(name)] = a, b
	return nil
}
