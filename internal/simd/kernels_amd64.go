//go:build amd64 && !purego

package simd

// Have: this build has the kernels.
const Have = true

// Weights to NormInf are the loops over sides of package ipm, with AVX2, four
// entries at a time: n > 0 is a multiple of four. They round as the loops in Go do.

// Weights sets wt to z/(s + δz).
//
//go:noescape
func Weights(wt, s, z *float64, δ float64, n int)

// Targets sets b to rp − rc/z and t to sgn·wt·b.
//
//go:noescape
func Targets(b, t, rp, rc, z, wt, sgn *float64, n int)

// Slacks sets ds, which holds the steps of sgn·v, to (rc − s·dz)/z where s < z and
// to rp + δ·dz − ds elsewhere.
//
//go:noescape
func Slacks(ds, s, z, rp, rc, dz *float64, δ float64, n int)

// Centre sets rc to σμ − s·z − ds·dz.
//
//go:noescape
func Centre(rc, s, z, ds, dz *float64, σμ float64, n int)

// Advance adds α·d to v.
//
//go:noescape
func Advance(v, d *float64, α float64, n int)

// LeastRatio is the least of zero and the quotients d/v, v > 0. It divides where a quotient may be
// the least so far.
//
//go:noescape
func LeastRatio(d, v *float64, n int) float64

// Products is Σ (s + αp·ds)·(z + αd·dz).
//
//go:noescape
func Products(s, z, ds, dz *float64, αp, αd float64, n int) float64

// NormInf is the largest |v|, and whether all entries are numbers.
//
//go:noescape
func NormInf(v *float64, n int) (top float64, number bool)

// Balance multiplies entries of f by d = 1/√v, four at a time, as long as the products of all four
// are between least and most. It returns the number of entries done and the largest |d − 1| of
// these. n is a multiple of four, at least four.
//
//go:noescape
func Balance(f, v *float64, least, most float64, n int) (done int, change float64)

// SubtractTile subtracts x·y from c, height rows, 0 < height ≤ 4, with cols columns, 0 < cols ≤ 12.
// Entry (i, t) of x, height × k, is x[i·rowx+t·stepx]; rows of y, k × cols, are ldy apart, rows of
// c ldc; k > 0. For cols > 8 it reads twelve columns of y. It uses AVX2 and FMA.
//
//go:noescape
func SubtractTile(c, x, y *float64, ldc, rowx, stepx, ldy, k, height, cols int)

// SubtractWiderTile is SubtractTile for 0 < height ≤ 8 and 0 < cols ≤ 24, with AVX-512; it reads no
// columns of y but those. It rounds as SubtractTile.
//
//go:noescape
func SubtractWiderTile(c, x, y *float64, ldc, rowx, stepx, ldy, k, height, cols int)

// Weighted sets cols columns, 12 or at most 8, of dst to columns of src, each row times its weight.
// The rows of dst, count > 0, are ldd apart, rows of src ld, their weights step.
//
//go:noescape
func Weighted(dst, src, weights *float64, ldd, ld, step, count, cols int)

// Axpy, Dot and DotAxpy work on n ≥ 1 entries, with FMA.

// Axpy adds α·x to dst.
//
//go:noescape
func Axpy(dst, x *float64, α float64, n int)

// Dot is Σ x·y.
//
//go:noescape
func Dot(x, y *float64, n int) float64

// DotAxpy is Σ v·x; it adds α·v to dst.
//
//go:noescape
func DotAxpy(v, x, dst *float64, α float64, n int) float64

// Gather sets sum[i] to Σ x[e]·u[8·at[e] + i] over e < n, n > 0. It uses AVX2 and FMA.
//
//go:noescape
func Gather(sum *[8]float64, x *float64, at *int32, u *float64, n int)

// Rotate turns rows of 16 columns, ld apart: the last one, at z, with the one before it, that with
// the one before, count times, count > 0. The row before, x, and the one after it, y, become c·x −
// s·y and s·x + c·y, with c and s the next two of turns.
//
//go:noescape
func Rotate(z, turns *float64, ld, count int)

// RotateWider is Rotate for 32 columns, with AVX-512. It rounds as Rotate.
//
//go:noescape
func RotateWider(z, turns *float64, ld, count int)

// Tile sets sum[2i+j] to Σ a[i·ld+t]·b[j·ld+t] over t < n, for i < 4 and j < 2.
//
//go:noescape
func Tile(a, b *float64, ld, n int, sum *[8]float64)

// SolveRows solves u Lᵀ = a for the first cols ≤ 64 columns of height > 0 rows, with the unit lower
// triangle L at l, and overwrites a by u times the entries of inverse. Rows, also of L, are ld ≤ 64
// entries apart. With open ≠ 0 it subtracts u Lᵀ besides from columns cols to cols + 7 of the rows,
// as far as they reach, L being the rows from cols on, a multiple of eight. Room for u is in
// solved: eight times cols, which counts as a multiple of eight, as the length of inverse does.
// Rows and l are read up to Beyond entries further. It uses AVX2 and FMA. The terms of a block of
// eight columns with those before it are added up, by fused products, before they are subtracted;
// inside a block products are rounded, so that equal terms leave nothing. Of 16 runs of nql60 of
// CBLIB with sums in other orders all end at its solution; where fused products are subtracted one
// by one, 9 of 13 do.
//
//go:noescape
func SolveRows(rows, l, inverse, solved *float64, ld, height, cols, open int)

// SolveWiderRows is SolveRows with AVX-512.
//
//go:noescape
func SolveWiderRows(rows, l, inverse, solved *float64, ld, height, cols, open int)

// SubtractWiderRows subtracts row i of x·y from the cols ≤ 24 entries of val from at[i] on, for i <
// rows, rows > 0. Rows of x, rows × k, are ldx ≤ 64 entries apart, rows of y, k × cols, ldy, no
// less than cols rounded up to a multiple of eight. Sums are fused, or of rounded products where
// fused is 0. x is read up to Beyond entries further. It uses AVX-512.
//
//go:noescape
func SubtractWiderRows(val *float64, at *int, x, y *float64, ldx, ldy, k, rows, cols, fused int)

// PackWider sets eight columns of dst, k × 8 and up to seven rows more, to rows of src, ld ≤ 64
// entries apart, each entry times its weight: where bit c of mask is on, column c to the next row,
// where it is off, to zero. Of mask 255 it reads eight rows. src and weights are read up to Beyond
// and seven entries further. It uses AVX-512.
//
//go:noescape
func PackWider(dst, src, weights *float64, ldd, ld, k, mask int)

// MulPanel sets y to the product of a panel of 4·groups rows, groups > 0, with x.
//
//go:noescape
func MulPanel(panel *float64, groups, width int, x, y *float64)

// SubtractMulPanelT subtracts from x the product of the transposed panel, of 4·groups
// rows, groups > 0, with y.
//
//go:noescape
func SubtractMulPanelT(panel *float64, groups, width int, y, x *float64)

// SubtractPanel subtracts the product of a panel of 4·groups rows with own from the entries of x
// that rows names, groups > 0. It rounds as MulPanel.
//
//go:noescape
func SubtractPanel(panel *float64, groups, width int, own, x *float64, rows *int32)

// SubtractWiderPanelT subtracts from own the product of the transposed panel, of 4·groups rows,
// groups > 0, with the entries of x that rows names. It rounds as SubtractMulPanelT, reads up to 15
// entries beyond the panel, and uses AVX-512.
//
//go:noescape
func SubtractWiderPanelT(panel *float64, groups, width int, own, x *float64, rows *int32)

// The kernels of fits of maxima of affine pieces, with AVX2 and FMA: panels of rows
// have widths that are multiples of eight.

// Pieces sets v, k × width, to the products of coef, k × n, and x, n × width.
//
//go:noescape
func Pieces(v, coef, x *float64, k, n, width int)

// Probe sets loss to the sums of the weighted squared errors at seven steps along
// the changes c of the values v of k pieces, of which the first r1 belong to
// the first maximum; with hinge ≠ 0, of errors beyond the margin.
//
//go:noescape
func Probe(v, c, y, w, steps *float64, width, r1, k, hinge int, loss *[7]float64)

// Regions moves v by step·c and sets region to the numbers of the largest pieces,
// −1 for rows within their margin. It returns the sum of the weighted squared errors.
//
//go:noescape
func Regions(v, c *float64, step float64, y, w *float64, width, r1, k, hinge int, region *int32) (loss float64)

// Moves takes rows whose region is another from the sums of the old one to the sums of
// the new one, and sets old to new. moved is memory of as many numbers as rows.
//
//go:noescape
func Moves(sums *float64, size int, old, new, moved *int32, x, y, w *float64, rows, n, ld int)

// Standardise sets z to the rows x, a multiple of four, each ld long, a multiple of four: NaN
// replaced by fill, mean subtracted, times inverse. columns has the same numbers, one column
// after the other.
//
//go:noescape
func Standardise(z, columns, x, fill, mean, inverse *float64, rows, ld int)

// Gram adds w z zᵀ of the rows of z with the count > 0 numbers in order to sums, in tiles of four
// rows on and above the diagonal. Rows of both are ld long, a multiple of four.
//
//go:noescape
func Gram(sums, z, w *float64, order *int32, count, ld int)

// Cholesky overwrites the upper triangle of the matrix in front, of a multiple of four
// in size, by its factor U with reciprocals on the diagonal, and the columns behind it
// B, ld − size in number, also a multiple of four, by U⁻ᵀB. It reports whether the
// matrix is positive definite.
//
//go:noescape
func Cholesky(u *float64, size, ld int) bool

// AddBlock adds sign times the rows of src, ld long, a multiple of four, to the rows of
// dst, which are ldd apart.
//
//go:noescape
func AddBlock(dst *float64, ldd int, src *float64, rows, ld int, sign float64)
