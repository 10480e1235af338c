package function

import (
	"math"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/internal/graph/atom"
)

// Table is the table of all of them. Functions that are not listed have their row in a table of
// package atom alone; those that are have several arguments, complex numbers or sums of their own.
var Table = map[string]*eval.Function{
	// Atoms of data and variables.
	"abs": {Least: 1, Most: 1, Inf: true, Eval: twoPieces(math.Abs, dc.Abs), OfSum: sumOfAbs,
		Complex: complexAbs, Real: true},
	"pos":         {Least: 1, Most: 1, Eval: twoPieces(positive, dc.Pos), Complex: noOrder},
	"square":      {Least: 1, Most: 1, Eval: fnSquare, OfSum: sumOfSquares},
	"sqrt":        {Least: 1, Most: 1, Domain: true, Eval: curve("power", 0.5, "a concave", dc.Sqrt)},
	"exp":         {Least: 1, Most: 1, Eval: row(atom.Find("exp")), Complex: complexExp},
	"invpos":      {Least: 1, Most: 1, Domain: true, Eval: curve("power", -1, "a concave", dc.InvPos)},
	"kl":          {Least: 2, Most: 2, Domain: true, Eval: relative(divergence, dc.KL)},
	"rel_entr":    {Least: 2, Most: 2, Domain: true, Eval: relative(relativeEntropy, relEntropy)},
	"quadoverlin": {Least: 2, Most: 2, Domain: true, Eval: fnQuadOverLin},
	"geomean":     {Least: 1, Most: -1, Domain: true, Eval: fnGeoMean},
	"wgeomean":    {Least: 2, Most: 2, Domain: true, Eval: fnWeightedGeoMean},
	"huber":       {Least: 1, Most: 2, Eval: fnHuber, OfSum: dc.Huber},
	"max":         {Least: 1, Most: -1, Inf: true, Eval: fnFold, Complex: noOrder},
	"min":         {Least: 1, Most: -1, Inf: true, Eval: fnFold, Complex: noOrder},
	"sum":         {Least: 1, Most: 2, Inf: true, Eval: fnSum, Complex: eachPart},
	"mean":        {Least: 1, Most: 2, Eval: fnMean, Complex: eachPart},
	"norm":        {Least: 1, Most: 2, Inf: true, Eval: fnNorm, Complex: complexNorm, Real: true},
	"vec":         {Least: 1, Most: 1, Inf: true, Eval: fnVec, Complex: eachPart},
	"conv":        {Least: 2, Most: 2, Eval: fnConv, Complex: ofParts},
	"re":          {Least: 1, Most: 1, Inf: true, Eval: theReal, Complex: realOf, Real: true},
	"im":          {Least: 1, Most: 1, Eval: noImaginary, Complex: imagOf, Real: true},
	"conj":        {Least: 1, Most: 1, Inf: true, Eval: theReal, Complex: complexConj},
	"kron":        {Least: 2, Most: 2, Eval: fnKron, Complex: ofParts},
	"dotsort":     {Least: 2, Most: 2, Eval: fnDotSort},
	"cumsum":      {Least: 1, Most: 1, Eval: fnCumSum, Complex: eachPart},
	"reshape":     {Least: 2, Most: 1 + value.MaxDims, Inf: true, Eval: fnReshape, Complex: eachPart},
	"norm1":       {Least: 1, Most: 1, Eval: ofOrder(1), Complex: byFirst(moduli), Real: true},
	"norm2":       {Least: 1, Most: 1, Eval: rowOfArray(atom.Norm2), Complex: byFirst(stacked), Real: true},
	"norminf":     {Least: 1, Most: 1, Eval: ofOrder(math.Inf(1)), Complex: byFirst(moduli), Real: true},
	"sumsq":       {Least: 1, Most: 1, Eval: fnSumSquares, Complex: byFirst(stacked), Real: true},
	"sumlargest":  {Least: 2, Most: 2, Eval: fnSumLargest, Complex: noOrder},
	"quad":        {Least: 2, Most: 2, Eval: fnQuad, Complex: complexQuad, Real: true},
	"dc":          {Least: 2, Most: 2, Eval: fnDC},

	// Atoms of matrices.
	"logdet": {Least: 1, Most: 1, Domain: true, Eval: ofSymmetric(dc.LogDet), Complex: embedded(0.5),
		Real: true},
	"matfrac":           {Least: 2, Most: 2, Domain: true, Eval: fnMatFrac, Complex: complexMatFrac, Real: true},
	"lambda_max":        {Least: 1, Most: 1, Eval: ofSymmetric(dc.LambdaMax), Complex: embedded(1), Real: true},
	"lambda_min":        {Least: 1, Most: 1, Eval: ofSymmetric(dc.LambdaMin), Complex: embedded(1), Real: true},
	"lambda_sumlargest": {Least: 2, Most: 2, Eval: fnLambdaSumLargest, Complex: embedded(0.5), Real: true},
	"sigma_max":         {Least: 1, Most: 1, Eval: ofMatrix(dc.SpectralNorm), Complex: ofAnyMatrix(1), Real: true},
	"normnuc":           {Least: 1, Most: 1, Eval: ofMatrix(dc.NuclearNorm), Complex: ofAnyMatrix(0.5), Real: true},
	"trace":             {Least: 1, Most: 1, Eval: fnTrace, Complex: eachPart},
	"diag":              {Least: 1, Most: 1, Eval: fnDiag, Complex: eachPart},

	// Of the shape alone.
	"rows": {Least: 1, Most: 1, Inf: true, Sparse: true, Eval: extent(0), Complex: byFirst(realPart), Real: true},
	"cols": {Least: 1, Most: 1, Inf: true, Sparse: true, Eval: extent(1), Complex: byFirst(realPart), Real: true},
	"len":  {Least: 1, Most: 1, Inf: true, Eval: fnLen, Complex: byFirst(realPart), Real: true},

	// Data.
	"csv":      {Least: 1, Most: -1, Text: true, Eval: fnCSV},
	"header":   {Least: 1, Most: -1, Text: true, Eval: fnHeader},
	"json":     {Least: 1, Most: 2, Text: true, Eval: fnFile},
	"npy":      {Least: 1, Most: 1, Text: true, Eval: fnFile},
	"npz":      {Least: 1, Most: 2, Text: true, Eval: fnFile},
	"mtx":      {Least: 1, Most: 1, Text: true, Eval: fnFile},
	"eye":      {Least: 1, Most: 1, Eval: fnEye},
	"zeros":    {Least: 1, Most: 8, Eval: constants(0)},
	"ones":     {Least: 1, Most: 8, Eval: constants(1)},
	"sort":     {Least: 1, Most: 1, Inf: true, Eval: fnSort, Complex: noOrder},
	"linspace": {Least: 3, Most: 3, Eval: fnLinspace},
	"quantile": {Least: 2, Most: 2, Eval: fnQuantile},
	"prod":     {Least: 1, Most: 1, Eval: fnProd},
	"chol":     {Least: 1, Most: 1, Eval: fnChol},
	"inv":      {Least: 1, Most: 1, Eval: fnInv, Complex: complexInv},
	"std":      {Least: 1, Most: 1, Eval: fnStd},
	"floor":    {Least: 1, Most: 1, Eval: ofData(math.Floor)},
	"ceil":     {Least: 1, Most: 1, Eval: ofData(math.Ceil)},
	"round":    {Least: 1, Most: 1, Eval: ofData(math.Round)},

	// Only after start.
	"normal":  {Least: 2, Most: 2, Eval: onlyStart},
	"uniform": {Least: 2, Most: 2, Eval: onlyStart},
}

var _ = withRows(Table)

// withRows adds the rows of the tables of functions.
func withRows(table map[string]*eval.Function) bool {
	for _, c := range atom.Curves() {
		if table[c.Name] == nil && !c.HasParameter {
			table[c.Name] = &eval.Function{Least: 1, Most: 1, Domain: c.Domain != nil, Eval: row(c)}
		}
	}
	for _, f := range atom.Reduces() {
		if f.Plain() {
			table[f.Name] = &eval.Function{Least: 1, Most: 1, Domain: f.Restricted(), Eval: rowOfArray(f)}
		}
	}
	return true
}

// OtherNames are the names that functions have in other languages.
var OtherNames = map[string]string{
	"pnorm": "norm", "norm_p": "norm", "cholesky": "chol", "inverse": "inv", "weighted_geo_mean": "wgeomean",
	"l1": "norm1", "l2": "norm2", "linf": "norminf", "sum_squares": "sumsq", "sumsquares": "sumsq",
	"sum_largest": "sumlargest", "logsumexp": "lse", "log_sum_exp": "lse", "quad_form": "quad", "quadform": "quad",
	"fabs":    "abs",
	"maximum": "max", "minimum": "min", "relu": "pos", "length": "len", "size": "len", "average": "mean", "ln": "log",
	"softplus": "logistic", "arctan": "atan", "arcsinh": "asinh", "arctanh": "atanh", "norm_cdf": "normcdf",
	"identity": "eye", "log_det": "logdet", "matrix_frac": "matfrac", "quad_over_lin": "quadoverlin",
	"geo_mean": "geomean",
	"real":     "re", "imag": "im", "conjugate": "conj", "norm_nuc": "normnuc", "nuclear_norm": "normnuc",
	"norm_spec": "sigma_max", "spectral_norm": "sigma_max", "eigmax": "lambda_max", "eigmin": "lambda_min",
	"lambda_sum_largest": "lambda_sumlargest", "tr": "trace", "entropy": "entr", "inv_pos": "invpos",
	"kl_div": "kl", "relative_entropy": "rel_entr", "convolve": "conv", "flatten": "vec", "norm_inf": "norminf",
	"sq": "square", "sqr": "square",
	"product": "prod", "percentile": "quantile", "columns": "header",
}

// Instead says what to write for functions of other languages.
var Instead = map[string]string{
	"pow": "write x^p for a power", "power": "write x^p for a power", "dot": "* of two vectors is their inner product",
	"transpose": "write A' for the transpose", "median": "write quantile(v, 0.5)",
	"variance": "write sumsq(x - mean(x))/len(x)",
	"sign":     "write if(a < 0, -1, 1) of data; of variables it jumps, which no function here does",
	"diff":     "write x[2..n] - x[1..n-1]", "range": "write 1..n", "hstack": "write [A, B]", "vstack": "write [A; B]",
}
