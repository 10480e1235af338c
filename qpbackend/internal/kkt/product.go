package kkt

// subtract takes xᵀy from the part of the border at blocks a and b, where x and
// y have k rows; of a block with itself or a scaled copy, from the upper triangle at
// least.
func (f *arrowhead) subtract(x, y []float64, k int, a, b *block) {
	n := len(f.border)
	s := f.s[a.first*n+b.first:]
	f.product.Subtract(s, n, x, y, k, a.width, b.width, a.width, b.width, a.copyOf == b.copyOf)
}
