package kkt

import "math"

// Blocks are twins where each component has one vector in either, the same but
// for a factor of the component and factors of the columns: the data of one
// sample below the parameters of several classes or pieces. The vectors of one of
// them serve for all, which keeps them near; and what twins add to the border is
// a symmetric matrix, but for the factors, of which half is enough.

// alikeTwins is how much entries of twins may differ, relative to each: what
// scaling of rows and columns rounds, in both and in the factors.
const alikeTwins = 4e-15

// pair looks for twins of each block among those before it, after a load.
func (f *bordered) pair() {
	f.folded = false
	z := f.g // room: a factor for each vector
	for a := range f.blocks {
		b := &f.blocks[a]
		b.data, b.twin, b.factor = b.at, int32(a), nil
		if !f.everywhere(b) {
			continue
		}
		for t := range f.blocks[:a] {
			model := &f.blocks[t]
			if model.twin == int32(t) && model.width == b.width && f.everywhere(model) && f.match(b, model, z[b.gAt:]) {
				b.data, b.twin, b.factor = model.at, int32(t), f.factors[b.first:][:b.width]
				f.folded = true
				break
			}
		}
	}
	f.gatherKin()
	if f.folded {
		f.fold(z)
	}
}

// gatherKin lists the blocks by whose vectors they have.
func (f *bordered) gatherKin() {
	f.kin, f.kinPtr = f.kin[:0], f.kinPtr[:0]
	for t := range f.blocks {
		if int(f.blocks[t].twin) != t {
			continue
		}
		f.kinPtr = append(f.kinPtr, int32(len(f.kin)))
		for a := range f.blocks[t:] {
			if b := &f.blocks[t+a]; int(b.twin) == t {
				f.kin = append(f.kin, b)
			}
		}
	}
	f.kinPtr = append(f.kinPtr, int32(len(f.kin)))
}

// families is the number of sets of twins; a block without twins is one.
func (f *bordered) families() int { return len(f.kinPtr) - 1 }

// family is one of them: blocks that have their vectors in one place.
func (f *bordered) family(p int) []*block { return f.kin[f.kinPtr[p]:f.kinPtr[p+1]] }

// everywhere reports whether each component has one vector in the block.
func (f *bordered) everywhere(b *block) bool {
	for c, v := range b.ptr {
		if int(v) != c {
			return false
		}
	}
	return true
}

// match reports whether b is a twin of model, and sets the factors of the
// components and of the columns.
func (f *bordered) match(b, model *block, z []float64) bool {
	factor := f.factors[b.first:][:b.width]
	clear(factor) // 0: not known yet
	for c := range len(f.compPtr) - 1 {
		u, v := f.vec[model.at+c*b.width:][:b.width], f.vec[b.at+c*b.width:][:b.width]
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
			if !(math.Abs(v[j]-z[c]*e*factor[j]) <= alikeTwins*math.Abs(v[j])) {
				return false
			}
		}
	}
	return true
}

// fold moves the factors of the components, z, to the multiples of the rows.
func (f *bordered) fold(z []float64) {
	for a := range f.blocks {
		if b := &f.blocks[a]; b.factor == nil {
			for v := range b.vectors() {
				z[int(b.gAt)+v] = 1
			}
		}
	}
	for e, v := range f.which {
		if v >= 0 {
			f.multiple[e] *= z[f.blocks[f.rowBlock[e]].gAt+v]
		}
	}
	for k := range f.terms {
		f.terms[k].multiple *= z[f.terms[k].at]
	}
}

// unfold multiplies what the vectors have added to the border by the factors of
// the columns, and completes what twins have in half.
func (f *bordered) unfold() {
	n := len(f.border)
	for q := range f.blocks {
		b := &f.blocks[q]
		for p := range f.blocks[:q+1] {
			a := &f.blocks[p]
			switch s := f.s[a.first*n+b.first:]; {
			case a.twin != b.twin:
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

// columnFactor is that of the block's column j.
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
