package lang

import (
	"math"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
)

// function is a function of the language.
type function struct {
	least, most int // numbers of arguments; most < 0: any
	eval        func(ev *evaluator, n *syntax.Node, args []value.Value) value.Value
	domain      bool // it has no value for some finite data
	text        bool // its arguments are strings
	inf         bool // data may be infinite
	sparse      bool // data may be sparse
	// complex computes it where an argument is complex; nil: it takes real ones. real: its
	// value is real all the same.
	complex func(ev *evaluator, n *syntax.Node, args []value.Pair) value.Value
	real    bool
}

// functions is the table of all of them.
var functions = map[string]*function{
	// Atoms of data and variables.
	"abs":         {least: 1, most: 1, inf: true, eval: (*evaluator).fnAbs, complex: (*evaluator).complexAbs, real: true},
	"pos":         {least: 1, most: 1, eval: (*evaluator).fnPos},
	"square":      {least: 1, most: 1, eval: (*evaluator).fnSquare},
	"sqrt":        {least: 1, most: 1, domain: true, eval: curve("a concave", math.Sqrt, dc.Sqrt)},
	"exp":         {least: 1, most: 1, eval: curve("a convex", math.Exp, dc.Exp), complex: (*evaluator).complexExp},
	"log":         {least: 1, most: 1, domain: true, eval: curve("a concave", math.Log, dc.Log)},
	"entr":        {least: 1, most: 1, domain: true, eval: curve("an affine", entropy, dc.Entropy)},
	"logistic":    {least: 1, most: 1, eval: curve("a convex", logistic, dc.Logistic)},
	"xexp":        {least: 1, most: 1, domain: true, eval: curve("a convex", xexp, dc.XExp)},
	"invpos":      {least: 1, most: 1, domain: true, eval: curve("a concave", reciprocal, dc.InvPos)},
	"kl":          {least: 2, most: 2, domain: true, eval: relative(divergence, dc.KL)},
	"rel_entr":    {least: 2, most: 2, domain: true, eval: relative(relativeEntropy, relEntropy)},
	"quadoverlin": {least: 2, most: 2, domain: true, eval: (*evaluator).fnQuadOverLin},
	"geomean":     {least: 1, most: -1, domain: true, eval: (*evaluator).fnGeoMean},
	"wgeomean":    {least: 2, most: 2, domain: true, eval: (*evaluator).fnWeightedGeoMean},
	"huber":       {least: 1, most: 2, eval: (*evaluator).fnHuber},
	"max":         {least: 1, most: -1, inf: true, eval: (*evaluator).fnFold},
	"min":         {least: 1, most: -1, inf: true, eval: (*evaluator).fnFold},
	"sum":         {least: 1, most: 1, inf: true, eval: (*evaluator).fnSum, complex: eachPart},
	"mean":        {least: 1, most: 1, eval: (*evaluator).fnMean, complex: eachPart},
	"norm":        {least: 1, most: 2, inf: true, eval: (*evaluator).fnNorm, complex: (*evaluator).complexNorm, real: true},
	"vec":         {least: 1, most: 1, inf: true, eval: (*evaluator).fnVec, complex: eachPart},
	"conv":        {least: 2, most: 2, eval: (*evaluator).fnConv, complex: ofParts},
	"re":          {least: 1, most: 1, inf: true, eval: theReal, complex: realOf, real: true},
	"im":          {least: 1, most: 1, eval: noImaginary, complex: imagOf, real: true},
	"conj":        {least: 1, most: 1, inf: true, eval: theReal, complex: (*evaluator).complexConj},
	"kron":        {least: 2, most: 2, eval: (*evaluator).fnKron, complex: ofParts},
	"dotsort":     {least: 2, most: 2, eval: (*evaluator).fnDotSort},
	"cumsum":      {least: 1, most: 1, eval: (*evaluator).fnCumSum, complex: eachPart},
	"reshape":     {least: 2, most: 1 + value.MaxDims, inf: true, eval: (*evaluator).fnReshape, complex: eachPart},
	"norm1":       {least: 1, most: 1, eval: (*evaluator).fnNorm1, complex: (*evaluator).complexNorm1, real: true},
	"norm2":       {least: 1, most: 1, eval: (*evaluator).fnNorm2, complex: (*evaluator).complexNorm2, real: true},
	"norminf":     {least: 1, most: 1, eval: (*evaluator).fnNormInf, complex: (*evaluator).complexNormInf, real: true},
	"sumsq":       {least: 1, most: 1, eval: (*evaluator).fnSumSquares, complex: (*evaluator).complexSumSquares, real: true},
	"sumlargest":  {least: 2, most: 2, eval: (*evaluator).fnSumLargest},
	"lse":         {least: 1, most: 1, eval: (*evaluator).fnLogSumExp},
	"quad":        {least: 2, most: 2, eval: (*evaluator).fnQuad, complex: (*evaluator).complexQuad, real: true},
	"dc":          {least: 2, most: 2, eval: (*evaluator).fnDC},

	// Atoms of matrices.
	"logdet":            {least: 1, most: 1, domain: true, eval: ofSymmetric(dc.LogDet), complex: embedded(0.5), real: true},
	"matfrac":           {least: 2, most: 2, domain: true, eval: (*evaluator).fnMatFrac, complex: (*evaluator).complexMatFrac, real: true},
	"lambda_max":        {least: 1, most: 1, eval: ofSymmetric(dc.LambdaMax), complex: embedded(1), real: true},
	"lambda_min":        {least: 1, most: 1, eval: ofSymmetric(dc.LambdaMin), complex: embedded(1), real: true},
	"lambda_sumlargest": {least: 2, most: 2, eval: (*evaluator).fnLambdaSumLargest, complex: embedded(0.5), real: true},
	"sigma_max":         {least: 1, most: 1, eval: ofMatrix(dc.SpectralNorm), complex: ofAnyMatrix(1), real: true},
	"normnuc":           {least: 1, most: 1, eval: ofMatrix(dc.NuclearNorm), complex: ofAnyMatrix(0.5), real: true},
	"trace":             {least: 1, most: 1, eval: (*evaluator).fnTrace, complex: eachPart},
	"diag":              {least: 1, most: 1, eval: (*evaluator).fnDiag, complex: eachPart},

	// Of the shape alone.
	"rows": {least: 1, most: 1, inf: true, sparse: true, eval: (*evaluator).fnRows, complex: ofRealPart, real: true},
	"cols": {least: 1, most: 1, inf: true, sparse: true, eval: (*evaluator).fnCols, complex: ofRealPart, real: true},
	"len":  {least: 1, most: 1, inf: true, eval: (*evaluator).fnLen, complex: ofRealPart, real: true},

	// Data.
	"csv":   {least: 1, most: -1, text: true, eval: (*evaluator).fnCSV},
	"json":  {least: 1, most: 2, text: true, eval: (*evaluator).fnFile},
	"npy":   {least: 1, most: 1, text: true, eval: (*evaluator).fnFile},
	"npz":   {least: 1, most: 2, text: true, eval: (*evaluator).fnFile},
	"mtx":   {least: 1, most: 1, text: true, eval: (*evaluator).fnFile},
	"eye":   {least: 1, most: 1, eval: (*evaluator).fnEye},
	"zeros": {least: 1, most: 8, eval: constants(0)},
	"ones":  {least: 1, most: 8, eval: constants(1)},
	"sort":  {least: 1, most: 1, inf: true, eval: (*evaluator).fnSort},
	"chol":  {least: 1, most: 1, eval: (*evaluator).fnChol},
	"inv":   {least: 1, most: 1, eval: (*evaluator).fnInv, complex: (*evaluator).complexInv},
	"std":   {least: 1, most: 1, eval: (*evaluator).fnStd},
	"sin":   {least: 1, most: 1, eval: ofData(math.Sin)},
	"cos":   {least: 1, most: 1, eval: ofData(math.Cos)},
	"floor": {least: 1, most: 1, eval: ofData(math.Floor)},
	"ceil":  {least: 1, most: 1, eval: ofData(math.Ceil)},
	"round": {least: 1, most: 1, eval: ofData(math.Round)},

	// Only after start.
	"normal":  {least: 2, most: 2, eval: onlyStart},
	"uniform": {least: 2, most: 2, eval: onlyStart},
}

// otherNames are the names that functions have in other languages.
var otherNames = map[string]string{
	"pnorm": "norm", "norm_p": "norm", "cholesky": "chol", "inverse": "inv", "weighted_geo_mean": "wgeomean", "l1": "norm1", "l2": "norm2", "linf": "norminf", "sum_squares": "sumsq", "sumsquares": "sumsq",
	"sum_largest": "sumlargest", "logsumexp": "lse", "log_sum_exp": "lse", "quad_form": "quad", "quadform": "quad", "fabs": "abs",
	"maximum": "max", "minimum": "min", "relu": "pos", "length": "len", "size": "len", "average": "mean", "ln": "log",
	"identity": "eye", "log_det": "logdet", "matrix_frac": "matfrac", "quad_over_lin": "quadoverlin", "geo_mean": "geomean",
	"real": "re", "imag": "im", "conjugate": "conj", "norm_nuc": "normnuc", "nuclear_norm": "normnuc", "norm_spec": "sigma_max", "spectral_norm": "sigma_max", "eigmax": "lambda_max", "eigmin": "lambda_min",
	"lambda_sum_largest": "lambda_sumlargest", "tr": "trace", "entropy": "entr", "inv_pos": "invpos", "kl_div": "kl", "relative_entropy": "rel_entr", "convolve": "conv", "flatten": "vec", "norm_inf": "norminf", "sq": "square", "sqr": "square", "prod": "", "dot": "", "transpose": "",
}
