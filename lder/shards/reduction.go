package shards

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/lder/ensemble"
	"github.com/dcopt/dcopt/lder/internal/refit"
)

// SampleRows bounds the rows of the sample in which a fit starts.
// Source: a limit of time: 65536 rows with 10 features are fitted in about a second.
const SampleRows = 1 << 16

// Options of a fit beside the settings of the regressor.
type Options struct {
	// Parts is how many there are.
	Parts int
	// Exclude are columns that are no features. They count where the regressor has no names of
	// features: then all other columns of the first part are.
	Exclude []string
	// Folds is the number of folds of a cross-validation beside the fit, 0 or 1: none. The rows
	// are dealt by the hash of part, row and Settings.Seed. Method cheap has folds of its own.
	Folds int
	// Bags is the number of members of a bagged model: Breiman 1996, Bagging predictors. Each is a
	// fit in which rows count as often as they are drawn, by the hash of part, row and
	// Settings.Seed; the model is their mean. 0: one fit of all rows. Bags have errors on rows that
	// they did not draw, and no folds.
	Bags int
}

// Reduction is a fit that sees sums of parts alone: the reducing half of map and reduce. It asks
// for a Round, is given the Answer of each part in order, and so on until there is no round any
// more. The model depends on the answers alone.
type Reduction struct {
	r   *lder.Regressor
	opt Options

	most   int // rows of the sample
	n      int // features and the 1
	round  *Round
	part   int // whose answer comes next
	number int

	moments [][]moments // by fold: target and features
	sample  *sample
	short   uint64 // the least key at which the sample of a part was cut
	rows    float64

	all     Member // the standardisation by all rows
	clip    lder.Range
	members []*member
	penalty []refit.Penalty // of the families of a stack
	total   []Sums
	cross   []Vector

	scores Scores
	err    error // of the recorder
	ended  bool  // by the recorder
}

// Scores are the errors of a cross-validation, by fold.
type Scores struct{ FVU, MSE []float64 }

// member is a fit of a Reduction.
type member struct {
	Member
	clip   lder.Range
	red    *refit.Reducer
	placed bool // the direction is known
	done   bool
	status ccp.Status
	first  float64 // loss at the start
}

// stackFolds is the number of folds of a stack.
// Source: Breiman 1996, Bagging predictors: ten.
const stackFolds = 10

// NewReduction begins a fit of r, whose settings must have the method refit, or cheap for a stack
// whose members are by refit, and fill gaps by the mean or a constant. r.Target must have the
// name; r.Features may.
func NewReduction(r *lder.Regressor, opt Options) (*Reduction, error) {
	set := r.Settings
	if err := set.Validate(); err != nil {
		return nil, err
	}
	switch {
	case set.Method != lder.Refit && set.Method != lder.Cheap:
		return nil, fmt.Errorf("shards: the method %v needs all rows at once; refit and cheap do not", set.Method)
	case !imputed(set.Imputation):
		return nil, fmt.Errorf("shards: gaps are filled by %v, which needs all rows at once; want mean or a constant",
			set.Imputation)
	case set.MaxFeatures > 0:
		return nil, errors.New("shards: features are not chosen over a table in parts")
	case opt.Parts < 1:
		return nil, errors.New("shards: want at least one part")
	case opt.Folds < 0 || opt.Folds > MostFolds:
		return nil, fmt.Errorf("shards: %d folds, want from 2 to %d, or none", opt.Folds, MostFolds)
	}
	if k := opt.Bags; k != 0 {
		switch {
		case set.Method != lder.Refit:
			return nil, fmt.Errorf("shards: bags are fits of the method refit, not of %v", set.Method)
		case opt.Folds > 1:
			return nil, errors.New("shards: bags have no folds: they have the errors on rows that they did not draw")
		case k < 2 || k > MostFolds:
			return nil, fmt.Errorf("shards: %d bags, want from 2 to %d, or none", k, MostFolds)
		}
	}
	f := &Reduction{r: r, opt: opt, most: SampleRows, number: -1}
	if set.Method == lder.Cheap {
		if opt.Folds > 1 {
			return nil, errors.New("shards: a stack has folds of its own")
		}
		f.opt.Folds = stackFolds
		f.penalty = ensemble.CheapPenalties()
	}
	f.ask(stepColumns)
	if len(r.Features) > 0 {
		f.survey()
	}
	return f, nil
}

// MostFolds bounds the folds, and the bags.
// Source: a limit of memory: a worker has the sums of all of them.
const MostFolds = 100

// Round is the next question to all parts, nil at the end.
func (f *Reduction) Round() *Round { return f.round }

// Scores are the errors of the cross-validation, at the end.
func (f *Reduction) Scores() Scores { return f.scores }

// PartError is the error of a part or its answer.
type PartError struct {
	Part int // from 0
	Err  error
}

func (e *PartError) Error() string { return fmt.Sprintf("shards: part %d: %v", e.Part, e.Err) }

// Named is err; of a part, with its name for its number.
func Named(err error, name func(part int) string) error {
	var e *PartError
	if errors.As(err, &e) {
		return fmt.Errorf("%s: %w", name(e.Part), e.Err)
	}
	return err
}

// Unwrap is Err.
func (e *PartError) Unwrap() error { return e.Err }

// ask begins a round.
func (f *Reduction) ask(step string) {
	f.number++
	f.part = 0
	f.round = &Round{Number: f.number, Step: step, Target: f.r.Target, Features: f.r.Features, Folds: f.opt.Folds,
		Seed: f.r.Settings.Seed}
}

// Add takes the answer of the next part. After the last one the next round is there.
func (f *Reduction) Add(ctx context.Context, a *Answer) error {
	if f.round == nil {
		return errors.New("shards: the fit has ended")
	}
	if err := f.fits(a); err != nil {
		return &PartError{f.part, err}
	}
	switch f.round.Step {
	case stepColumns:
		if f.part == 0 {
			f.r.Features = featuresOf(a.Columns, f.r.Target, f.opt.Exclude)
			for _, name := range f.opt.Exclude {
				if !slices.Contains(a.Columns, name) {
					return &PartError{0, fmt.Errorf("no column %q", name)}
				}
			}
			if len(f.r.Features) == 0 {
				return &PartError{0, errors.New("no column is left to be a feature")}
			}
		}
		for _, name := range append([]string{f.r.Target}, f.r.Features...) {
			if !slices.Contains(a.Columns, name) {
				return &PartError{f.part, fmt.Errorf("no column %q", name)}
			}
		}
	case stepMoments:
		for k, v := range a.Moments {
			for j, m := range momentsOf(v) {
				f.moments[k][j].merge(m)
			}
		}
		f.keep(a.Sample)
	case stepSample:
		f.keep(a.Sample)
	default:
		for k := range a.Sums {
			s, t := &f.total[k], &a.Sums[k]
			add(&s.Losses, t.Losses)
			add(&s.Grams, t.Grams)
			add(&s.Shares, t.Shares)
		}
		for k := range a.Products {
			add(&f.cross[k], a.Products[k])
		}
	}
	if f.part++; f.part < f.opt.Parts {
		return nil
	}
	return f.advance(ctx)
}

// add adds numbers; an empty sum takes its form from them.
func add(sum *Vector, v Vector) {
	if *sum == nil && v != nil {
		*sum = make(Vector, len(v))
	}
	for k, x := range v {
		(*sum)[k] += x
	}
}

// fits refuses an answer of another form: it is of another program, or damaged.
func (f *Reduction) fits(a *Answer) error {
	wrong := errors.New("it does not go with the round")
	switch q := f.round; q.Step {
	case stepMoments, stepSample:
		for _, v := range a.Moments {
			if len(v) != 5*f.n {
				return wrong
			}
		}
		if s := a.Sample; s == nil || len(s.Values) != len(s.Lines)*f.n ||
			a.Moments != nil && len(a.Moments) != len(f.moments) {
			return wrong
		}
	case stepSums, stepErrors:
		if a.Sums == nil && a.Products == nil {
			return nil // no row has a target
		}
		if len(a.Sums) != len(q.Members) || q.Products && len(a.Products) != q.Folds+1 {
			return wrong
		}
		for k, s := range a.Sums {
			m, t := &q.Members[k], &f.total[k]
			losses, grams, shares := 1, 0, 0
			switch {
			case q.Step == stepErrors:
				shares = m.R1 + m.R2
			case s.Losses == nil && s.Grams == nil: // of no row
				continue
			case m.Dir != nil:
				losses = refit.Steps
				fallthrough
			default:
				grams = refit.GramSize(f.n, m.R1*m.R2)
			}
			if len(s.Losses) != losses || len(s.Grams) != grams || len(s.Shares) != shares ||
				t.Losses != nil && len(t.Losses) != losses {
				return wrong
			}
		}
		for k, v := range a.Products {
			if t := f.cross[k]; t != nil && v != nil && len(t) != len(v) {
				return wrong
			}
		}
	}
	return nil
}

// survey asks for the moments of all rows and a sample.
func (f *Reduction) survey() {
	f.n = len(f.r.Features) + 1
	f.ask(stepMoments)
	f.moments = make([][]moments, max(1, f.opt.Folds))
	for k := range f.moments {
		f.moments[k] = make([]moments, f.n)
	}
	f.begin(math.MaxUint64)
	// Of parts of equal sizes hardly one has four times its share of the least keys; where one has,
	// it is asked once more.
	f.round.Most = min(f.most, 4*f.most/f.opt.Parts+64)
}

// begin begins a sample of rows with keys up to cut.
func (f *Reduction) begin(cut uint64) {
	f.sample, f.short = newSample(f.most, math.MaxUint64), math.MaxUint64
	f.round.Cut, f.round.Most = cut, f.most
}

// keep takes the sample of a part.
func (f *Reduction) keep(s *Sampled) {
	last := uint64(0)
	for k, line := range s.Lines {
		row := s.Values[k*f.n : (k+1)*f.n]
		f.sample.add(f.part, line, row[:f.n-1], row[f.n-1])
		last = max(last, mixed(f.part, line))
	}
	if !s.Whole {
		f.short = min(f.short, last)
	}
}

// advance goes to the next round.
func (f *Reduction) advance(ctx context.Context) error {
	switch f.round.Step {
	case stepColumns:
		f.survey()
		return nil
	case stepMoments, stepSample:
		if f.round.Step == stepMoments {
			if err := f.standard(); err != nil {
				return err
			}
		}
		f.sample.trim()
		if f.round.Step == stepMoments && f.short < f.sample.cut &&
			len(f.sample.rows) < int(min(f.rows, math.MaxInt32)) {
			cut := f.sample.cut
			f.ask(stepSample)
			f.begin(cut)
			return nil
		}
		if err := f.start(ctx); err != nil {
			return err
		}
		f.next()
		return nil
	case stepSums:
		f.moved()
		f.next()
		return nil
	}
	f.measured()
	f.round = nil
	return nil
}

// except are the moments of the rows outside of a fold; -1: of all.
func (f *Reduction) except(fold int) []moments {
	out := make([]moments, f.n)
	for k, list := range f.moments {
		if k == fold {
			continue
		}
		for j := range list {
			out[j].merge(list[j])
		}
	}
	return out
}

// unit is the standardisation of rows with moments.
func (f *Reduction) unit(list []moments) (m Member, clip lder.Range) {
	set, y := f.r.Settings, list[0]
	m = Member{Fold: -1, R1: set.Pieces[0], R2: set.Pieces[1], Rows: y.n, Y: Vector{y.mean, y.std()}}
	for _, x := range list[1:] {
		fill := x.mean
		if set.Imputation == dataset.Constant {
			fill = set.FillValue
		}
		if gaps := y.n - x.n; gaps > 0 {
			x.merge(moments{n: gaps, mean: fill, lo: fill, hi: fill})
		}
		m.Fill, m.Mean, m.Scale = append(m.Fill, fill), append(m.Mean, x.mean), append(m.Scale, x.std())
	}
	room := clipShare * (y.hi - y.lo)
	return m, lder.Range{Lo: y.lo - room, Hi: y.hi + room}
}

// clipShare is how far beyond the range of the targets predictions may lie, as a share of it.
// Source: the share of package lder.
const clipShare = .1

// standard makes the members from the moments.
func (f *Reduction) standard() error {
	set := f.r.Settings
	if f.rows = f.except(-1)[0].n; f.rows == 0 {
		return errors.New("shards: no row has a target")
	}
	if k := (set.Pieces[0] + set.Pieces[1]) * f.n; k > mostCoefficients {
		return fmt.Errorf("shards: %d and %d pieces of %d coefficients are too many for a refit; take fewer pieces "+
			"or features", set.Pieces[0], set.Pieces[1], f.n)
	}
	f.all, f.clip = f.unit(f.except(-1))
	f.r.Imputer = &dataset.SimpleImputer{Strategy: set.Imputation, Fill: f.all.Fill}
	f.r.Scaler = &dataset.StandardScaler{Mean: f.all.Mean, Scale: f.all.Scale}
	for k := range f.opt.Bags {
		m := f.all
		m.Bag = k + 1
		f.members = append(f.members, &member{Member: m, clip: f.clip})
	}
	if !f.stacked() {
		f.members = append(f.members, &member{Member: f.all, clip: f.clip})
	}
	if f.opt.Folds < 2 {
		return nil
	}
	for range max(1, len(f.penalty)) {
		for k := range f.opt.Folds {
			list := f.except(k)
			if list[0].n == 0 || f.moments[k][0].n == 0 {
				return fmt.Errorf("shards: fold %d of %d has all rows or none; take fewer folds", k, f.opt.Folds)
			}
			m, clip := f.unit(list)
			if f.penalty != nil { // one unit for all members of a stack
				rows := m.Rows
				m, clip = f.all, f.clip
				m.Rows = rows
			}
			m.Fold = k
			f.members = append(f.members, &member{Member: m, clip: clip})
		}
	}
	return nil
}

// stacked reports whether the model is a mean of members.
func (f *Reduction) stacked() bool { return f.penalty != nil || f.opt.Bags > 0 }

// options of member k.
func (f *Reduction) options(k int) refit.Options {
	set := f.r.Settings
	opt := refit.Options{
		R1: set.Pieces[0], R2: set.Pieces[1], MaxIter: set.MaxIter, Tol: set.Tol, Workers: runtime.GOMAXPROCS(0),
		Penalty: refit.Penalty{Linear: set.Ridge / 10, Pieces: set.Ridge},
	}
	if f.penalty != nil {
		opt.Penalty = f.penalty[k/f.opt.Folds]
	}
	return opt
}

// start begins the members on the sample: the start of the paper and, where the sample is not all
// rows, a refit on it.
func (f *Reduction) start(ctx context.Context) error {
	f.sample.trim()
	rows, values := f.sample.rows, f.sample.values
	f.sample = nil
	var fitter refit.Fitter
	for k, m := range f.members {
		d := &refit.Data{N: f.n, X: make([]float64, len(rows)*f.n)}
		var z [][]float64
		u := refit.NewUnit(m.Fill, m.Mean, m.Scale, m.Y)
		for i, row := range rows {
			key := f.round.key(row.part, row.line)
			if times := m.times(f.round.foldOf(key), key); times > 0 {
				x, y := values[i*f.n:(i+1)*f.n-1], values[(i+1)*f.n-1]
				d.Y, d.W = append(d.Y, u.Row(d.Row(d.M), x, y)), append(d.W, float64(times))
				d.M++
			}
		}
		d.X = d.X[:d.M*f.n]
		if m.Bag == 0 {
			d.W = nil // all alike
		}
		sum := 0.0
		for _, w := range d.W {
			sum += w
		}
		for i := range d.W {
			d.W[i] /= sum
		}
		for i := range d.M {
			z = append(z, d.Row(i)[:f.n-1:f.n-1])
		}
		if d.M == 0 {
			return fmt.Errorf("shards: the sample has no row of %s; take fewer, or more rows", m.rows())
		}
		opt := f.options(k)
		model := lder.Start(z, d.Y, opt.R1, opt.R2)
		if err := model.Validate(); err != nil {
			return err
		}
		pieces := model.Params()
		if float64(len(rows)) < f.rows {
			if err := fitter.Warm(ctx, d, opt, pieces); err != nil {
				return err
			}
			pieces = fitter.Pieces
		}
		m.red, m.first = refit.NewReducer(f.n, opt, pieces), math.NaN()
	}
	return nil
}

// rows says which rows it is trained on.
func (m *Member) rows() string {
	if m.Bag > 0 {
		return fmt.Sprintf("bag %d", m.Bag)
	}
	return fmt.Sprintf("those outside of fold %d", m.Fold)
}

// next asks for the sums that the members need or, when all are done, for errors.
func (f *Reduction) next() {
	var list []Member
	for _, m := range f.members {
		if m.done {
			continue
		}
		one := m.Member
		one.Theta = slices.Clone(m.red.Theta)
		if m.placed {
			one.Dir = slices.Clone(m.red.Dir)
		}
		list = append(list, one)
	}
	step := stepSums
	if list == nil {
		step = stepErrors
		f.complete()
		for _, m := range f.members {
			one := m.Member
			one.Pieces = m.red.Pieces()
			one.Clip = Vector{(m.clip.Lo - m.Y[0]) / m.Y[1], (m.clip.Hi - m.Y[0]) / m.Y[1]}
			list = append(list, one)
		}
	}
	f.ask(step)
	f.round.Members = list
	f.round.Products = step == stepErrors && f.stacked()
	f.total, f.cross = make([]Sums, len(list)), nil
	if f.round.Products {
		f.cross = make([]Vector, f.opt.Folds+1)
	}
}

// moved gives the sums of all parts to the members.
func (f *Reduction) moved() {
	k := 0
	for _, m := range f.members {
		if m.done {
			continue
		}
		sums := &refit.Sums{Losses: f.total[k].Losses, Grams: f.total[k].Grams}
		k++
		if !m.placed {
			if m.first != m.first {
				m.first = sums.Losses[0]
			}
			if m.placed = m.red.Placed(sums); !m.placed {
				m.done, m.status = true, ccp.Numerical
			}
			continue
		}
		var more bool
		more, m.placed = m.red.Probed(sums)
		f.record(m)
		switch {
		case more:
		case m.red.Converged:
			m.done, m.status = true, ccp.Converged
		default:
			m.done, m.status = true, ccp.IterationLimit
		}
	}
	if f.ended {
		for _, m := range f.members {
			if !m.done {
				m.done, m.status = true, ccp.Cancelled
			}
		}
	}
}

// record tells of an iteration of the first member.
func (f *Reduction) record(m *member) {
	if m != f.members[0] || f.r.Settings.Recorder == nil {
		return
	}
	err := f.r.Settings.Recorder.Record(ccp.Iteration{K: m.red.Iterations, Objective: m.red.Objective})
	f.ended = f.ended || err != nil
	if err != nil && !errors.Is(err, ccp.ErrStop) {
		f.err = err
	}
}

// model is the function of a member in the unit of the target, for features of the unit of all.
func (f *Reduction) model(m *member) *lder.Model {
	pieces, n := m.red.Pieces(), f.n
	out := lder.NewModel(m.R1, m.R2, n-1)
	for k := range m.R1 + m.R2 {
		w, a, shift := out.W, out.A, m.Y[0]
		row := k
		if k >= m.R1 {
			w, a, shift, row = out.M, out.B, 0, k-m.R1
		}
		for j := range n - 1 {
			w[row][j] = pieces[k*n+j] * m.Y[1]
		}
		a[row] = pieces[k*n+n-1]*m.Y[1] + shift
	}
	return out
}

// complete makes the model from the members as they are; of a stack all have one weight.
func (f *Reduction) complete() {
	set := f.r.Settings
	f.r.Model, f.r.Ensemble, f.r.Clip = nil, nil, f.clip
	t := lder.Training{Method: set.Method, Rows: int(f.rows), Status: ccp.Converged, OOB: -1}
	if !f.stacked() {
		m := f.members[0]
		f.r.Model = f.model(m)
		t.Iterations, t.Status, t.StartMSE = m.red.Iterations, m.status, m.first*m.Y[1]*m.Y[1]
		f.r.Training = t
		f.errors(m.red.Objective) // with the penalty: the last pass may not come
		return
	}
	for _, m := range f.members {
		t.Iterations += m.red.Iterations
		if m.status != ccp.Converged {
			t.Status = m.status
		}
	}
	t.StartMSE = f.all.Y[1] * f.all.Y[1] // of the mean
	f.r.Training = t
	kinds := max(1, len(f.penalty))
	f.stack(slices.Repeat([]float64{1 / float64(kinds)}, kinds))
	sum := 0.0
	for _, m := range f.members {
		sum += m.red.Objective / float64(len(f.members))
	}
	f.errors(sum)
}

// stack makes the ensemble of the families with weights.
func (f *Reduction) stack(weights []float64) {
	e := &lder.Stack{}
	each := len(f.members) / len(weights)
	for k, m := range f.members {
		if w := weights[k/each]; w > 0 {
			e.Chains = append(e.Chains, lder.Chain{
				Parts: []lder.Part{{Model: f.model(m)}},
				Stops: []lder.Stop{{After: 1, Weight: w / float64(each)}},
			})
		}
	}
	f.r.Ensemble = e
}

// errors sets the facts about a mean squared error in the unit of standardised targets.
func (f *Reduction) errors(mse float64) {
	f.r.Training.MSE, f.r.Training.FVU = mse*f.all.Y[1]*f.all.Y[1], 0
	if y := f.except(-1)[0]; y.m2 > 0 {
		f.r.Training.FVU = f.r.Training.MSE / (y.m2 / y.n)
	}
}

// measured takes the errors of the clipped functions and the shares of their pieces.
func (f *Reduction) measured() {
	if f.penalty != nil {
		f.weigh()
		return
	}
	if f.opt.Bags > 0 {
		all, y := f.cross[0], f.except(-1)[0]
		f.errors(all[0] / f.rows)
		if all[2] > 0 && y.n >= fewestRows {
			f.r.Training.OOB = fvu(all[1]*f.rows/all[2]*f.all.Y[1]*f.all.Y[1], y)
		}
		return
	}
	m := f.members[0]
	shares := f.total[0].Shares
	for k := range shares {
		shares[k] /= f.rows
	}
	f.r.SetShares(shares[:m.R1], shares[m.R1:])
	f.errors(f.total[0].Losses[0] / f.rows)
	sum := 0.0
	for k, m := range f.members[1:] {
		y := f.moments[k][0]
		loss := f.total[k+1].Losses[0] * m.Y[1] * m.Y[1]
		sum += loss
		f.scores.MSE = append(f.scores.MSE, loss/y.n)
		f.scores.FVU = append(f.scores.FVU, fvu(loss, y))
	}
	if y := f.except(-1)[0]; len(f.members) > 1 && y.n >= fewestRows {
		f.r.Training.OOB = fvu(sum, y)
	}
}

// fewestRows is the number of rows below which the error on new rows counts as unknown.
// Source: the number of package lder/ensemble.
const fewestRows = 20

// fvu is the fraction of variance unexplained, as dataset.FVU has it.
func fvu(loss float64, y moments) float64 {
	switch {
	case y.lo < y.hi:
		return loss / y.m2
	case loss == 0:
		return 0
	}
	return 1
}

// weigh weighs the families by their predictions of rows that their members have not seen, and
// estimates the error of the stack: of each fold with the weights from the others.
func (f *Reduction) weigh() {
	k := len(f.penalty)
	unseen, trained := 0.0, 0.0
	for fold := -1; fold < f.opt.Folds; fold++ {
		e := ensemble.Normal{Gram: make([]float64, k*k), RHS: make([]float64, k)}
		for other, v := range f.cross[:f.opt.Folds] {
			if other == fold {
				continue
			}
			addProducts(&e, v)
		}
		w := e.Weights(int(f.rows))
		if fold >= 0 {
			unseen += quadratic(f.cross[fold], w)
			continue
		}
		f.stack(w)
		var of []float64
		for m := range f.members {
			of = append(of, w[m/f.opt.Folds]/float64(f.opt.Folds))
		}
		trained = quadratic(f.cross[f.opt.Folds], of)
	}
	y := f.except(-1)[0]
	if y.n >= fewestRows {
		f.r.Training.OOB = fvu(unseen*f.all.Y[1]*f.all.Y[1], y)
	}
	f.errors(trained / f.rows)
}

// addProducts adds products of k predictions and the target, an upper triangle.
func addProducts(e *ensemble.Normal, v Vector) {
	k := len(e.RHS)
	for a := range k {
		for b := a; b < k; b++ {
			e.Gram[a*k+b] += v[0]
			if a != b {
				e.Gram[b*k+a] += v[0]
			}
			v = v[1:]
		}
		e.RHS[a] += v[0]
		v = v[1:]
	}
}

// quadratic is the squared error of predictions with weights w, from products.
func quadratic(v Vector, w []float64) (sum float64) {
	all := append(slices.Clone(w), -1)
	for a := range all {
		for b := a; b < len(all); b++ {
			t := all[a] * all[b] * v[0]
			if a != b {
				t *= 2
			}
			sum += t
			v = v[1:]
		}
	}
	return max(0, sum)
}
