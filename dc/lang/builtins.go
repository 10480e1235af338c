package lang

import (
	"math"

	"github.com/dcopt/dcopt/dc"
)

// function is a function of the language.
type function struct {
	least, most int // numbers of arguments; most < 0: any
	eval        func(ev *evaluator, n *node) value
	number      func(float64) float64 // what it is of one number; nil: only eval knows
	domain      bool                  // it has no value for some finite data
}

// functions is the table of all of them.
var functions = map[string]*function{
	// Atoms of data and variables.
	"abs":         {least: 1, most: 1, eval: (*evaluator).fnAbs, number: math.Abs},
	"pos":         {least: 1, most: 1, eval: (*evaluator).fnPos},
	"square":      {least: 1, most: 1, eval: (*evaluator).fnSquare, number: func(x float64) float64 { return x * x }},
	"sqrt":        {least: 1, most: 1, domain: true, eval: curve("a concave", math.Sqrt, dc.Sqrt), number: math.Sqrt},
	"exp":         {least: 1, most: 1, eval: curve("a convex", math.Exp, dc.Exp), number: math.Exp},
	"log":         {least: 1, most: 1, domain: true, eval: curve("a concave", math.Log, dc.Log), number: math.Log},
	"entr":        {least: 1, most: 1, domain: true, eval: curve("an affine", entropy, dc.Entropy)},
	"logistic":    {least: 1, most: 1, eval: curve("a convex", logistic, dc.Logistic)},
	"invpos":      {least: 1, most: 1, domain: true, eval: curve("a concave", reciprocal, dc.InvPos)},
	"kl":          {least: 2, most: 2, domain: true, eval: (*evaluator).fnKL},
	"quadoverlin": {least: 2, most: 2, domain: true, eval: (*evaluator).fnQuadOverLin},
	"geomean":     {least: 1, most: -1, domain: true, eval: (*evaluator).fnGeoMean},
	"wgeomean":    {least: 2, most: 2, domain: true, eval: (*evaluator).fnWeightedGeoMean},
	"huber":       {least: 1, most: 2, eval: (*evaluator).fnHuber},
	"max":         {least: 1, most: -1, eval: (*evaluator).fnFold},
	"min":         {least: 1, most: -1, eval: (*evaluator).fnFold},
	"sum":         {least: 1, most: 1, eval: (*evaluator).fnSum},
	"mean":        {least: 1, most: 1, eval: (*evaluator).fnMean},
	"norm":        {least: 1, most: 2, eval: (*evaluator).fnNorm},
	"cumsum":      {least: 1, most: 1, eval: (*evaluator).fnCumSum},
	"reshape":     {least: 2, most: 1 + maxDims, eval: (*evaluator).fnReshape},
	"norm1":       {least: 1, most: 1, eval: (*evaluator).fnNorm1},
	"norm2":       {least: 1, most: 1, eval: (*evaluator).fnNorm2},
	"norminf":     {least: 1, most: 1, eval: (*evaluator).fnNormInf},
	"sumsq":       {least: 1, most: 1, eval: (*evaluator).fnSumSquares},
	"sumlargest":  {least: 2, most: 2, eval: (*evaluator).fnSumLargest},
	"lse":         {least: 1, most: 1, eval: (*evaluator).fnLogSumExp},
	"quad":        {least: 2, most: 2, eval: (*evaluator).fnQuad},
	"dc":          {least: 2, most: 2, eval: (*evaluator).fnDC},

	// Atoms of matrices.
	"logdet":            {least: 1, most: 1, domain: true, eval: ofSymmetric(dc.LogDet)},
	"matfrac":           {least: 2, most: 2, domain: true, eval: (*evaluator).fnMatFrac},
	"lambda_max":        {least: 1, most: 1, eval: ofSymmetric(dc.LambdaMax)},
	"lambda_min":        {least: 1, most: 1, eval: ofSymmetric(dc.LambdaMin)},
	"lambda_sumlargest": {least: 2, most: 2, eval: (*evaluator).fnLambdaSumLargest},
	"sigma_max":         {least: 1, most: 1, eval: ofMatrix(dc.SpectralNorm)},
	"normnuc":           {least: 1, most: 1, eval: ofMatrix(dc.NuclearNorm)},
	"trace":             {least: 1, most: 1, eval: (*evaluator).fnTrace},
	"diag":              {least: 1, most: 1, eval: (*evaluator).fnDiag},

	// Of the shape alone.
	"rows": {least: 1, most: 1, eval: (*evaluator).fnRows},
	"cols": {least: 1, most: 1, eval: (*evaluator).fnCols},
	"len":  {least: 1, most: 1, eval: (*evaluator).fnLen},

	// Data.
	"csv":   {least: 1, most: 2, eval: (*evaluator).fnCSV},
	"json":  {least: 1, most: 2, eval: (*evaluator).fnJSON},
	"eye":   {least: 1, most: 1, eval: (*evaluator).fnEye},
	"zeros": {least: 1, most: 8, eval: constants(0)},
	"ones":  {least: 1, most: 8, eval: constants(1)},
	"sort":  {least: 1, most: 1, eval: (*evaluator).fnSort},
	"chol":  {least: 1, most: 1, eval: (*evaluator).fnChol},
	"inv":   {least: 1, most: 1, eval: (*evaluator).fnInv},
	"std":   {least: 1, most: 1, eval: (*evaluator).fnStd},
	"sin":   {least: 1, most: 1, eval: ofData(math.Sin), number: math.Sin},
	"cos":   {least: 1, most: 1, eval: ofData(math.Cos), number: math.Cos},
	"floor": {least: 1, most: 1, eval: ofData(math.Floor), number: math.Floor},
	"ceil":  {least: 1, most: 1, eval: ofData(math.Ceil), number: math.Ceil},
	"round": {least: 1, most: 1, eval: ofData(math.Round), number: math.Round},

	// Only after start.
	"normal":  {least: 2, most: 2, eval: onlyStart},
	"uniform": {least: 2, most: 2, eval: onlyStart},
}

// otherNames are what functions are called elsewhere.
var otherNames = map[string]string{
	"pnorm": "norm", "norm_p": "norm", "cholesky": "chol", "inverse": "inv", "weighted_geo_mean": "wgeomean", "l1": "norm1", "l2": "norm2", "linf": "norminf", "sum_squares": "sumsq", "sumsquares": "sumsq",
	"sum_largest": "sumlargest", "logsumexp": "lse", "log_sum_exp": "lse", "quad_form": "quad", "quadform": "quad", "fabs": "abs",
	"maximum": "max", "minimum": "min", "relu": "pos", "length": "len", "size": "len", "average": "mean", "ln": "log",
	"identity": "eye", "log_det": "logdet", "matrix_frac": "matfrac", "quad_over_lin": "quadoverlin", "geo_mean": "geomean",
	"norm_nuc": "normnuc", "nuclear_norm": "normnuc", "norm_spec": "sigma_max", "spectral_norm": "sigma_max", "eigmax": "lambda_max", "eigmin": "lambda_min",
	"lambda_sum_largest": "lambda_sumlargest", "tr": "trace", "entropy": "entr", "inv_pos": "invpos", "kl_div": "kl", "norm_inf": "norminf", "sq": "square", "prod": "", "dot": "", "transpose": "",
}

func entropy(x float64) float64 {
	if x == 0 {
		return 0
	}
	return -x * math.Log(x)
}

func logistic(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

func reciprocal(x float64) float64 {
	if !(x > 0) {
		return math.NaN()
	}
	return 1 / x
}

// call applies a function.
func (ev *evaluator) call(n *node) value { return n.fn.eval(ev, n) }

// arg is the value of argument k.
func (ev *evaluator) arg(n *node, k int) value { return ev.operand(n.args[k]) }

// each applies f to every number.
func (ev *evaluator) each(n *node, v value, f func(float64) float64) value {
	if v.scalar() {
		return ev.finite(n, number(f(v.x)))
	}
	ev.spend(n, v.len())
	out := make([]float64, len(v.num))
	for k, x := range v.num {
		out[k] = f(x)
	}
	return ev.finite(n, array(v.shape, out))
}

// dataArg is argument k, which must not depend on a variable.
func (ev *evaluator) dataArg(n *node, k int) value {
	v := ev.arg(n, k)
	if !v.isData() {
		ev.fail(n, "", "%s takes data only, but %s depends on a variable", n.name, ev.say(n.args[k]))
	}
	return v
}

// ofData serves functions of every number of an array.
func ofData(f func(float64) float64) func(*evaluator, *node) value {
	return func(ev *evaluator, n *node) value { return ev.each(n, ev.dataArg(n, 0), f) }
}

// constants serves zeros and ones.
func constants(x float64) func(*evaluator, *node) value {
	return func(ev *evaluator, n *node) value {
		shape := make([]int, len(n.args))
		for k, a := range n.args {
			shape[k] = ev.dimension(a)
		}
		out := make([]float64, ev.room(n, shape))
		for k := range out {
			out[k] = x
		}
		return array(shape, out)
	}
}

// dimension is a number of entries.
func (ev *evaluator) dimension(n *node) int {
	d := ev.integer(n, "a dimension")
	if d < 1 {
		ev.fail(n, "", "a dimension must be at least 1, not %s", ev.is(n, float64(d)))
	}
	return d
}

func onlyStart(ev *evaluator, n *node) value {
	ev.fail(n, "", "%s stands only after start, as in start %s", n.name, ev.say(n))
	return value{}
}

func (ev *evaluator) fnEye(n *node) value {
	d := ev.dimension(n.args[0])
	ev.room(n, []int{d, d})
	return array([]int{d, d}, identity(d))
}

func (ev *evaluator) fnRows(n *node) value { return ev.extent(n, 0) }
func (ev *evaluator) fnCols(n *node) value { return ev.extent(n, 1) }

func (ev *evaluator) extent(n *node, d int) value {
	v := ev.arg(n, 0)
	if len(v.shape) != 2 {
		help := ""
		if len(v.shape) == 1 {
			help = "len counts the entries of a vector"
		}
		ev.fail(n, help, "%s counts in a matrix, but %s is %s", n.name, ev.say(n.args[0]), shapeText(v.shape))
	}
	return number(float64(v.shape[d]))
}

func (ev *evaluator) fnLen(n *node) value {
	v := ev.arg(n, 0)
	if len(v.shape) > 1 {
		ev.fail(n, "use rows or cols", "len counts the entries of a vector, but %s is %s", ev.say(n.args[0]), shapeText(v.shape))
	}
	return number(float64(v.len()))
}

// fnStd is the standard deviation with divisor n.
func (ev *evaluator) fnStd(n *node) value {
	v := ev.dataArg(n, 0)
	if v.len() == 0 {
		ev.fail(n, "", "std of nothing")
	}
	mean := 0.0
	for _, x := range v.numbers() {
		mean += x / float64(v.len())
	}
	s := 0.0
	for _, x := range v.numbers() {
		s += (x - mean) * (x - mean) / float64(v.len())
	}
	return ev.finite(n, number(math.Sqrt(s)))
}
