package plan

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/lder/shards"
)

// Fit is the training of a model on a table in parts, of which each is a file of the plan and a
// shard.
type Fit struct {
	Target       string   `json:"target"`
	Exclude      []string `json:"exclude,omitempty"` // columns that are no features
	DecimalComma bool     `json:"decimal_comma,omitempty"`
	Training     Training `json:"training"`
	// Folds is the number of folds of a cross-validation beside the fit, 0: none.
	Folds int `json:"folds,omitempty"`
	// Bags is the number of members of a bagged model, 0: one fit of all rows.
	Bags int `json:"bags,omitempty"`
	// Round is the question to the parts; nil: this is the fit, whose rounds Plan.Rounds finds.
	Round *shards.Round `json:"round,omitempty"`
}

// OfFit makes the plan of a fit over files, which stay where they are.
func OfFit(ctx context.Context, f Fit, paths []string) (*Plan, error) {
	p := &Plan{Format: Version, Shards: len(paths), Fit: &f}
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		file, err := describe(path, path)
		if err != nil {
			return nil, err
		}
		p.Files = append(p.Files, file)
	}
	return p, p.validate()
}

// check refuses a fit that cannot be begun.
func (f *Fit) check() error {
	if f.Target == "" {
		return errors.New("a fit wants a target")
	}
	_, _, err := f.begin(1)
	return err
}

// begin begins the fit.
func (f *Fit) begin(parts int) (*lder.Regressor, *shards.Reduction, error) {
	set, err := f.Training.Settings()
	if err != nil {
		return nil, nil, err
	}
	r := lder.NewRegressor(set)
	r.Target = f.Target
	red, err := shards.NewReduction(r, shards.Options{Parts: parts, Exclude: f.Exclude, Folds: f.Folds, Bags: f.Bags})
	return r, red, err
}

// sum computes a shard of a round.
func (r *Runner) sum(ctx context.Context, i int) (*shards.Answer, error) {
	f := r.plan.Fit
	if r.parts == nil {
		if r.Sources == nil {
			r.Sources = &Sources{}
		}
		r.parts = &shards.Files{Paths: make([]string, len(r.plan.Files)),
			Options: dataset.Options{DecimalComma: f.DecimalComma}, Open: r.Sources.Open}
		r.parts.Find = func(k int) (string, shards.Watch, error) { return r.Sources.look(&r.plan.Files[k], r.dir) }
	}
	a, err := f.Round.Sum(ctx, r.parts, i)
	var other *otherError
	if errors.As(err, &other) { // known now, so that the next place where it may be is looked at
		a, err = f.Round.Sum(ctx, r.parts, i)
	}
	return a, r.plan.named(err)
}

// Trained is the outcome of a fit.
type Trained struct {
	Model  *lder.Regressor
	Scores shards.Scores // of the cross-validation
	Rounds int
}

// MissingError says that shards of a round have no result.
type MissingError struct {
	Round   int // from 0
	Missing []int
	Damaged []error
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("round %d: parts without sums: %s", e.Round, Ranges(e.Missing))
}

// RoundDir is the folder of the results of a round, within the folder of the fit.
func RoundDir(dir string, number int) string {
	return filepath.Join(dir, fmt.Sprintf("round-%04d", number))
}

// Rounds goes through the rounds of a fit, whose results are in folders within dir. Where a round
// lacks results, compute is asked to put them into the folder; nil: there is nobody to ask, and the
// error is a *MissingError, as it is where compute leaves some out. The model depends on the plan
// and the parts alone, so that processes that share dir, or none, get the same one.
func (p *Plan) Rounds(ctx context.Context, dir string,
	compute func(ctx context.Context, round *Plan, dir string) error) (*Trained, error) {
	if p.Kind() != "fit" {
		return nil, fmt.Errorf("this is the plan of a %s, not of a fit", p.Kind())
	}
	if compute != nil {
		if _, err := OpenFolder(dir, p); err != nil {
			return nil, err
		}
	}
	r, red, err := p.Fit.begin(p.Shards)
	if err != nil {
		return nil, err
	}
	out := &Trained{Model: r}
	for round := red.Round(); round != nil; round = red.Round() {
		f := *p.Fit
		f.Round = round
		q := &Plan{Format: Version, Shards: p.Shards, Fit: &f, Files: p.Files}
		at := RoundDir(dir, round.Number)
		joined, err := joinRound(q, at)
		if err == nil && compute != nil && len(joined.Missing) > 0 {
			if err := compute(ctx, q, at); err != nil {
				return nil, err
			}
			joined, err = joinRound(q, at)
		}
		if err != nil {
			return nil, err
		}
		if len(joined.Missing) > 0 {
			return nil, &MissingError{round.Number, joined.Missing, joined.Damaged}
		}
		for _, res := range joined.Results {
			if err := red.Add(ctx, res.Answer); err != nil {
				return nil, p.named(err)
			}
		}
		out.Rounds++
	}
	out.Scores = red.Scores()
	return out, nil
}

// joinRound is Join of a folder that may not be there.
func joinRound(q *Plan, dir string) (*Joined, error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return Join(q, nil)
	}
	return Join(q, []string{dir})
}

// named is err; of a part it names the file.
func (p *Plan) named(err error) error {
	return shards.Named(err, func(part int) string { return p.Files[part].Name })
}
