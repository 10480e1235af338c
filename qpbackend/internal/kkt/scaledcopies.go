package kkt

import "math"

// Two blocks B₁ and B₂ of border columns are scaled copies where each component c
// has one vector in either, and B₂ = αc·B₁·diag(β) there: the data of one sample
// below the parameters of several classes or pieces. The vectors of one of them
// serve for all, which keeps them in a near cache; and their contribution to the
// Schur complement is a symmetric matrix but for αc and β, so that one triangle of
// it is enough. Without copies the problem of dcbench qp --lder takes 1.13 to 1.23 times the
// processor time (BenchmarkRegression of bench/internal/instance, three pairs of runs).

// sameCopies is how much entries of scaled copies may differ, relative to each:
// the rounding of the scaling of rows and columns, in both and in the factors.
// Source: derived: 9 roundings of 2.2e-16 each in either copy, two of them.
const sameCopies = 4e-15

// findCopies looks for the block before each one that it is a scaled copy of, after
// a load.
func (f *arrowhead) findCopies() {
	f.schur.halved = false
	z := f.room.g // room: a factor for each vector
	for a := range f.blocks {
		b := &f.blocks[a]
		b.data, b.copyOf, b.factor = b.at, int32(a), nil
		if !f.everywhere(b) {
			continue
		}
		for t := range f.blocks[:a] {
			model := &f.blocks[t]
			if model.copyOf == int32(t) && model.width == b.width && f.everywhere(model) &&
				f.match(b, model, z[b.gAt:]) {
				b.data, b.copyOf, b.factor = model.at, int32(t), f.schur.factors[b.first:][:b.width]
				f.schur.halved = true
				break
			}
		}
	}
	f.groupCopies()
	if f.schur.halved {
		f.halve(z)
	}
}

// groupCopies lists the blocks by whose vectors they have.
func (f *arrowhead) groupCopies() {
	f.schur.copies, f.schur.copiesPtr = f.schur.copies[:0], f.schur.copiesPtr[:0]
	for t := range f.blocks {
		if int(f.blocks[t].copyOf) != t {
			continue
		}
		f.schur.copiesPtr = append(f.schur.copiesPtr, int32(len(f.schur.copies)))
		for a := range f.blocks[t:] {
			if b := &f.blocks[t+a]; int(b.copyOf) == t {
				f.schur.copies = append(f.schur.copies, b)
			}
		}
	}
	f.schur.copiesPtr = append(f.schur.copiesPtr, int32(len(f.schur.copies)))
}

// groups is the number of sets of scaled copies; a block without any is one.
func (f *arrowhead) groups() int { return len(f.schur.copiesPtr) - 1 }

// group is one of them: blocks that have their vectors in one place.
func (f *arrowhead) group(p int) []*block {
	return f.schur.copies[f.schur.copiesPtr[p]:f.schur.copiesPtr[p+1]]
}

// everywhere reports whether each component has one vector in the block.
func (f *arrowhead) everywhere(b *block) bool {
	for c, v := range b.ptr {
		if int(v) != c {
			return false
		}
	}
	return true
}

// match reports whether b is a scaled copy of model, and sets the factors of the
// components and of the columns.
func (f *arrowhead) match(b, model *block, z []float64) bool {
	factor := f.schur.factors[b.first:][:b.width]
	clear(factor) // 0: not known yet
	for c := range len(f.form.compPtr) - 1 {
		u, v := f.rows.vec[model.at+c*b.width:][:b.width], f.rows.vec[b.at+c*b.width:][:b.width]
		lead, top := -1, 0.0
		for j, e := range u {
			if factor[j] != 0 && math.Abs(e) > top {
				lead, top = j, math.Abs(e)
			}
		}
		switch {
		case lead >= 0:
			z[c] = v[lead] / (u[lead] * factor[lead])
		case c == 0:
			z[c] = 1
		default:
			return false
		}
		if z[c] == 0 {
			return false
		}
		for j, e := range u {
			if factor[j] == 0 && e != 0 {
				factor[j] = v[j] / (z[c] * e)
			}
			if !(math.Abs(v[j]-z[c]*e*factor[j]) <= sameCopies*math.Abs(v[j])) {
				return false
			}
		}
	}
	return true
}

// halve moves the factors of the components, z, to the multiples of the rows, so
// that one triangle of the contribution of a group is enough.
func (f *arrowhead) halve(z []float64) {
	for a := range f.blocks {
		if b := &f.blocks[a]; b.factor == nil {
			for v := range b.vectors() {
				z[int(b.gAt)+v] = 1
			}
		}
	}
	for e, v := range f.rows.which {
		if v >= 0 {
			f.rows.multiple[e] *= z[f.blocks[f.rows.block[e]].gAt+v]
		}
	}
	for k := range f.rows.terms {
		f.rows.terms[k].multiple *= z[f.rows.terms[k].at]
	}
}

// restore multiplies the vectors' part of the Schur complement by the
// factors of the columns, and completes the triangles of groups.
func (f *arrowhead) restore() {
	n := len(f.form.border)
	for q := range f.blocks {
		b := &f.blocks[q]
		for p := range f.blocks[:q+1] {
			a := &f.blocks[p]
			switch s := f.schur.s[a.first*n+b.first:]; {
			case a.copyOf != b.copyOf:
				for j := range a.width {
					row := s[j*n:][:b.width]
					for k := range row {
						row[k] *= a.columnFactor(j) * b.columnFactor(k)
					}
				}
			default:
				for j := range a.width {
					for k := j; k < b.width; k++ {
						v := s[j*n+k]
						s[j*n+k] = v * (a.columnFactor(j) * b.columnFactor(k))
						if k > j && p < q {
							s[k*n+j] = v * (a.columnFactor(k) * b.columnFactor(j))
						}
					}
				}
			}
		}
	}
}

// columnFactor is the factor of the block's column j.
func (l *block) columnFactor(j int) float64 {
	if l.factor == nil {
		return 1
	}
	return l.factor[j]
}

// fromBorder sets dst, over the whole border, to x in the block's columns, times
// their factors.
func (l *block) fromBorder(dst, x []float64) {
	dst, x = dst[l.first:][:l.width], x[l.first:][:l.width]
	copy(dst, x)
	for j, v := range l.factor {
		dst[j] *= v
	}
}

// toBorder adds x in the block's columns, times their factors, to dst.
func (l *block) toBorder(dst, x []float64) {
	dst, x = dst[l.first:][:l.width], x[l.first:][:l.width]
	if l.factor == nil {
		for j, v := range x {
			dst[j] += v
		}
		return
	}
	for j, v := range l.factor {
		dst[j] += v * x[j]
	}
}
