package serve

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/record"
	"github.com/dcopt/dcopt/internal/setting"
	"github.com/dcopt/dcopt/internal/wire"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/lder/export"
)

// model is a trained regressor or classifier: one of the two is nil.
type model struct {
	regressor  *lder.Regressor
	classifier *lder.Classifier
}

// table cuts a buffer into rows.
func table(shape []int, x *wire.Floats) [][]float64 {
	if len(shape) != 2 || shape[0] < 0 || shape[1] < 1 || x == nil {
		refuseAs(wire.ErrRequest, "a table wants X and its shape, [rows, features]")
	}
	rows, cols := shape[0], shape[1]
	if len(x.V)%cols != 0 || len(x.V)/cols != rows {
		refuseAs(wire.ErrData, "the table has the shape %v and %d numbers", shape, len(x.V))
	}
	for k, v := range x.V {
		if math.IsInf(v, 0) {
			refuseAs(wire.ErrData, "row %d, feature %d of the table is %g, counted from 0", k/cols, k%cols, v)
		}
	}
	out := make([][]float64, rows)
	for i := range out {
		out[i] = x.V[i*cols : (i+1)*cols : (i+1)*cols]
	}
	return out
}

// fitSettings are the settings of training.
func fitSettings(w *wire.FitSettings) lder.Settings {
	set := lder.DefaultSettings()
	if w == nil {
		return set
	}
	ensureAs(wire.ErrRequest, (&wire.Settings{TimeLimit: w.TimeLimit}).Check(setting.Data))
	if w.Method != nil {
		m, err := lder.ParseMethod(*w.Method)
		ensureAs(wire.ErrRequest, err)
		set = lder.MethodSettings(m)
	}
	if w.Pieces != nil {
		if len(w.Pieces) != 2 {
			refuseAs(wire.ErrRequest, "the setting pieces has %d numbers, want 2", len(w.Pieces))
		}
		set.Pieces = [2]int{w.Pieces[0], w.Pieces[1]}
	}
	put(&set.MaxIter, w.MaxIter)
	put(&set.Tol, w.Tol)
	put(&set.Ridge, w.Ridge)
	put(&set.Seed, w.Seed)
	put(&set.FillValue, w.FillValue)
	put(&set.MaxFeatures, w.MaxFeatures)
	put(&set.FormulaSize, w.FormulaSize)
	if w.Imputation != nil {
		s, err := dataset.ParseStrategy(*w.Imputation)
		ensureAs(wire.ErrRequest, err)
		set.Imputation = s
	}
	if w.Backend != nil {
		set.Backend = backendOf(w.Backend)
	}
	allowed(set.Validate(), *w)
	return set
}

func (s *server) fit(j *job, m *wire.Fit) wire.Message {
	s.fresh(key{aModel, m.Model})
	set := fitSettings(m.Settings)
	x := table(m.Shape, m.X)
	if m.Features != nil && len(m.Features) != m.Shape[1] {
		refuseAs(wire.ErrData, "%d names for %d features", len(m.Features), m.Shape[1])
	}
	var told reporter
	told.start(s, j, m.Progress, false)
	set.Recorder, set.Progress = &told, told.units
	ctx := j.ctx
	if m.Settings != nil {
		var stop context.CancelFunc
		ctx, stop = within(ctx, timeLimit(m.Settings.TimeLimit))
		defer stop()
	}
	weights := values(m.Weights)
	var out *model
	var err error
	switch m.Kind {
	case "regressor":
		if m.Y == nil || m.Labels != nil || m.Classes != nil {
			refuseAs(wire.ErrRequest, "a regressor is trained on y; labels and classes belong to classifiers")
		}
		r := lder.NewRegressor(set)
		r.Features, r.Target = m.Features, m.Target
		err = r.FitWeighted(ctx, x, m.Y.V, weights)
		if out = (&model{regressor: r}); r.Model == nil && r.Ensemble == nil && err == nil {
			err = errors.New("training gave no model")
		}
	case "classifier":
		labels := must(m.Words(len(x)))
		c := lder.NewClassifier(set)
		c.Features, c.Target = m.Features, m.Target
		err = c.FitWeighted(ctx, x, labels, weights)
		out = &model{classifier: c}
	default:
		refuseAs(wire.ErrRequest, "the kind of a model is %.40q, want regressor or classifier", m.Kind)
	}
	trained := out.regressor != nil && (out.regressor.Model != nil || out.regressor.Ensemble != nil) ||
		out.classifier != nil && out.classifier.Regressors != nil
	switch ended := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded); {
	case ended && !trained && j.ctx.Err() == nil:
		refuseAs(wire.ErrCancelled, "the time limit passed before there was a model")
	case ended && !trained:
		ensure(context.Canceled)
	case !ended:
		ensureAs(wire.ErrData, err)
	}
	out.quiet()
	s.keep(key{aModel, m.Model}, out)
	return out.fitted(m.Model)
}

// quiet lets go of what belongs to the request.
func (m *model) quiet() {
	if m.regressor != nil {
		m.regressor.Settings.Recorder, m.regressor.Settings.Progress = nil, nil
		return
	}
	m.classifier.Settings.Recorder, m.classifier.Settings.Progress = nil, nil
	for _, r := range m.classifier.Regressors {
		r.Settings.Recorder, r.Settings.Progress = nil, nil
	}
}

func (m *model) fitted(handle uint64) *wire.Fitted {
	if r := m.regressor; r != nil {
		out := fitted(handle, "regressor", r.Features, r.Target, []*lder.Regressor{r})
		t := &r.Training
		out.Training = wire.Training{
			Method: t.Method.String(), Rows: t.Rows, Iterations: t.Iterations, Status: t.Status.String(),
			StartMSE: record.N(t.StartMSE), MSE: record.N(t.MSE), FVU: record.N(t.FVU), OOB: record.N(t.OOB),
		}
		return out
	}
	c := m.classifier
	out := fitted(handle, "classifier", c.Features, c.Target, c.Regressors)
	t := &c.Training
	out.Classes, out.Training = c.Classes, wire.Training{
		Method: t.Method.String(), Rows: t.Rows, Iterations: t.Iterations, Status: t.Status.String(),
		Accuracy: record.N(t.Accuracy), OOB: record.N(t.OOB),
	}
	return out
}

// fitted has the features and the size of a model of several functions.
func fitted(handle uint64, kind string, features []string, target string, parts []*lder.Regressor) *wire.Fitted {
	out := &wire.Fitted{Model: handle, Kind: kind, Features: features, Target: target, Used: []int{}}
	for _, r := range parts {
		out.Used, out.Terms = append(out.Used, r.Used()...), out.Terms+r.Terms()
	}
	slices.Sort(out.Used)
	out.Used = slices.Compact(out.Used)
	return out
}

func (s *server) loadModel(_ *job, m *wire.LoadModel) wire.Message {
	s.fresh(key{aModel, m.Model})
	if m.File == nil {
		refuseAs(wire.ErrRequest, "load_model without file")
	}
	r, c, err := lder.ReadAny(bytes.NewReader(m.File.V), "the file")
	ensureAs(wire.ErrData, err)
	out := &model{r, c}
	s.keep(key{aModel, m.Model}, out)
	return out.fitted(m.Model)
}

func (s *server) predict(_ *job, m *wire.Predict) wire.Message {
	f := known[*model](s, key{aModel, m.Model})
	x := table(m.Shape, m.X)
	if f.regressor != nil {
		y, err := f.regressor.Predict(x)
		ensureAs(wire.ErrData, err)
		return &wire.Predicted{Y: wire.F(y)}
	}
	c := f.classifier
	decision, err := c.Decision(x)
	proba, bad := c.Proba(x)
	words, worse := c.Predict(x)
	ensureAs(wire.ErrData, cmp.Or(err, bad, worse))
	labels := make([]int32, len(words))
	for i, w := range words {
		labels[i] = int32(slices.Index(c.Classes, w))
	}
	return &wire.Predicted{Labels: &wire.Ints32{V: labels}, Decision: flattened(decision), Proba: flattened(proba)}
}

func flattened(rows [][]float64) *wire.Floats { return wire.F(slices.Concat(rows...)) }

// formulas are the functions of the model: of a classifier one for each class, the second of two
// alone, with the class as target.
func (m *model) formulas() []*lder.Regressor {
	if m.regressor != nil {
		return []*lder.Regressor{m.regressor}
	}
	classes := m.classifier.Classes
	if len(classes) == 2 {
		classes = classes[1:]
	}
	out := make([]*lder.Regressor, len(classes))
	for k, r := range m.classifier.Regressors {
		of := *r
		of.Target, out[k] = classes[k], &of
	}
	return out
}

func (s *server) export(_ *job, m *wire.Export) wire.Message {
	f := known[*model](s, key{aModel, m.Model})
	var buf bytes.Buffer
	var err error
	switch {
	case m.Format == "json" && f.regressor != nil:
		_, err = f.regressor.WriteTo(&buf)
	case m.Format == "json":
		_, err = f.classifier.WriteTo(&buf)
	default:
		format, bad := export.ParseFormat(m.Format)
		ensureAs(wire.ErrRequest, bad)
		if f.regressor == nil && format != export.Text && format != export.LaTeX {
			refuseAs(wire.ErrUnsupported, "a classifier is exported as json, text or latex, not as %.40q",
				m.Format)
		}
		for _, r := range f.formulas() {
			text, bad := export.Export(r, format)
			ensureAs(wire.ErrUnsupported, bad)
			buf.Write(text)
		}
	}
	ensureAs(wire.ErrData, err)
	return &wire.TextReply{Text: wire.T(buf.Bytes())}
}
