package lang

import "github.com/dcopt/dcopt/internal/graph/atom"

// Function describes a function of the language.
type Function struct {
	Name      string
	Form      string // how it is called, such as huber(x, m)
	Meaning   string
	Curvature Curvature // where its argument is affine; of functions of data Constant
	Takes     string    // the arguments that have a split
	Domain    string    // where it has a value; empty: everywhere
	Data      bool      // it takes data alone, or looks at the shape alone
}

const (
	anything   = "any"
	decreasing = "affine or concave"
	affineOnly = "affine"
	falling    = "affine or concave; others by their bounds; any smooth function"
	needsPlus  = "x >= 0"
	needsAbove = "x > 0"
)

// described are the functions without a row in the table of functions of one number: first
// functions of variables, then functions of data.
var described = []Function{
	{"sqrt", "sqrt(x)", "the square root", Concave, falling, needsPlus, false},
	{"invpos", "invpos(x)", "1/x", Convex, falling, needsAbove, false},
	{"huber", "huber(x, m)", "x^2 up to abs(x) = m, and 2 m abs(x) - m^2 beyond; m = 1 if left out", Convex, anything,
		"", false},
	{"kl", "kl(x, z)", "x log(x/z) - x + z", Convex, affineOnly, "x >= 0, z > 0", false},
	{"rel_entr", "rel_entr(x, z)", "x log(x/z)", Convex, affineOnly, "x >= 0, z > 0", false},
	{"max", "max(x, z, ...)", "the largest", Convex, anything, "", false},
	{"min", "min(x, z, ...)", "the least", Concave, anything, "", false},
	{"sum", "sum(x, d)", "the sum of the entries; with d the sums over dimension d, of a matrix " +
		"its columns (1) or rows (2)", Affine, anything, "", false},
	{"mean", "mean(x, d)", "the mean of the entries; with d the means over dimension d", Affine, anything, "", false},
	{"cumsum", "cumsum(x)", "the vector of the sums of the first 1, 2, ... entries of a vector", Affine, anything, "",
		false},
	{"vec", "vec(X)", "the entries of an array, row by row, as a vector", Affine, anything, "", false},
	{"reshape", "reshape(x, n, m, ...)", "the same entries, row by row, in another shape", Affine, anything, "", false},
	{"re", "re(z)", "the real part", Affine, anything, "", false},
	{"im", "im(z)", "the imaginary part, 0 of what is real", Affine, anything, "", false},
	{"conj", "conj(z)", "the conjugate", Affine, anything, "", false},
	{"conv", "conv(a, x)", "the convolution of two vectors one of which is data, entry k the sum of the a_i x_(k+1-i)",
		Affine, anything, "", false},
	{"kron", "kron(A, X)", "the Kronecker product of two matrices one of which is data; a vector is a column", Affine,
		anything, "", false},
	{"norm", "norm(x, p)", "the p-norm (sum of abs(x)^p)^(1/p) of all entries, p >= 1 of data; 2 if left out", Convex,
		anything, "", false},
	{"norm1", "norm1(x)", "the sum of the absolute values", Convex, anything, "", false},
	{"norm2", "norm2(x)", "the Euclidean norm of all entries", Convex, anything, "", false},
	{"norminf", "norminf(x)", "the largest absolute value", Convex, anything, "", false},
	{"sumsq", "sumsq(x)", "the sum of squares", Convex, anything, "", false},
	{"sumlargest", "sumlargest(x, k)", "the sum of the k largest entries", Convex, anything, "", false},
	{"dotsort", "dotsort(x, w)", "the largest inner product of x with a permutation of w, which is data", Convex,
		anything, "", false},
	{"quad", "quad(x, Q)", "x'Qx for a square matrix Q of data; DC where Q is indefinite", Convex, affineOnly, "",
		false},
	{"quadoverlin", "quadoverlin(x, z)", "sumsq(x)/z", Convex, "x affine, or convex and >= 0; z affine or concave",
		"z > 0", false},
	{"geomean", "geomean(x, z, ...)", "the geometric mean of all entries", Concave, decreasing, needsPlus, false},
	{"wgeomean", "wgeomean(x, w)", "the geometric mean with weights w >= 0 of data, the product of x^(w/sum(w))",
		Concave, decreasing, needsPlus, false},
	{"dc", "dc(g, h)", "g - h", DC, "convex", "", false},
	{"logdet", "logdet(X)", "log of the determinant of a symmetric matrix", Concave, affineOnly, "X positive definite",
		false},
	{"matfrac", "matfrac(x, X)", "x'X^-1 x for a vector x, the trace of that for a matrix; X symmetric", Convex,
		affineOnly, "X positive definite", false},
	{"lambda_max", "lambda_max(X)", "the largest eigenvalue of a symmetric matrix", Convex, affineOnly, "", false},
	{"lambda_min", "lambda_min(X)", "the smallest eigenvalue of a symmetric matrix", Concave, affineOnly, "", false},
	{"lambda_sumlargest", "lambda_sumlargest(X, k)", "the sum of the k largest eigenvalues of a symmetric matrix",
		Convex, affineOnly, "", false},
	{"sigma_max", "sigma_max(X)", "the largest singular value of a matrix, the spectral norm", Convex, affineOnly, "",
		false},
	{"normnuc", "normnuc(X)", "the sum of the singular values, the nuclear norm", Convex, affineOnly, "", false},
	{"trace", "trace(X)", "the sum of the diagonal of a square matrix", Affine, anything, "", false},
	{"diag", "diag(X)", "the diagonal of a square matrix; of a vector, the matrix with that diagonal", Affine, anything,
		"", false},
	{"rows", "rows(A)", "the number of rows of a matrix, also of variables", Constant, "data", "", true},
	{"cols", "cols(A)", "the number of columns", Constant, "data", "", true},
	{"len", "len(v)", "the number of entries of a vector", Constant, "data", "", true},
	{"csv", "csv(file, column, ...)", "a table, or columns of it; with not before each column, all the " +
		"others", Constant, "data", "", true},
	{"header", "header(file, column, ...)", "the set of the names of columns, chosen as in " +
		"csv", Constant, "data", "", true},
	{"json", "json(file, key)", "a number or an array", Constant, "data", "", true},
	{"npy", "npy(file)", "an array of NumPy", Constant, "data", "", true},
	{"npz", "npz(file, name)", "a sparse matrix of SciPy, or an array of NumPy", Constant, "data", "", true},
	{"mtx", "mtx(file)", "a matrix of the Matrix Market, sparse where the file has coordinates", Constant, "data", "",
		true},
	{"eye", "eye(n)", "the identity matrix", Constant, "data", "", true},
	{"zeros", "zeros(n, m, ...)", "an array of zeros", Constant, "data", "", true},
	{"ones", "ones(n, m, ...)", "an array of ones", Constant, "data", "", true},
	{"sort", "sort(v)", "the entries of a vector, ascending", Constant, "data", "", true},
	{"linspace", "linspace(a, b, n)", "n numbers from a to b in equal steps", Constant, "data", "", true},
	{"quantile", "quantile(v, q)", "the q-quantile of the entries, linear between neighbours; the median " +
		"with q = 0.5", Constant, "data", "", true},
	{"prod", "prod(v)", "the product of the entries", Constant, "data", "", true},
	{"chol", "chol(A)", "the lower triangular matrix L with A = L*L' of a positive definite matrix", Constant, "data",
		"", true},
	{"inv", "inv(A)", "the inverse of a square matrix", Constant, "data", "", true},
	{"std", "std(v)", "the standard deviation of the entries, with divisor n", Constant, "data", "", true},
	{"floor", "floor(x)", "the next whole number below", Constant, "data", "", true},
	{"ceil", "ceil(x)", "the next whole number above", Constant, "data", "", true},
	{"round", "round(x)", "the nearest whole number, halves away from 0", Constant, "data", "", true},
	{"normal", "normal(mean, sd)", "after `start` only: drawn from the normal distribution", Constant, "data", "",
		true},
	{"uniform", "uniform(l, u)", "after `start` only: drawn between l and u", Constant, "data", "", true},
}

// Functions are all functions of the language: the ones that have a row, other functions of
// variables, and functions of data.
func Functions() (all []Function) {
	for _, c := range atom.Curves() {
		if c.HasParameter {
			continue
		}
		w := c.Words("x")
		curvature := map[string]Curvature{"convex": Convex, "concave": Concave, "DC": DC}[w.Curvature]
		all = append(all, Function{c.Name, c.Name + "(x)", c.Doc.Means, curvature, w.Takes, w.Domain, false})
	}
	for _, f := range atom.Reduces() {
		if f.Plain() {
			curvature, takes := Convex, anything
			if f.Curvature < 0 {
				curvature = Concave
			}
			if f.Slopes == nil {
				takes = "as its directions allow"
			}
			all = append(all, Function{f.Name, f.Name + "(x)", f.Means, curvature, takes, "", false})
		}
	}
	return append(all, described...)
}
