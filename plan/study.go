package plan

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dcopt/dcopt/internal/record"
	"github.com/dcopt/dcopt/lder"
	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/qpbackend/backends"
)

// Study is the cross-validation of methods on tables. Its shards are the folds: of the first
// table the folds of the first method, then of the second, and so on; then the next table.
type Study struct {
	Tables    []StudyTable `json:"tables"`
	Methods   []Training   `json:"methods"`
	Selection Selection    `json:"selection"`
	// FoldSeed shuffles the folds of tables without a list of them, as dataset.ShuffledKFold.
	FoldSeed uint32 `json:"fold_seed"`
}

// StudyTable is a table and its folds.
type StudyTable struct {
	File  int     `json:"file"`  // its number in Plan.Files
	Folds int     `json:"folds"` // how many there are, at least 2
	Lists [][]int `json:"lists,omitempty"`
}

// Selection says how tables are read and which columns are features.
type Selection struct {
	Target       string   `json:"target"`
	Exclude      []string `json:"exclude,omitempty"`
	DropText     bool     `json:"drop_text,omitempty"`
	Categorical  string   `json:"categorical,omitempty"` // a dataset.Coding
	DecimalComma bool     `json:"decimal_comma,omitempty"`
}

// Training are settings of package lder as a plan has them.
type Training struct {
	Method      string  `json:"method"`
	Pieces      [2]int  `json:"pieces"`
	MaxIter     int     `json:"max_iter"`
	Tol         float64 `json:"tol"`
	Ridge       float64 `json:"ridge"`
	Seed        uint64  `json:"seed"`
	MaxFeatures int     `json:"max_features"`
	FormulaSize int     `json:"formula_size"`
	Impute      string  `json:"impute"`
	Fill        float64 `json:"fill"`
	Backend     string  `json:"backend,omitempty"`
}

// TrainingOf are the settings with the backend of that name; "": the default.
func TrainingOf(set lder.Settings, backend string) Training {
	return Training{
		set.Method.String(), set.Pieces, set.MaxIter, set.Tol, set.Ridge, set.Seed, set.MaxFeatures, set.FormulaSize,
		set.Imputation.String(), set.FillValue, backend,
	}
}

// Settings is the inverse of TrainingOf.
func (t *Training) Settings() (lder.Settings, error) {
	method, err := lder.ParseMethod(t.Method)
	if err != nil {
		return lder.Settings{}, err
	}
	set := lder.MethodSettings(method)
	set.Pieces, set.MaxIter, set.Tol, set.Ridge, set.Seed = t.Pieces, t.MaxIter, t.Tol, t.Ridge, t.Seed
	set.MaxFeatures, set.FormulaSize, set.FillValue = t.MaxFeatures, t.FormulaSize, t.Fill
	if set.Imputation, err = dataset.ParseStrategy(t.Impute); err != nil {
		return set, err
	}
	if t.Backend != "" {
		if set.Backend, err = backends.ByName(t.Backend); err != nil {
			return set, err
		}
	}
	return set, set.Validate()
}

// shards counts the folds and refuses parts that do not go together.
func (s *Study) shards(files int) (int, error) {
	if len(s.Tables) == 0 || len(s.Methods) == 0 {
		return 0, errors.New("a study wants tables and methods")
	}
	for k := range s.Methods {
		if _, err := s.Methods[k].Settings(); err != nil {
			return 0, fmt.Errorf("method %d: %w", k, err)
		}
	}
	count := 0
	for k, t := range s.Tables {
		switch {
		case t.File < 0 || t.File >= files:
			return 0, fmt.Errorf("table %d is file %d of %d", k, t.File, files)
		case t.Folds < 2 || t.Lists != nil && len(t.Lists) != t.Folds:
			return 0, fmt.Errorf("table %d has %d folds, and %d lists of them", k, t.Folds, len(t.Lists))
		}
		if count += t.Folds * len(s.Methods); count > MostShards {
			return 0, fmt.Errorf("the study has more than %d folds", MostShards)
		}
	}
	return count, nil
}

// At is the table, the method and the fold of shard i.
func (s *Study) At(i int) (table, method, fold int) {
	for k, t := range s.Tables {
		if n := t.Folds * len(s.Methods); i >= n {
			i -= n
			continue
		}
		return k, i / t.Folds, i % t.Folds
	}
	return len(s.Tables), 0, 0
}

// StudyFile is a table for OfStudy: where it is and its folds; Lists may be nil.
type StudyFile struct {
	Path  string
	Folds int
	Lists [][]int
}

// OfStudy makes the plan of a study with s but its tables. Their content goes into the
// plan unless refer is set or they have more than Keep bytes.
func OfStudy(s Study, tables []StudyFile, refer bool) (*Plan, error) {
	p := &Plan{Format: Version, Study: &s}
	s.Tables = nil
	for _, t := range tables {
		f, _, err := NewFile(t.Path, t.Path)
		if err != nil {
			return nil, err
		}
		s.Tables = append(s.Tables, StudyTable{File: len(p.Files), Folds: t.Folds, Lists: t.Lists})
		p.Files = append(p.Files, f)
	}
	if !refer {
		if err := p.hold(); err != nil {
			return nil, err
		}
	}
	var err error
	if p.Shards, err = s.shards(len(p.Files)); err != nil {
		return nil, err
	}
	return p, p.validate()
}

// Data reads table k as the study selects from it.
func (r *Runner) Data(k int) (*dataset.Data, error) {
	if d := r.tables[k]; d != nil {
		return d, nil
	}
	s := r.plan.Study
	f := &r.plan.Files[s.Tables[k].File]
	b, err := f.content(r.dir)
	if err != nil {
		return nil, err
	}
	sel := dataset.DefaultSelection()
	sel.Exclude = s.Selection.Exclude
	if s.Selection.DropText {
		sel.Text = dataset.Drop
	}
	if c := s.Selection.Categorical; c != "" {
		if sel.Coding, err = dataset.ParseCoding(c); err != nil {
			return nil, err
		}
		sel.Text = dataset.Encode
	}
	t, err := dataset.Read(bytes.NewReader(b), f.Name,
		dataset.Options{DecimalComma: s.Selection.DecimalComma, KeepText: sel.Text == dataset.Encode})
	if err != nil {
		return nil, err
	}
	d, err := t.Supervised(s.Selection.Target, sel)
	if err != nil {
		return nil, err
	}
	if r.tables == nil || len(r.tables) > mostTables {
		r.tables = map[int]*dataset.Data{}
	}
	r.tables[k] = d
	return d, nil
}

// mostTables bounds the tables that a runner keeps.
// Source: a limit of memory.
const mostTables = 8

// folds are the test rows of table k.
func (s *Study) folds(k, rows int) ([][]int, error) {
	t := &s.Tables[k]
	if t.Lists == nil {
		return dataset.ShuffledKFold(rows, t.Folds, s.FoldSeed)
	}
	return t.Lists, dataset.CheckFolds(t.Lists, rows)
}

// measure computes a shard of a study.
func (r *Runner) measure(ctx context.Context, i int) (*Fold, error) {
	s := r.plan.Study
	k, m, f := s.At(i)
	d, err := r.Data(k)
	if err != nil {
		return nil, err
	}
	folds, err := s.folds(k, len(d.Y))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.plan.Files[s.Tables[k].File].Name, err)
	}
	set, err := s.Methods[m].Settings()
	if err != nil {
		return nil, err
	}
	fvu, mse, err := lder.MeasureFold(ctx, d.X, d.Y, slices.Clone(folds[f]), set)
	if err != nil {
		return nil, err
	}
	return &Fold{FVU: record.Number(fvu), MSE: record.Number(mse)}, nil
}
