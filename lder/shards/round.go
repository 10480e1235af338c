package shards

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/lder/internal/refit"
)

// Parts are the parts of a table, which are read again for every pass.
type Parts interface {
	// Count is how many there are.
	Count() int
	// Columns are the names of the columns of part k.
	Columns(ctx context.Context, k int) ([]string, error)
	// Each calls do for consecutive rows of part k, in order and with the same rows in all
	// passes: x has a row of features per row, in the order of names, NaN for missing values,
	// and y the targets, NaN where there is none. They are valid during the call. An error of
	// do ends it.
	Each(ctx context.Context, k int, names []string, target string, do func(x [][]float64, y []float64) error) error
}

// Vector is numbers that JSON keeps to the last bit, NaN too: little-endian float64 in base64.
type Vector []float64

// MarshalJSON writes v.
func (v Vector) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 8*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	out := make([]byte, 0, base64.StdEncoding.EncodedLen(len(b))+2)
	return append(base64.StdEncoding.AppendEncode(append(out, '"'), b), '"'), nil
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (v *Vector) UnmarshalJSON(text []byte) error {
	var b []byte
	if err := json.Unmarshal(text, &b); err != nil {
		return err
	}
	if len(b)%8 != 0 {
		return fmt.Errorf("shards: %d bytes are no float64 numbers", len(b))
	}
	*v = make(Vector, len(b)/8)
	for k := range *v {
		(*v)[k] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*k:]))
	}
	return nil
}

// Round is a question to every part of a table. Its answer depends on the part, its number
// and the round alone.
type Round struct {
	Number   int      `json:"number"` // of the rounds of a fit, from 0
	Step     string   `json:"step"`   // columns, moments, sample, sums or errors
	Features []string `json:"features,omitempty"`
	Target   string   `json:"target"`
	// Folds is the number of folds of rows, 0 or 1: none; Seed draws them.
	Folds int    `json:"folds,omitempty"`
	Seed  uint64 `json:"seed,omitempty"`
	// Rows of a part that are sampled: at most Most, with keys of at most Cut.
	Most    int      `json:"most,omitempty"`
	Cut     uint64   `json:"cut,omitempty"`
	Members []Member `json:"members,omitempty"`
	// Products asks for the products of the predictions of members; of bags, for the errors of
	// their mean.
	Products bool `json:"products,omitempty"`
}

// The steps.
const (
	stepColumns = "columns"
	stepMoments = "moments"
	stepSample  = "sample"
	stepSums    = "sums"
	stepErrors  = "errors"
)

// Member is a function that is fitted, on all rows or on those outside of a fold.
type Member struct {
	Fold  int     `json:"fold"`          // it is not trained on; -1: none
	Bag   int     `json:"bag,omitempty"` // its number, from 1: rows count as often as they are drawn; 0: once
	Fill  Vector  `json:"fill"`          // of gaps, by feature
	Mean  Vector  `json:"mean"`          // of the features, filled
	Scale Vector  `json:"scale"`
	Y     Vector  `json:"y"`    // mean and scale of the target
	Rows  float64 `json:"rows"` // it is trained on
	R1    int     `json:"r1"`
	R2    int     `json:"r2"`
	// Of step sums: the free coefficients, and the direction along which losses are asked for;
	// nil: the sums at Theta alone.
	Theta Vector `json:"theta,omitempty"`
	Dir   Vector `json:"dir,omitempty"`
	// Of step errors: all pieces, of standardised features and target, and the range that
	// predictions are clipped to.
	Pieces Vector `json:"pieces,omitempty"`
	Clip   Vector `json:"clip,omitempty"`
}

// Answer is the answer of a part to a round.
type Answer struct {
	Columns []string `json:"columns,omitempty"`
	// Moments are the moments of the target and of each feature, five numbers each: count, mean,
	// sum of squared deviations, least, largest; one list per fold.
	Moments []Vector `json:"moments,omitempty"`
	Sample  *Sampled `json:"sample,omitempty"`
	Sums    []Sums   `json:"sums,omitempty"` // one per member
	// Products, one per fold, are the products of the predictions of the members that are not
	// trained on it, in their order, and the target, each with each, in rows of the upper triangle;
	// the last is of all members and all rows. Of bags it is one: the squared error of the mean of
	// all members, the error of the mean of the members that are not trained on the row, and the
	// number of rows that have such members.
	Products []Vector `json:"products,omitempty"`
}

// Sampled are rows of a part.
type Sampled struct {
	Lines  []int  `json:"lines"`  // their numbers in the part, from 1, those with a target alone
	Values Vector `json:"values"` // of each row the features, then the target
	// Whole says that no row with a key up to Cut is missing.
	Whole bool `json:"whole"`
}

// Sums are the sums of a member.
type Sums struct {
	Losses Vector `json:"losses"`
	Grams  Vector `json:"grams,omitempty"`
	Shares Vector `json:"shares,omitempty"` // of its pieces, of step errors
}

// chunk is how many rows are summed at a time.
// Source: derived: 16384 rows of 32 float64 have 4 MB; sums of a part are in chunks of this size.
const chunk = 1 << 14

// foldOf is the fold of a row with a key.
func (r *Round) foldOf(key uint64) int {
	if r.Folds < 2 {
		return 0
	}
	return int(key % uint64(r.Folds))
}

// key is the number of a row from which folds and bags follow.
func (r *Round) key(part, line int) uint64 { return mix(mixed(part, line) ^ mix(r.Seed)) }

// drawn is how often the row with a key is in a bag: Poisson of mean 1, by the inverse of its
// distribution at that number of the SplitMix64 sequence of the key. Bootstrap of rows that nobody
// has counted: Hanley and MacGibbon 2006, Creating non-parametric bootstrap samples using Poisson
// frequencies.
func drawn(key uint64, bag int) (times int) {
	u := float64(mix(key+uint64(bag)*splitMix)>>11) * 0x1p-53
	p := 1 / math.E
	for below := p; u >= below && p > 0x1p-60; below += p {
		times++
		p /= float64(times)
	}
	return times
}

// check refuses a round whose parts do not go together.
func (r *Round) check() error {
	n := len(r.Features)
	if r.Folds < 0 || r.Step != stepColumns && n == 0 {
		return errors.New("shards: a wrong round")
	}
	switch r.Step {
	case stepColumns, stepMoments:
	case stepSample:
		if r.Most < 1 {
			return errors.New("shards: a sample of no rows")
		}
	case stepSums, stepErrors:
		for k, m := range r.Members {
			pieces := m.R1 + m.R2
			free := (pieces - 1) * (n + 1)
			switch {
			case m.R1 < 1 || m.R2 < 1 || pieces*(n+1) > mostCoefficients, m.Fold < -1 || m.Fold >= max(1, r.Folds),
				m.Bag < 0,
				len(m.Fill) != n || len(m.Mean) != n || len(m.Scale) != n || len(m.Y) != 2 || !(m.Rows > 0),
				r.Step == stepSums && (len(m.Theta) != free || m.Dir != nil && len(m.Dir) != free),
				r.Step == stepErrors && (len(m.Pieces) != pieces*(n+1) || len(m.Clip) != 2):
				return fmt.Errorf("shards: member %d is wrong", k)
			}
		}
	default:
		return fmt.Errorf("shards: a round has no step %q", r.Step)
	}
	return nil
}

// mostCoefficients bounds the coefficients of a function.
// Source: a limit of memory: the least squares problem of a refit has as many unknowns.
const mostCoefficients = 1 << 13

// Sum is the answer of part k.
func (r *Round) Sum(ctx context.Context, p Parts, k int) (*Answer, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	if k < 0 || k >= p.Count() {
		return nil, fmt.Errorf("shards: there is no part %d of %d", k, p.Count())
	}
	if r.Step == stepColumns {
		names, err := p.Columns(ctx, k)
		return &Answer{Columns: names}, err
	}
	n := len(r.Features) + 1
	s := summer{Round: r, part: k, hashed: r.Folds > 1 || len(r.Members) > 0 && r.Members[0].Bag > 0,
		ld: refit.Stride(n)}
	s.batch.N = n
	for _, m := range r.Members {
		s.units = append(s.units, refit.NewUnit(m.Fill, m.Mean, m.Scale, m.Y))
	}
	line := 0
	err := p.Each(ctx, k, r.Features, r.Target, func(x [][]float64, y []float64) error {
		for i, row := range x {
			line++
			if math.IsNaN(y[i]) {
				continue
			}
			if err := s.row(line, row, y[i]); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	return s.end(), nil
}

// summer makes the answer of a part.
type summer struct {
	*Round
	part int

	moments [][]moments    // by fold: target and features
	block   *columnMoments // of the rows gathered
	sample  *sample
	hashed  bool          // rows have folds or bags
	units   []*refit.Unit // of the members

	ld     int // of the rows gathered, as refit.Batch has them
	x      []float64
	folds  [chunk]int32  // of these rows
	keys   [chunk]uint64 // of these rows
	m      int           // how many they are
	batch  refit.Batch
	adder  refit.Summer
	sums   []refit.Sums
	shares []Vector
	cross  []Vector

	predictions []refit.Predictions // of the members
}

// largest bounds numbers, so that sums of squares stay finite.
// Source: derived: the sum of 1e100 squares of 1e100 is finite.
const largest = 1e100

// row takes a row with a target.
func (s *summer) row(line int, row []float64, y float64) error {
	if s.Step == stepMoments || s.Step == stepSample {
		if s.sample == nil {
			s.sample = newSample(s.Most, s.Cut)
		}
		s.sample.add(s.part, line, row, y)
		if s.Step == stepSample {
			return nil
		}
		if err := s.bounded(line, row, y); err != nil {
			return err
		}
	}
	if s.hashed {
		s.keys[s.m] = s.key(s.part, line)
		s.folds[s.m] = int32(s.foldOf(s.keys[s.m]))
	}
	s.put(row, y)
	if s.m == chunk || s.Step == stepMoments && s.m == momentRows {
		s.flush()
	}
	return nil
}

// put gathers a row.
func (s *summer) put(row []float64, y float64) {
	at := s.m * s.ld
	if at == len(s.x) { // all rows up to a multiple of 8 are there
		s.x = append(s.x, make([]float64, max(8*s.ld, min(len(s.x), chunk*s.ld-len(s.x))))...)
	}
	dst := s.x[at:][:len(row)+2]
	copy(dst, row)
	dst[len(row)], dst[len(row)+1] = 1, y
	s.m++
}

// momentRows is how many rows have their moments taken at a time.
// Source: a limit of memory: 256 rows of 32 float64 stay in a second-level cache.
const momentRows = 256

// bounded refuses numbers that are infinite or too large.
func (s *summer) bounded(line int, row []float64, y float64) error {
	if math.Abs(y) > largest {
		return &PartError{s.part, fmt.Errorf("row %d: the target %g is too large", line, y)}
	}
	for j, v := range row {
		if math.Abs(v) > largest {
			return &PartError{s.part, fmt.Errorf("row %d: the value %g of %s is too large", line, v, s.Features[j])}
		}
	}
	return nil
}

// survey adds the moments of the rows gathered.
func (s *summer) survey() {
	n := len(s.Features) + 1
	if s.moments == nil {
		s.moments = make([][]moments, max(1, s.Folds))
		for f := range s.moments {
			s.moments[f] = make([]moments, n)
		}
		s.block = newColumnMoments(n + 1)
	}
	for f := range s.moments {
		s.block.take(s.x, s.ld, s.folds[:s.m], int32(f))
		for j := range n {
			at := n // the target
			if j > 0 {
				at = j - 1
			}
			s.moments[f][j].merge(s.block.of(at))
		}
	}
}

// end is the answer.
func (s *summer) end() *Answer {
	a := &Answer{}
	switch s.Step {
	case stepMoments, stepSample:
		s.flush()
		for f := range s.moments {
			a.Moments = append(a.Moments, vectorOf(s.moments[f]))
		}
		a.Sample = &Sampled{Whole: true}
		if s.sample != nil {
			s.sample.trim()
			for _, row := range s.sample.rows {
				a.Sample.Lines = append(a.Sample.Lines, row.line)
			}
			a.Sample.Values, a.Sample.Whole = s.sample.values, s.sample.whole
		}
		return a
	}
	s.flush()
	for k := range s.sums {
		sum := Sums{Losses: s.sums[k].Losses, Grams: s.sums[k].Grams}
		if s.shares != nil {
			sum.Shares = s.shares[k]
		}
		a.Sums = append(a.Sums, sum)
	}
	a.Products = s.cross
	return a
}

// flush adds the sums of the rows gathered, member after member.
func (s *summer) flush() {
	if s.m == 0 {
		return
	}
	if s.sums == nil {
		s.sums = make([]refit.Sums, len(s.Members))
	}
	switch s.Step {
	case stepMoments:
		s.survey()
	case stepErrors:
		for lo := 0; lo < s.m; lo += errorRows {
			s.errors(lo, min(lo+errorRows, s.m))
		}
	default:
		s.batch.M, s.batch.X = s.m, s.x
		for k := range s.Members {
			m := &s.Members[k]
			if !s.weigh(m) {
				continue
			}
			s.batch.Unit = s.units[k]
			opt := refit.Options{R1: m.R1, R2: m.R2, Workers: runtime.GOMAXPROCS(0)}
			var sum refit.Sums
			if m.Dir == nil {
				sum = s.adder.Place(&s.batch, opt, m.Theta)
			} else {
				sum = s.adder.Probe(&s.batch, opt, m.Theta, m.Dir)
			}
			s.sums[k].Add(&sum)
		}
	}
	s.m = 0
}

// weigh sets the weights of the rows gathered, the weights of a member. It reports whether there is
// one.
func (s *summer) weigh(m *Member) (some bool) {
	w := slices.Grow(s.batch.W[:0], s.m)[:s.m]
	s.batch.W = w
	if !s.hashed {
		for i := range w {
			w[i] = 1 / m.Rows
		}
		return true
	}
	for i := range w {
		times := m.times(int(s.folds[i]), s.keys[i])
		w[i] = float64(times) / m.Rows
		some = some || times > 0
	}
	return some
}

// times is how often a row of a fold and with a key counts for the member.
func (m *Member) times(fold int, key uint64) int {
	switch {
	case m.Fold >= 0 && fold == m.Fold:
		return 0
	case m.Bag > 0:
		return drawn(key, m.Bag)
	}
	return 1
}

// errorRows is how many rows are predicted by all members at a time, a multiple of 8.
// Source: a limit of memory: of 100 members they have 1.2 MB.
const errorRows = 512

// errors adds the squared errors of clipped predictions of the rows gathered from lo to hi: of a
// member that was trained on all rows, the errors of all; of another one, of its fold.
func (s *summer) errors(lo, hi int) {
	if s.shares == nil {
		s.shares = make([]Vector, len(s.Members))
		s.predictions = make([]refit.Predictions, len(s.Members))
		for k, m := range s.Members {
			s.sums[k].Losses, s.shares[k] = make([]float64, 1), make(Vector, m.R1+m.R2)
		}
		if s.Products {
			s.cross = make([]Vector, s.Folds+1)
		}
	}
	s.batch.M, s.batch.X = hi-lo, s.x[lo*s.ld:]
	for k := range s.Members {
		s.batch.Unit = s.units[k]
		s.adder.Predict(&s.batch, s.Members[k].Pieces, s.Members[k].R1, &s.predictions[k])
	}
	var all, seen []float64
	for i := range hi - lo {
		fold := int(s.folds[lo+i])
		all, seen = all[:0], seen[:0]
		for k := range s.Members {
			m, p := &s.Members[k], &s.predictions[k]
			value := min(max(p.F[i], m.Clip[0]), m.Clip[1])
			all = append(all, value)
			if m.Fold >= 0 && m.Fold != fold {
				continue
			}
			seen = append(seen, value)
			e := p.Y[i] - value
			s.sums[k].Losses[0] += e * e
			s.shares[k][p.U[i]]++
			s.shares[k][m.R1+int(p.V[i])]++
		}
		if !s.Products {
			continue
		}
		y := s.predictions[0].Y[i] // in the unit of all
		if s.Members[0].Bag > 0 {
			s.bags(s.keys[lo+i], all, y)
			continue
		}
		products(&s.cross[fold], append(seen, y))
		products(&s.cross[s.Folds], append(all, y))
	}
}

// bags adds the errors of the mean of bags, whose predictions for a row with a key are values.
func (s *summer) bags(key uint64, values []float64, y float64) {
	if s.cross[0] == nil {
		s.cross[0] = make(Vector, 3)
	}
	sum, unseen, others := 0.0, 0.0, 0.0
	for k, v := range values {
		sum += v
		if drawn(key, s.Members[k].Bag) == 0 {
			unseen += v
			others++
		}
	}
	e := y - sum/float64(len(values))
	s.cross[0][0] += e * e
	if others > 0 {
		e = y - unseen/others
		s.cross[0][1] += e * e
		s.cross[0][2]++
	}
}

// products adds the products of numbers, each with each.
func products(sum *Vector, v []float64) {
	if *sum == nil {
		*sum = make(Vector, len(v)*(len(v)+1)/2)
	}
	at := 0
	for a, u := range v {
		for _, w := range v[a:] {
			(*sum)[at] += u * w
			at++
		}
	}
}

// vectorOf writes moments as numbers.
func vectorOf(list []moments) (v Vector) {
	for _, m := range list {
		v = append(v, m.n, m.mean, m.m2, m.lo, m.hi)
	}
	return v
}

// momentsOf is the inverse.
func momentsOf(v Vector) []moments {
	var list []moments
	for ; len(v) >= 5; v = v[5:] {
		list = append(list, moments{v[0], v[1], v[2], v[3], v[4]})
	}
	return list
}

// featuresOf are the columns but the target and those that are left out.
func featuresOf(columns []string, target string, exclude []string) (out []string) {
	for _, name := range columns {
		if name != "" && name != target && !slices.Contains(exclude, name) {
			out = append(out, name)
		}
	}
	return out
}

// imputed reports whether gaps can be filled without all rows at once.
func imputed(s dataset.Strategy) bool { return s == dataset.Mean || s == dataset.Constant }
