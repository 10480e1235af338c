package ensemble

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dcopt/dcopt/lder/internal/refit"
)

// Features are chosen by an additive model Σ_j f_j(x_j) whose f_j are piecewise
// linear, with a group penalty on each f_j: the minimax concave penalty of Zhang
// 2010, Nearly unbiased variable selection, on the norm of f_j, as Breheny and Huang
// 2015, Group descent algorithms for nonconvex penalized linear and logistic
// regression models with grouped predictors. It is a difference of convex functions,
// λt − (t²/2γ for t ≤ γλ, else λt − γλ²/2). With groups made orthonormal, descent
// over one group at a time has a closed form.
const (
	// selectKnots is the number of bends of f_j, at equidistant quantiles.
	selectKnots = 4
	// selectConcavity is γ: 3, the default of Breheny and Huang.
	selectConcavity = 3.0
	// The path of λ ends at selectLeast of the λ at which the first group enters.
	selectSteps = 40
	selectLeast = .02
	// A pass over the groups that changes no norm by more than selectTol ends a λ.
	selectTol    = 1e-4
	selectPasses = 50
	// selectLevel is the probability that a product of two features that has no
	// part in the residual is taken for one that has, over all pairs together.
	selectLevel = .05
)

// group is the orthonormal basis of the piecewise linear functions of a feature: its
// values at the rows, weighted by the roots of their weights.
type group struct {
	feature int
	basis   [][]float64
	β       []float64
	norm    float64 // of the last β + Qᵀr, for the degrees of freedom
}

// selectFeatures returns the features on which the target of d depends, the one
// with the largest part first. It has those of the additive model with the least
// Bayesian information criterion (Schwarz 1978) along the path, and those of products of
// two features that are significant in its residual.
func selectFeatures(ctx context.Context, d *refit.Data) ([]int, error) {
	m := d.M
	root := make([]float64, m)
	rows := 0.0
	for i := range root {
		root[i] = math.Sqrt(d.Weight(i))
		if root[i] > 0 {
			rows++
		}
	}
	r := make([]float64, m)
	mean := d.Mean(d.Y)
	for i, y := range d.Y {
		r[i] = root[i] * (y - mean)
	}
	total := floats.Dot(r, r)
	var groups []group
	largest := 0.0
	for j := range d.N - 1 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if g := groupOf(d, j, root); len(g.basis) > 0 {
			groups = append(groups, g)
			largest = max(largest, norm(g.project(r))/math.Sqrt(float64(len(g.basis))))
		}
	}
	if !(total > Rounding) || len(groups) == 0 {
		return nil, nil
	}
	least := math.Inf(1)
	var best []group
	var residual []float64
	for step := range selectSteps {
		λ := largest * math.Pow(selectLeast, float64(step)/(selectSteps-1))
		if err := descend(ctx, groups, r, λ); err != nil {
			return nil, err
		}
		rss, free := floats.Dot(r, r), 1.0
		for k := range groups {
			if n := norm(groups[k].β); n > 0 {
				free += float64(len(groups[k].β)) * n / groups[k].norm
			}
		}
		if free > rows/2 {
			break
		}
		// What is below the rounding errors of the targets is one exact fit.
		if c := rows*math.Log(rss/total+Rounding) + math.Log(rows)*free; c < least {
			least = c
			best = slices.Clone(groups)
			for k := range best {
				best[k].β = slices.Clone(best[k].β)
			}
			residual = append(residual[:0], r...)
		}
	}
	part := make([]float64, d.N-1) // the share of each feature
	for _, g := range best {
		part[g.feature] = norm(g.β)
	}
	if err := products(ctx, d, root, residual, rows, part); err != nil {
		return nil, err
	}
	var chosen []int
	for j, v := range part {
		if v > 0 {
			chosen = append(chosen, j)
		}
	}
	slices.SortStableFunc(chosen, func(a, b int) int {
		switch {
		case part[a] > part[b]:
			return -1
		case part[a] < part[b]:
			return 1
		}
		return 0
	})
	return chosen, nil
}

// groupOf is x_j and its bends, made orthonormal, and orthogonal to the constants, by
// the method of Gram and Schmidt, twice; what depends on the columns before stays out.
func groupOf(d *refit.Data, j int, root []float64) group {
	values := make([]float64, d.M)
	for i := range values {
		values[i] = d.X[i*d.N+j]
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	g := group{feature: j}
	const dependent = 1e-6
	add := func(f func(x float64) float64) {
		v := make([]float64, d.M)
		for i, x := range values {
			v[i] = root[i] * f(x)
		}
		before := norm(v)
		for range 2 {
			floats.AddScaled(v, -floats.Dot(v, root), root)
			for _, q := range g.basis {
				floats.AddScaled(v, -floats.Dot(v, q), q)
			}
		}
		if n := norm(v); n > dependent*before && before > 0 {
			floats.Scale(1/n, v)
			g.basis = append(g.basis, v)
		}
	}
	add(func(x float64) float64 { return x })
	for k := range selectKnots {
		knot := sorted[(k+1)*d.M/(selectKnots+1)]
		add(func(x float64) float64 { return max(0, x-knot) })
	}
	g.β = make([]float64, len(g.basis))
	return g
}

// project is Qᵀr.
func (g *group) project(r []float64) []float64 {
	z := make([]float64, len(g.basis))
	for k, q := range g.basis {
		z[k] = floats.Dot(q, r)
	}
	return z
}

// descend minimises over one group at a time; r is the residual.
func descend(ctx context.Context, groups []group, r []float64, λ float64) error {
	for pass := range selectPasses {
		moved := 0.0
		for k := range groups {
			g := &groups[k]
			// After the first pass the groups that are 0 rest until the others do.
			if pass%10 != 0 && norm(g.β) == 0 {
				continue
			}
			moved = max(moved, g.update(r, λ*math.Sqrt(float64(len(g.basis)))))
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if moved < selectTol && pass%10 != 0 {
			// One pass over all groups decides.
			moved = 0
			for k := range groups {
				moved = max(moved, groups[k].update(r, λ*math.Sqrt(float64(len(groups[k].basis)))))
			}
			if moved < selectTol {
				return nil
			}
		}
		if pass == 0 && moved < selectTol {
			return nil
		}
	}
	return nil
}

// update sets β to the minimum over the group and returns by how much it moved.
func (g *group) update(r []float64, λ float64) float64 {
	z := g.project(r)
	floats.Add(z, g.β)
	g.norm = norm(z)
	scale := 1.0
	switch {
	case g.norm <= λ:
		scale = 0
	case g.norm <= selectConcavity*λ:
		scale = (1 - λ/g.norm) / (1 - 1/selectConcavity)
	}
	moved := 0.0
	for k, v := range z {
		step := scale*v - g.β[k]
		if step == 0 {
			continue
		}
		moved += step * step
		g.β[k] = scale * v
		floats.AddScaled(r, -step, g.basis[k])
	}
	return math.Sqrt(moved)
}

func norm(v []float64) float64 { return floats.Norm(v, 2) }

// products adds to part the features of products that are significant in the
// residual r of the additive model: two-sided, by the bound of Bonferroni.
func products(ctx context.Context, d *refit.Data, root, r []float64, rows float64, part []float64) error {
	n := d.N - 1
	pairs := float64(n) * float64(n-1) / 2
	if pairs < 1 {
		return nil
	}
	size := norm(r)
	if size == 0 {
		return nil
	}
	bar := distuv.UnitNormal.Quantile(1-selectLevel/2/pairs) / math.Sqrt(rows)
	limit := func(x float64) float64 { return min(max(x, -3), 3) } // no single row decides
	a, b, c := make([]float64, d.M), make([]float64, d.M), make([]float64, d.M)
	column := func(v []float64, j int) {
		for i := range v {
			v[i] = limit(d.X[i*d.N+j])
		}
	}
	for j := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		column(a, j)
		for k := range j {
			column(b, k)
			mean := 0.0
			for i, v := range b {
				c[i] = v * a[i]
				mean += root[i] * root[i] * c[i]
			}
			dot, squares := 0.0, 0.0
			for i, v := range c {
				e := root[i] * (v - mean)
				dot += e * r[i]
				squares += e * e
			}
			if squares <= Rounding {
				continue
			}
			corr := math.Abs(dot) / math.Sqrt(squares) / size
			if corr > bar {
				part[j] = max(part[j], corr*size)
				part[k] = max(part[k], corr*size)
			}
		}
	}
	return nil
}

// view has, for each bag, the columns that its members use, the constant last; nil:
// all of them.
type view [][]int

// of are the columns of bag k, nil: all.
func (v view) of(k int) []int {
	if v == nil {
		return nil
	}
	return v[k]
}

// widest is the largest number of columns of a bag; all is that of the data.
func (v view) widest(all int) int {
	if v == nil {
		return all
	}
	n := 0
	for _, c := range v {
		n = max(n, len(c))
	}
	return n
}

// few reports whether no bag has more than half of the features.
func (v view) few(all int) bool { return v != nil && 2*(v.widest(all)-1) <= all-1 }

// choose selects the features of each bag by its training rows. It returns nil where
// all bags take all of them, or where one has none.
func (b *bagging) choose(ctx context.Context) (view, error) {
	n := b.d.N - 1
	if n < 2 {
		return nil, nil
	}
	v := make(view, len(b.bags))
	err := b.each(len(b.bags), func(w *worker, k int) error {
		b.d.Gather(&w.data, b.bags[k].train, nil)
		features, err := selectFeatures(ctx, &w.data)
		if err != nil {
			return err
		}
		slices.Sort(features)
		v[k] = append(features, n)
		b.tell()
		return nil
	})
	if err != nil {
		return nil, err
	}
	whole := true
	for _, columns := range v {
		if len(columns) == 1 {
			return nil, nil
		}
		whole = whole && len(columns) == n+1
	}
	if whole {
		return nil, nil
	}
	return v, nil
}

// spread copies pieces of some columns to pieces of all n, with slope 0 for the others.
func spread(pieces []float64, columns []int, n int) []float64 {
	if columns == nil {
		return append([]float64(nil), pieces...)
	}
	k := len(columns)
	out := make([]float64, len(pieces)/k*n)
	for at := 0; at*k < len(pieces); at++ {
		for t, j := range columns {
			out[at*n+j] = pieces[at*k+t]
		}
	}
	return out
}
