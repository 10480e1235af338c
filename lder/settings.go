package lder

import (
	"fmt"
	"math"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/qpbackend"
)

// Method is a way to train a Model.
type Method uint8

// The methods.
const (
	CCP Method = iota // Algorithm 2 of Oliveira and Valle 2023
	numMethod
)

var methodText = [numMethod]string{"ccp"}

// String is the method as model files have it, such as "ccp".
func (m Method) String() string {
	if m < numMethod {
		return methodText[m]
	}
	return fmt.Sprintf("Method(%d)", uint8(m))
}

// ParseMethod is the inverse of String.
func ParseMethod(s string) (Method, error) {
	for k, name := range methodText {
		if s == name {
			return Method(k), nil
		}
	}
	return 0, fmt.Errorf("lder: no method %q; want one of %q", s, methodText[:])
}

// Settings govern training. Start from DefaultSettings.
type Settings struct {
	Method Method
	// Pieces are r₁ and r₂, the numbers of affine functions in the two maxima.
	Pieces [2]int
	// MaxIter is kmax, the largest number of convex problems solved.
	MaxIter int
	// Tol is ε as a share of the variance of y: training stops when the mean
	// squared error changes by less.
	Tol float64
	// Imputation fills the missing values of the features.
	Imputation dataset.Strategy
	// Backend solves the convex problems; nil: the default of ccp.
	Backend qpbackend.Backend
	// Recorder is told of every iteration; nil: nobody is. What it sees is the
	// problem with y standardised. CrossValidate does not call it.
	Recorder ccp.Recorder
}

// DefaultSettings are those of Oliveira and Valle 2023.
func DefaultSettings() Settings {
	return Settings{Method: CCP, Pieces: [2]int{3, 2}, MaxIter: 50, Tol: 1e-5, Imputation: dataset.Mean}
}

// maxPieces keeps the convex problems, which have a row a piece and sample,
// within memory.
const maxPieces = 1000

// Validate names the first field out of range.
func (s Settings) Validate() error {
	for _, r := range s.Pieces {
		if r < 1 || r > maxPieces {
			return fmt.Errorf("lder: Settings.Pieces = %v, want each from 1 to %d", s.Pieces, maxPieces)
		}
	}
	switch {
	case s.Method >= numMethod:
		return fmt.Errorf("lder: Settings.Method = %v is unknown, want one of %q", s.Method, methodText[:])
	case s.MaxIter < 1:
		return fmt.Errorf("lder: Settings.MaxIter = %d, want at least 1", s.MaxIter)
	case !(s.Tol > 0) || math.IsInf(s.Tol, 1):
		return fmt.Errorf("lder: Settings.Tol = %g, want > 0", s.Tol)
	}
	if _, err := dataset.ParseStrategy(s.Imputation.String()); err != nil {
		return fmt.Errorf("lder: Settings.Imputation = %v is unknown", s.Imputation)
	}
	return nil
}
