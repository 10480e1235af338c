package judge

import (
	"math"

	"github.com/dcopt/dcopt/internal/judge/exact"
)

// matrices has functions of symmetric matrices of two or three rows whose entries
// are affine.
func (s *source) matrices() *Problem {
	s.box(1+s.IntN(3), s.log10(-2, 2))
	p := &Problem{Lo: s.lo, Hi: s.hi, Planted: s.point()}
	p.Objective = exact.Add(exact.Scale(s.sign()*s.weight(), s.matrixAtom()),
		exact.Scale(s.sign()*s.weight(), s.matrixAtom()), s.atom())
	for range 1 + s.IntN(2) {
		if r, ok := s.feasibleRow(exact.Add(exact.Scale(s.weight(), s.matrixAtom()), s.affine()), p.Planted); ok {
			p.Constraints = append(p.Constraints, Constraint{Rows: []Row{r}})
		}
	}
	if s.IntN(2) == 0 {
		p.Start = s.point()
	}
	return p
}

func (s *source) matrixAtom() *exact.Node {
	ops := [...]exact.Op{exact.OpLogDet, exact.OpMatFrac, exact.OpLambdaMax, exact.OpLambdaMin, exact.OpLambdaLargest2,
		exact.OpSigmaMax, exact.OpNormNuc}
	op := ops[s.IntN(len(ops))]
	k := 2 + s.IntN(2)
	args := make([]*exact.Node, k*k)
	apart := make([]float64, k) // the sums of the entries beside the diagonal
	for i := range k {
		for j := range i {
			c := s.coefs()
			shift := s.coef()
			args[i*k+j] = exact.Affine(c, shift)
			args[j*k+i] = args[i*k+j]
			most := s.largest(c) + math.Abs(shift)
			apart[i] += most
			apart[j] += most
		}
	}
	for i := range k {
		args[i*k+i] = s.affine()
		if op == exact.OpLogDet || op == exact.OpMatFrac { // diagonally dominant
			args[i*k+i] = exact.Add(s.positive(), exact.Const(digits(1.01*apart[i], 6)))
		}
	}
	if op == exact.OpMatFrac {
		for range k {
			args = append(args, s.affine())
		}
	}
	return &exact.Node{Op: op, K: k, Args: args}
}
