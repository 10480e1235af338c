package lder

import (
	"fmt"
	"strings"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/internal/enum"
	"github.com/dcopt/dcopt/internal/setting"
	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/qpbackend"
)

// Method is a way to train.
type Method uint8

// The methods. CCP, Split, DCA and Refit train one model with the given Pieces
// from the start of Start; the others choose sizes and penalties by the errors of
// members on rows that they were not trained on. All but CCP clip predictions to a
// tenth beyond the range of the training targets.
const (
	// CCP is Algorithm 2 of Oliveira and Valle 2023.
	CCP Method = iota
	// Split is the procedure with slacks of its own for each half of each
	// equation, so that every convex problem majorises the squared error.
	Split
	// DCA is the difference of convex functions algorithm on the squared error,
	// (u−v)² = 2(u²+v²) − (u+v)²: as Ho, Le Thi and Pham Dinh 2021, whose own
	// decomposition is another.
	DCA
	// Refit is penalised least squares on the regions where the same pieces attain
	// the maxima, repeated with a line search: Magnani and Boyd 2009, damped.
	Refit
	// Auto is one model: the size and penalty whose members do best on rows they
	// have not seen, or the linear model; the best of these members, continued on all rows.
	Auto
	// Cheap is a stack of ten members at each of three penalties.
	Cheap
	// Bagged is a stack of twenty members at each of twelve sizes and penalties.
	Bagged
	// Ensemble is Bagged with boosted sums of small models and with sums of ramps.
	Ensemble
	numMethod
)

var methodText = [numMethod]string{"ccp", "split", "dca", "refit", "auto", "cheap", "bagged", "ensemble"}

// String is the name of the method in model files, such as "ccp".
func (m Method) String() string { return enum.String(m, "Method", methodText[:]) }

// ParseMethod is the inverse of String.
func ParseMethod(name string) (Method, error) {
	return enum.Parse[Method](name, "lder: no method", methodText[:])
}

// Methods lists all methods, in the order of their constants.
func Methods() []Method {
	all := make([]Method, numMethod)
	for k := range all {
		all[k] = Method(k)
	}
	return all
}

// Chooses reports whether the method chooses Pieces, Ridge, MaxIter and Tol itself
// and ignores the ones of Settings.
func (m Method) Chooses() bool { return m >= Auto }

// Settings govern training. Start from DefaultSettings or MethodSettings.
type Settings struct {
	Method Method
	// Pieces are r₁ and r₂, the numbers of affine functions in the two maxima.
	Pieces [2]int
	// MaxIter is the largest number of convex problems (CCP, Split, DCA) or of
	// least squares problems (Refit) solved.
	MaxIter int
	// Tol ends training: when the mean squared error changes by less than Tol
	// times the variance of y; of Refit, when a step lowers its objective by
	// less than Tol times its value.
	Tol float64
	// Ridge is the weight of the squared slopes, of standardised features, beside
	// the mean squared error of the standardised target. Refit weighs the slopes
	// that all pieces have in common by a tenth of it. If it is 0 and there are more
	// parameters than rows, the minimiser is not unique: CCP, Split and DCA go on from it
	// with a weight of 1e-7, to one of least norm.
	Ridge float64
	// Seed is the seed of all random numbers. CCP, Split, DCA and Refit use none.
	Seed uint64
	// MaxFeatures bounds the features of a model trained by a method that chooses, 0 for
	// no bound; of a stack the features of each member.
	MaxFeatures int
	// FormulaSize bounds the terms of the formula of Auto, slopes and constants that are
	// not 0, in standardised features; 0 for no bound. The least is 2.
	FormulaSize int
	// Imputation fills the missing values of the features; FillValue is the value
	// of dataset.Constant.
	Imputation dataset.Strategy
	FillValue  float64
	// Backend solves the convex problems; nil: the default of ccp.
	Backend qpbackend.Backend
	// Recorder receives every iteration of CCP, Split, DCA and Refit; nil for none.
	// The values belong to the problem with y standardised. CrossValidate does
	// not call it.
	Recorder ccp.Recorder
	// Progress receives the number of units of work done by Auto, Cheap, Bagged and
	// Ensemble, one call at a time; nil for none. CrossValidate does not call it.
	Progress func(done, total int)
}

// DefaultSettings are the settings of Auto, which chooses numbers of pieces and the ridge itself.
func DefaultSettings() Settings { return MethodSettings(Auto) }

// MethodSettings are the defaults of a method: of CCP the ones of Oliveira and
// Valle 2023.
func MethodSettings(m Method) Settings {
	set := Settings{Method: m, Pieces: [2]int{3, 2}, MaxIter: 50, Tol: 1e-5, Imputation: dataset.Mean}
	if m == Refit {
		set.Ridge = 3e-2
	}
	return set
}

// maxPieces bounds the size of the convex problems, which have one row per piece
// and sample.
// Source: a limit of memory.
const maxPieces = 1000

// Validate returns an error that names the first field out of range and the range; nil
// if there is none.
func (s Settings) Validate() error {
	c := setting.Of("lder: Settings")
	for _, r := range s.Pieces {
		c.That(r >= 1 && r <= maxPieces, "Pieces", s.Pieces, fmt.Sprintf("each from 1 to %d", maxPieces))
	}
	c.That(s.Method < numMethod, "Method", s.Method, "one of "+strings.Join(methodText[:], ", "))
	c.AtLeast("MaxIter", s.MaxIter, 1)
	c.Positive("Tol", s.Tol)
	c.NotNegative("Ridge", s.Ridge)
	c.That(s.MaxFeatures == 0 || s.MaxFeatures > 0 && s.Method.Chooses(), "MaxFeatures", s.MaxFeatures,
		fmt.Sprintf("0 or, of a method that chooses (%v to %v), at least 1", Auto, Ensemble))
	c.That(s.FormulaSize == 0 || s.FormulaSize > 1 && s.Method == Auto, "FormulaSize", s.FormulaSize,
		fmt.Sprintf("0 or, of the method %v, at least 2", Auto))
	c.That(finite(s.FillValue), "FillValue", s.FillValue, "a number")
	_, err := dataset.ParseStrategy(s.Imputation.String())
	c.That(err == nil, "Imputation", s.Imputation, "a known one")
	return c.Err()
}
