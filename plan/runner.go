package plan

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/lder/shards"
)

// Runner computes shards of a plan. It keeps their common parts, such as data that were read,
// and is for one goroutine.
type Runner struct {
	// Sources of parts of tables; nil: its own.
	Sources *Sources

	plan   *Plan
	id     string
	dir    string
	file   *lang.File
	prog   *lang.Program
	cache  lang.Cache
	tables map[int]*dataset.Data
	parts  *shards.Files
}

// NewRunner makes a runner. Files whose content is not in the plan are looked for in the
// folder dir first, unless it is empty.
func NewRunner(p *Plan, dir string) *Runner { return &Runner{plan: p, id: p.ID(), dir: dir} }

// PanicError says that a shard has panicked.
type PanicError struct {
	Shard int
	Value any
	Stack string
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("shard %d has panicked: %v", e.Shard, e.Value)
}

// Run computes shard i. When ctx ends before, its error is returned and there is no result:
// a shard is computed whole or not at all. A panic becomes a *PanicError.
func (r *Runner) Run(ctx context.Context, i int) (res *Result, err error) {
	if err := r.plan.CheckShard(i); err != nil {
		return nil, err
	}
	defer func() {
		if v := recover(); v != nil {
			res, err = nil, &PanicError{i, v, string(debug.Stack())}
		}
	}()
	res = &Result{Plan: r.id, Shard: i}
	switch r.plan.Kind() {
	case "study":
		res.Fold, err = r.measure(ctx, i)
	case "round":
		res.Answer, err = r.sum(ctx, i)
	case "fit":
		err = errors.New("the shards of a fit are computed in rounds")
	default:
		res.Solved, err = r.solve(ctx, i)
	}
	if err != nil {
		return nil, err
	}
	return res, nil
}
