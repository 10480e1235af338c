package exact

import (
	"math/big"
	"slices"
)

// matrixFunction is a function of a symmetric matrix of K rows, the first K*K
// arguments row by row; OpMatFrac has a vector of K behind it. sigma_max and
// normnuc are of the same symmetric matrices.
func (ev *Evaluator) matrixFunction(n *Node, args []Value) (Value, error) {
	k := n.K
	m, size, moved := make([][]*big.Float, k), Bounded(), Bounded()
	for i := range m {
		for j := range k {
			a := args[i*k+j]
			m[i] = append(m[i], a.V)
			moved.Add(moved, a.Err)
			size.Add(size, Bounded().Abs(a.V))
		}
	}
	values := ev.eigenvalues(m)
	// An eigenvalue moves at most by the norm of what is added to the matrix.
	moved.Add(moved, Bounded().Mul(size, Bounded().SetFloat64(Ulps*Unit*float64(k))))
	all := Bounded().Mul(moved, Bounded().SetFloat64(float64(k)))
	sum := func(v []*big.Float) *big.Float {
		s := ev.num()
		for _, e := range v {
			s.Add(s, e)
		}
		return s
	}
	switch n.Op {
	case OpLambdaMax:
		return ev.rounded(values[0], moved, 1), nil
	case OpLambdaMin:
		return ev.rounded(values[k-1], moved, 1), nil
	case OpLambdaLargest2:
		return ev.rounded(sum(values[:2]), all, 2), nil
	case OpSigmaMax, OpNormNuc:
		for i := range values {
			values[i] = ev.Abs(values[i])
		}
		if n.Op == OpNormNuc {
			return ev.rounded(sum(values), all, 2), nil
		}
		slices.SortFunc(values, func(a, b *big.Float) int { return b.Cmp(a) })
		return ev.rounded(values[0], moved, 1), nil
	}
	least := values[k-1]
	if least.Sign() <= 0 {
		return Value{}, &DomainError{n.String()}
	}
	gap := Bounded().Sub(least, moved)
	share := farAway() // of the least eigenvalue that the error is
	if gap.Sign() > 0 {
		share = Bounded().Quo(moved, gap)
	}
	if n.Op == OpLogDet {
		det := ev.Of(1)
		for _, e := range values {
			det.Mul(det, e)
		}
		l, _ := ev.log(det)
		return ev.rounded(l, share.Mul(share, Bounded().SetFloat64(float64(k))), Ulps), nil
	}
	return ev.matFrac(m, args[k*k:], least, share)
}

// matFrac is v'M^-1 v by Gaussian elimination, which needs no pivots for a
// positive definite M. The error has a part of M, a share of its least eigenvalue,
// and a part of v: 2 |M^-1 v| |e|, with |M^-1| = 1/least.
func (ev *Evaluator) matFrac(m [][]*big.Float, v []Value, least, share *big.Float) (Value, error) {
	k := len(m)
	rows := make([][]*big.Float, k)
	for i := range rows {
		rows[i] = append(slices.Clone(m[i]), v[i].V)
	}
	for i := range k {
		for r := i + 1; r < k; r++ {
			f := ev.quo(rows[r][i], rows[i][i])
			for c := i; c <= k; c++ {
				rows[r][c] = ev.Sub(rows[r][c], ev.mul(f, rows[i][c]))
			}
		}
	}
	y, norm, moved := make([]*big.Float, k), Bounded(), Bounded()
	total := ev.num()
	for i := k - 1; i >= 0; i-- {
		s := rows[i][k]
		for c := i + 1; c < k; c++ {
			s = ev.Sub(s, ev.mul(rows[i][c], y[c]))
		}
		y[i] = ev.quo(s, rows[i][i])
		total.Add(total, ev.mul(y[i], v[i].V))
		norm.Add(norm, Bounded().Abs(y[i]))
		moved.Add(moved, v[i].Err)
	}
	err := Bounded().Mul(Bounded().SetFloat64(2), Bounded().Mul(norm, moved))
	second := Bounded().Mul(moved, moved)
	err.Add(err, second.Quo(second, Bounded().Set(least)))
	err.Add(err, Bounded().Mul(share, Bounded().Abs(total)))
	return ev.rounded(total, err, Ulps*float64(k)), nil
}

// eigenvalues of a symmetric matrix, the largest first, by Jacobi's rotations,
// whose convergence is quadratic at the end.
func (ev *Evaluator) eigenvalues(m [][]*big.Float) []*big.Float {
	k := len(m)
	a := make([][]*big.Float, k)
	for i := range a {
		a[i] = slices.Clone(m[i])
	}
	for range 12 {
		for p := range k {
			for q := p + 1; q < k; q++ {
				ev.rotate(a, p, q)
			}
		}
	}
	values := make([]*big.Float, k)
	for i := range values {
		values[i] = a[i][i]
	}
	slices.SortFunc(values, func(a, b *big.Float) int { return b.Cmp(a) })
	return values
}

// rotate makes a[p][q] zero: with theta = (a_qq - a_pp) / (2 a_pq) the tangent
// of the angle is sign(theta) / (|theta| + sqrt(theta^2 + 1)).
func (ev *Evaluator) rotate(a [][]*big.Float, p, q int) {
	if a[p][q].Sign() == 0 {
		return
	}
	theta := ev.quo(ev.Sub(a[q][q], a[p][p]), ev.mul(ev.Of(2), a[p][q]))
	root, _ := ev.sqrt(ev.add(ev.mul(theta, theta), ev.Of(1)))
	t := ev.quo(ev.Of(1), ev.add(ev.Abs(theta), root))
	if theta.Sign() < 0 {
		t = ev.Neg(t)
	}
	root, _ = ev.sqrt(ev.add(ev.mul(t, t), ev.Of(1)))
	c := ev.quo(ev.Of(1), root)
	s := ev.mul(t, c)
	for i := range a {
		u, v := a[i][p], a[i][q]
		a[i][p] = ev.Sub(ev.mul(c, u), ev.mul(s, v))
		a[i][q] = ev.add(ev.mul(s, u), ev.mul(c, v))
	}
	for j := range a {
		u, v := a[p][j], a[q][j]
		a[p][j] = ev.Sub(ev.mul(c, u), ev.mul(s, v))
		a[q][j] = ev.add(ev.mul(s, u), ev.mul(c, v))
	}
}
