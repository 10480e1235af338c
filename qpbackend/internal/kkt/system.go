package kkt

import (
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// System is the matrix, its factorisation and workspace. It is for one
// goroutine.
type System struct {
	n, m  int
	p     *sparse.CSC // the caller's, upper triangle of H
	at    *sparse.CSC // the caller's, columns are rows of A
	tri   triangle
	f     factor
	more  float64   // see Outweigh
	heavy []float64 // the diagonal with that; made when first needed
	cones cones
	by    products
	ref   refinement
}

// triangle is the upper triangle of the matrix, exact.
type triangle struct {
	k        *sparse.CSC
	pPos     []int     // place in k.Val of each entry of p
	diag     []int     // place in k.Val of each diagonal entry
	d        []float64 // the diagonal
	hd       []float64 // diagonal of H, as loaded
	sign     []int8
	diagonal bool   // H is
	loaded   bool   // there has been a Load
	off      []bool // as loaded
}

// products says how products with the matrix are made.
type products struct {
	vectors *arrowhead // where products by way of its vectors cost least
	both    bool       // they do for AddBoth too
	off     bool       // some rows or variables are
	wide    vectors    // of neighbouring entries
}

// refinement is the room of Solve.
type refinement struct {
	res       []float64
	cor       []float64
	ax        []float64 // A·x of the last residual
	weight    []float64 // of the entries of a residual,
	weighed   bool      // once they are
	conjugate conjugate // with eliminated blocks
}

// cones are the blocks.
type cones struct {
	blocks []Block
	gone   []bool // they are eliminated
	extra  []int  // of each block, the first of its columns behind the rows; −1 for none
	behind bool   // all entries of blocks are in such columns
}

// conjugate refines solutions of systems with eliminated blocks further, by generalised conjugate
// residuals (Eisenstat, Elman and Schultz 1983) with the factor as preconditioner. Near the end the
// Schur complement has eigenvalues below the rounding errors of the large ones, in the directions
// in which x of a problem without strict interior runs off. There the factor is far from the
// matrix, and refinement by its corrections alone stops. The products by way of the scaling's
// factor have these digits.
type conjugate struct {
	dir, image [directions][]float64 // images without the eliminated rows, which are zero
	norm       [directions]float64   // squares of the images' norms
	before     []float64             // the residual
}

// Source: directions 3 for all, conjugateSteps 8 for 20 and conjugateLag 2 for none: of hinf2 to
// hinf14, control1, control3, qap6, gpp100, gpp124 and gpp250 of SDPLIB all reach 1.1e-6 in any
// case but 20, where gpp250-4 ends at 4e-6. Without these steps hinf6, hinf8, hinf14 and gpp250-4
// end at 4e-6 to 7e-6.
const (
	directions     = 3 // that are kept: in exact arithmetic one is enough, the matrices being symmetric
	conjugateSteps = 8
	conjugateLag   = 2 // steps that have to halve the residual
)

// Block is a range of rows that has −G − diag(g) in the matrix instead of
// −diag(g), G positive semidefinite: the scaling of a cone.
//
// A dense block stores G. An expanded one has G = diag + uuᵀ − vvᵀ with
// diag − vvᵀ positive definite, and stores u and v alone, as two columns behind
// the rows,
//
//	⎡ −diag  v   u ⎤
//	⎢  vᵀ   −1     ⎥
//	⎣  uᵀ        1 ⎦
//
// so that the fill grows with the length and not with its square.
type Block struct {
	Start, Len int
	Expanded   bool
	Order      int // of the matrices of a semidefinite cone; 0 for any other

	// Own says that the rows hold one variable each, in this order, that no other row of these has,
	// and that has no entry in H nor in its diagonal: a matrix variable. Nil where it is none.
	Own []int
}
