package ldl

import (
	"context"
	"slices"

	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// AnalyseJoined is Analyse for matrices with large dense parts. Columns that do
// not touch one another but have the same rows below, as those of variables that
// are in all rows of one dense block, share a supernode, with zeros between them:
// one product instead of many updates of rank one.
func AnalyseJoined(ctx context.Context, k *sparse.CSC, perm []int) (*Factor, error) {
	f, err := newFactor(ctx, k, perm)
	if err != nil {
		return nil, err
	}
	f.joined = true
	return f, f.choose(ctx)
}

// leastJoined is the number of rows below from which joining pays.
// Source: a limit of speed; results depend on it by rounding alone.
const leastJoined = 16

// siblings decides which columns are joined: leaves of the elimination tree, one
// after the other, with the same rows.
type siblings struct {
	f    *Factor
	leaf []bool
}

func newSiblings(f *Factor) siblings {
	if !f.joined {
		return siblings{}
	}
	leaf := make([]bool, f.n)
	for j := range leaf {
		leaf[j] = true
	}
	for _, p := range f.parent {
		if p >= 0 {
			leaf[p] = false
		}
	}
	return siblings{f, leaf}
}

// join reports whether column j belongs to the last supernode of those that
// begin at first. The zeros within it stay below a quarter.
func (s siblings) join(first []int32, j int32) bool {
	if s.f == nil || j == 0 || !s.leaf[j] || !s.leaf[j-1] {
		return false
	}
	f, width := s.f, j-first[len(first)-1]
	return f.parent[j] == f.parent[j-1] && f.count[j] == f.count[j-1] && f.count[j] >= leastJoined &&
		width < maxWidth && 2*width < f.count[j] && slices.Equal(s.below(j), s.below(j-1))
}

// below are the rows of column j of the matrix below the diagonal, those of L
// for a leaf.
func (s siblings) below(j int32) []int32 {
	rows := s.f.low.col(int(j))
	for len(rows) > 0 && rows[0] <= j {
		rows = rows[1:]
	}
	return rows
}
