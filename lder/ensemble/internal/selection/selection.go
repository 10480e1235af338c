package selection

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dcopt/dcopt/lder/internal/refit"
)

// Features are chosen by an additive model Σ_j f_j(x_j) whose f_j are piecewise
// linear, with a group penalty on each f_j: the minimax concave penalty of Zhang
// 2010, Nearly unbiased variable selection, on the norm of f_j, as Breheny and Huang
// 2015, Group descent algorithms for nonconvex penalized linear and logistic
// regression models with grouped predictors. The penalty is a difference of convex
// functions, λt − h(t) with h(t) = t²/2γ for t ≤ γλ and λt − γλ²/2 beyond. With groups made
// orthonormal, the minimum over one group at a time has a closed form.
const (
	// knots is the number of bends of f_j, at equidistant quantiles.
	knots = 4
	// concavity is γ.
	// Source: gamma of grpreg, the package of Breheny and Huang.
	concavity = 3.0
	// The path has steps values of λ, from that at which the first group enters down to lowest
	// times it. Source: grpreg ends at .001 and .05 times it for many and for few rows, after 100
	// values; 40 are a limit of time.
	steps  = 40
	lowest = .02 // Source: as steps
	// A pass over the groups that moves none by more than tol, where the target
	// has norm 1, ends a λ; so do passes of them.
	// Source: eps of grpreg.
	tol = 1e-4
	// Source: a limit of time; the criterion takes the best λ, converged or not.
	passes = 50
	// level is the probability that any product of two features is taken for a
	// part of the residual where none is.
	// Source: the usual level of tests.
	level = .05
	// mostRows bounds the rows used, and mostWork the operations for the
	// inner products of the groups: of more features those with the
	// largest groups by themselves are kept, as Fan and Lv 2008, Sure independence
	// screening.
	// Source: limits of time: 1e9 operations take half a second.
	mostRows = 4000
	// Source: as mostRows.
	mostWork = 1e9
	// normalLimit is where standardised features are cut off in products, so that no
	// single row decides: .3 % of normal ones lie beyond.
	normalLimit = 3
)

// additive is the least squares problem of the additive model. Its columns are
// orthonormal within a group and orthogonal to the constants, times the roots of the
// weights of the rows.
type additive struct {
	groups []group
	basis  *mat.Dense // a row for each column
	gram   *mat.SymDense
	total  float64   // ‖y‖²
	rhs    []float64 // the inner products of the columns and y
	slope  []float64 // rhs − gram·β
	β      []float64
	rows   float64 // the number of rows with a weight
	// features is the number of those that vary, those that were screened out among them.
	features int
}

// group is the piecewise linear functions of a feature.
type group struct {
	feature int
	lo, hi  int // its columns
	// norm of the least squares solution of the group, with the others fixed,
	// when it was last moved.
	norm float64
}

// Features returns the features on which the target of d depends, the one with the largest part
// first: the features of the additive model of the path with the least criterion, with the degrees
// of freedom of Breheny and Huang, and of products of two features that are significant in its
// residual: two-sided tests with the variances of White 1980, A heteroskedasticity-consistent
// covariance matrix estimator, and Bonferroni's correction. Of none that counts, it returns the one
// with the largest group by itself, and feature 0 where the target or all features are constant.
func Features(ctx context.Context, d *refit.Data) ([]int, error) {
	if d.M > mostRows {
		// An even share of the rows, in their order: rows of a bag are not sorted by target.
		rows := make([]int, mostRows)
		for k := range rows {
			rows[k] = k * d.M / mostRows
		}
		part := &refit.Data{}
		d.Gather(part, rows, nil)
		d = part
	}
	root := make([]float64, d.M)
	for i := range root {
		root[i] = math.Sqrt(d.Weight(i))
	}
	a, err := newAdditive(ctx, d, root)
	if err != nil {
		return nil, err
	}
	if a == nil {
		return []int{0}, nil
	}
	β, err := a.path(ctx)
	if err != nil {
		return nil, err
	}
	part := make([]float64, d.N-1) // the size of the part of each feature
	for _, g := range a.groups {
		part[g.feature] = floats.Norm(β[g.lo:g.hi], 2)
	}
	if err := a.products(ctx, d, root, β, part); err != nil {
		return nil, err
	}
	var chosen []int
	for j, v := range part {
		if v > 0 {
			chosen = append(chosen, j)
		}
	}
	if len(chosen) == 0 {
		return []int{a.groups[0].feature}, nil
	}
	slices.SortStableFunc(chosen, func(i, j int) int { return cmp.Compare(part[j], part[i]) })
	return chosen, nil
}

// newAdditive is nil where the target or all features are constant.
func newAdditive(ctx context.Context, d *refit.Data, root []float64) (*additive, error) {
	y := make([]float64, d.M)
	mean := d.Mean(d.Y)
	a := &additive{}
	for i, v := range d.Y {
		y[i] = root[i] * (v - mean)
		if root[i] > 0 {
			a.rows++
		}
	}
	a.total = floats.Dot(y, y)
	if !(a.total > refit.Rounding) {
		return nil, nil
	}
	type wave struct {
		feature int
		columns [][]float64
		size    float64
	}
	var waves []wave
	keep := int(math.Sqrt(mostWork/float64(d.M))) / (knots + 1)
	least := func() {
		slices.SortStableFunc(waves, func(v, w wave) int { return cmp.Compare(w.size, v.size) })
		waves = waves[:min(len(waves), max(1, keep))]
	}
	for j := range d.N - 1 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		columns := bends(d, j, root)
		if len(columns) == 0 {
			continue
		}
		sum := 0.0
		for _, q := range columns {
			v := floats.Dot(q, y)
			sum += v * v
		}
		a.features++
		waves = append(waves, wave{j, columns, sum / float64(len(columns))})
		if len(waves) > 2*keep+2 {
			least()
		}
	}
	least()
	if len(waves) == 0 {
		return nil, nil
	}
	n := 0
	for _, w := range waves {
		a.groups = append(a.groups, group{feature: w.feature, lo: n, hi: n + len(w.columns)})
		n += len(w.columns)
	}
	a.basis = mat.NewDense(n, d.M, nil)
	for k, w := range waves {
		for t, q := range w.columns {
			a.basis.SetRow(a.groups[k].lo+t, q)
		}
	}
	a.gram = &mat.SymDense{}
	a.gram.SymOuterK(1, a.basis)
	a.rhs, a.β = make([]float64, n), make([]float64, n)
	mat.NewVecDense(n, a.rhs).MulVec(a.basis, mat.NewVecDense(d.M, y))
	a.slope = slices.Clone(a.rhs)
	return a, nil
}

// bends are x_j and max(0, x_j − t) for the knots t, made orthonormal by the method of
// Gram and Schmidt, twice; those that depend on the ones before are left out.
func bends(d *refit.Data, j int, root []float64) [][]float64 {
	values := make([]float64, d.M)
	for i := range values {
		values[i] = d.X[i*d.N+j]
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	const dependent = 1e-6 // of the length. Source: derived: a hundred times the root of the rounding errors
	var all [][]float64
	add := func(knot float64) {
		v := make([]float64, d.M)
		for i, x := range values {
			v[i] = root[i] * max(0, x-knot)
		}
		before := floats.Norm(v, 2)
		for range 2 {
			floats.AddScaled(v, -floats.Dot(v, root), root)
			for _, q := range all {
				floats.AddScaled(v, -floats.Dot(v, q), q)
			}
		}
		if n := floats.Norm(v, 2); n > dependent*before && before > 0 {
			floats.Scale(1/n, v)
			all = append(all, v)
		}
	}
	add(sorted[0]) // x_j
	for k := range knots {
		add(sorted[(k+1)*d.M/(knots+1)])
	}
	return all
}

// path returns β at the λ of least extended Bayesian information criterion, with γ of
// Chen and Chen 2008, Extended Bayesian information criteria for model selection with
// large model spaces, that is consistent: 0 up to √rows features.
func (a *additive) path(ctx context.Context) (best []float64, err error) {
	largest := 0.0
	for _, g := range a.groups {
		largest = max(largest, floats.Norm(a.rhs[g.lo:g.hi], 2)/math.Sqrt(float64(g.hi-g.lo)))
	}
	best = make([]float64, len(a.β))
	least := math.Inf(1)
	all := float64(a.features)
	γ := max(0, 1-math.Log(a.rows)/2/math.Log(max(all, 2)))
	for step := range steps {
		if err := a.descend(ctx, largest*math.Pow(lowest, float64(step)/(steps-1))); err != nil {
			return nil, err
		}
		count := 0.0 // of the groups that are not 0
		rss, free := max(0, a.total-floats.Dot(a.β, a.rhs)-floats.Dot(a.β, a.slope)), 1.0
		for _, g := range a.groups {
			if n := floats.Norm(a.β[g.lo:g.hi], 2); n > 0 {
				free += float64(g.hi-g.lo) * n / g.norm
				count++
			}
		}
		if 2*free > a.rows { // the residuals tell too little
			break
		}
		// A residual below the rounding errors of the target is none.
		c := a.rows*math.Log(rss/a.total+refit.Rounding) + math.Log(a.rows)*free + 2*γ*logBinomial(all, count)
		if c < least {
			least = c
			copy(best, a.β)
		}
	}
	return best, nil
}

// logBinomial is the logarithm of n over k.
func logBinomial(n, k float64) float64 {
	lg := func(x float64) float64 { v, _ := math.Lgamma(x + 1); return v }
	return lg(n) - lg(k) - lg(n-k)
}

// descend minimises over one group after another until none moves.
func (a *additive) descend(ctx context.Context, λ float64) error {
	tol := tol * math.Sqrt(a.total)
	for pass, all := 0, true; pass < passes; pass++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		moved := 0.0
		for k := range a.groups {
			g := &a.groups[k]
			if all || floats.Norm(a.β[g.lo:g.hi], 2) > 0 {
				moved = max(moved, a.move(g, λ*math.Sqrt(float64(g.hi-g.lo))))
			}
		}
		if moved <= tol && all {
			return nil
		}
		// Groups that are 0 wait until the others rest.
		all = moved <= tol
	}
	return nil
}

// move sets the coefficients of a group to the minimum over them and returns by
// how much they change.
func (a *additive) move(g *group, λ float64) float64 {
	n := g.hi - g.lo
	z := make([]float64, n)
	floats.AddTo(z, a.slope[g.lo:g.hi], a.β[g.lo:g.hi])
	g.norm = floats.Norm(z, 2)
	scale := 1.0
	switch {
	case g.norm <= λ:
		scale = 0
	case g.norm <= concavity*λ:
		scale = (1 - λ/g.norm) / (1 - 1/concavity)
	}
	moved := 0.0
	raw := a.gram.RawSymmetric()
	for t, v := range z {
		k := g.lo + t
		step := scale*v - a.β[k]
		if step == 0 {
			continue
		}
		moved += step * step
		a.β[k] = scale * v
		// The upper triangle of the Gram matrix has column k above its diagonal.
		for i := range k {
			a.slope[i] -= step * raw.Data[i*raw.Stride+k]
		}
		floats.AddScaled(a.slope[k:], -step, raw.Data[k*raw.Stride+k:k*raw.Stride+raw.N])
	}
	return math.Sqrt(moved)
}

// products adds to part the features of products that are significant in the
// residual of β. Of many features the pairs of those with the largest groups are
// tried, within mostWork.
func (a *additive) products(ctx context.Context, d *refit.Data, root, β, part []float64) error {
	groups := a.groups[:min(len(a.groups), max(2, int(math.Sqrt(mostWork/10/float64(d.M)))))]
	pairs := float64(len(groups)*(len(groups)-1)) / 2
	if pairs == 0 {
		return nil
	}
	r := make([]float64, d.M)
	mean := d.Mean(d.Y)
	for i, y := range d.Y {
		r[i] = root[i] * (y - mean)
	}
	for k, v := range β {
		if v != 0 {
			floats.AddScaled(r, -v, a.basis.RawRowView(k))
		}
	}
	size := floats.Norm(r, 2)
	if !(size*size > refit.Rounding) {
		return nil
	}
	significant := distuv.UnitNormal.Quantile(1 - level/2/pairs)
	columns := make([][]float64, len(groups))
	for k, g := range groups {
		columns[k] = make([]float64, d.M)
		for i := range columns[k] {
			columns[k][i] = min(max(d.X[i*d.N+g.feature], -normalLimit), normalLimit)
		}
	}
	v := make([]float64, d.M)
	for j := range groups {
		if err := ctx.Err(); err != nil {
			return err
		}
		for k := range j {
			floats.MulTo(v, columns[j], columns[k])
			floats.Mul(v, root)
			floats.AddScaled(v, -floats.Dot(v, root), root)
			n := floats.Norm(v, 2)
			if n == 0 {
				continue
			}
			sum, squares := 0.0, 0.0
			for i, e := range v {
				sum += e * r[i]
				squares += e * r[i] * e * r[i]
			}
			if math.Abs(sum) > significant*math.Sqrt(squares) {
				c, p, q := math.Abs(sum)/n, groups[j].feature, groups[k].feature
				part[p], part[q] = max(part[p], c), max(part[q], c)
			}
		}
	}
	return nil
}
