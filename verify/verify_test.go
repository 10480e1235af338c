package verify_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp/global/prooffile"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/dc/lang/reader"
	"github.com/dcopt/dcopt/verify"
)

var damages = flag.Int("damages", 60, "damaged proofs of TestDamagedProofsAreRefused")

// solved is a problem with a proof.
func solved(t *testing.T, src string) (*global.Result, []byte) {
	t.Helper()
	file, err := lang.Parse("p.dc", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	prog, err := lang.Compile(context.Background(), file, lang.Options{})
	if err != nil {
		t.Fatal(err)
	}
	set := ccp.DefaultSettings()
	set.Global.Proof = true
	res, err := global.Solve(context.Background(), prog.Problem, nil, 1, set)
	if err != nil || !res.Proved || res.Proof == nil {
		t.Fatalf("error %v, %+v", err, res)
	}
	var b bytes.Buffer
	if err := prooffile.Write(&b, res.Proof); err != nil {
		t.Fatal(err)
	}
	return res, b.Bytes()
}

func read(t testing.TB, src string) *verify.Problem {
	t.Helper()
	p, err := verify.Read(context.Background(), src, reader.NewData(nil, "."), nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const hard = `var x[2] in [-2, 2], y in [-1, 3]
minimize x[1]*x[2] + exp(y) - 2*y^2 - norm2(x) + abs(x[1] - y) - sqrt(x[2] + 3)
subject to
  far:  x[1]^2 + y^2 >= 1
  on:   x[1]*y + x[2] == 0.5
`

// inBall is proved by a semidefinite matrix.
const inBall = `param Q = [1, 2, -1; 2, -3, 0.5; -1, 0.5, -2]
var x[3] in [-2, 2]
minimize quad(x, Q) + x[1] - 0.3*x[2] + 0.1*x[3]
subject to
  ball: sumsq(x) <= 2
`

// TestDamagedProofsAreRefused: a byte that is changed, lost or added anywhere.
func TestDamagedProofsAreRefused(t *testing.T) {
	_, whole := solved(t, hard)
	p := read(t, hard)
	if _, err := p.Proof(context.Background(), bytes.NewReader(whole)); err != nil {
		t.Fatal(err)
	}
	plain := unzipped(t, whole)
	rng := rand.New(rand.NewPCG(1, 2))
	for k := range *damages {
		text := bytes.Clone(plain)
		at := rng.IntN(len(text))
		switch k % 4 {
		case 0:
			text[at] ^= 1 << rng.IntN(8)
		case 1:
			text = append(text[:at], text[at+1:]...)
		case 2:
			text = append(text[:at], append([]byte{byte('0' + rng.IntN(10))}, text[at:]...)...)
		case 3: // a line is lost
			lines := bytes.SplitAfter(text, []byte("\n"))
			n := rng.IntN(len(lines) - 1)
			text = bytes.Join(append(lines[:n:n], lines[n+1:]...), nil)
		}
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if out, err := p.Proof(context.Background(), &b); err == nil {
			t.Errorf("damage %d of kind %d at byte %d is accepted: %+v", k, k%4, at, out)
		}
		raw := bytes.Clone(whole)
		raw[rng.IntN(len(raw)-10)+10] ^= 1 << rng.IntN(8) // behind the head of gzip, which has a time
		if out, err := p.Proof(context.Background(), bytes.NewReader(raw)); err == nil {
			if zip, err := gzip.NewReader(bytes.NewReader(raw)); err == nil {
				if same, err := io.ReadAll(zip); err == nil && bytes.Equal(same, plain) {
					continue // bits that fill up the last byte say nothing
				}
			}
			t.Errorf("a damaged file is accepted: %+v", out)
		}
	}
}

// TestWrongProofsShowNoMore: with any digit changed, and the checksum of that, a proof shows no
// bound above the optimum.
func TestWrongProofsShowNoMore(t *testing.T) {
	for _, src := range []string{hard, inBall} {
		wrongProofs(t, src)
	}
}

// wrongProofs changes digits of the proof of a problem.
func wrongProofs(t *testing.T, src string) {
	t.Helper()
	res, whole := solved(t, src)
	p := read(t, src)
	plain := unzipped(t, whole)
	if squares := bytes.Contains(plain, []byte(`"q":[{`)); squares != (src == inBall) {
		t.Errorf("squares: %v", squares)
	}
	lines := bytes.SplitAfter(plain, []byte("\n"))
	head := bytes.Join(lines[:len(lines)-2], nil) // the last line has the sum, and nothing follows
	rng := rand.New(rand.NewPCG(3, 5))
	weaker := 0
	for range *damages {
		text := bytes.Clone(head)
		for range 1 + rng.IntN(3) {
			at := rng.IntN(len(text))
			for text[at] < '0' || text[at] > '9' {
				at = rng.IntN(len(text))
			}
			text[at] = byte('0' + rng.IntN(10))
		}
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := fmt.Fprintf(w, "%s{\"sha256\":\"%x\"}\n", text, sha256.Sum256(text)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		out, err := p.Proof(context.Background(), &b)
		if err == nil && out.Lower > res.Objective+1e-9 {
			t.Errorf("a wrong proof shows %.17g, the optimum is %.17g", out.Lower, res.Objective)
		}
		if err != nil || out.Lower < res.Bound-1e-9 {
			weaker++
		}
	}
	if weaker == 0 {
		t.Error("no change matters")
	}
}

// unzipped is the text of a proof.
func unzipped(t *testing.T, file []byte) []byte {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// TestTrianglesAreVerified: a quadratic function over a box whose proof needs triangle
// inequalities; the bound that verify shows is the optimum, found over all corners where
// the diagonal is convex.
func TestTrianglesAreVerified(t *testing.T) {
	const n = 9
	rng := rand.New(rand.NewPCG(5, 7))
	q := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			q[i*n+j] = float64(rng.IntN(101) - 50)
			q[j*n+i] = q[i*n+j]
		}
		q[i*n+i] = math.Abs(q[i*n+i])
	}
	var rows []string
	for i := range n {
		var row []string
		for j := range n {
			row = append(row, strconv.FormatFloat(q[i*n+j], 'g', -1, 64))
		}
		rows = append(rows, strings.Join(row, ","))
	}
	src := "param Q = [" + strings.Join(rows, ";\n  ") + "]\nvar x[9] in [0, 1]\nmaximize 0.5*quad(x, Q) - 20*sum(x)\n"
	best := math.Inf(-1)
	for corner := range 1 << n {
		v := 0.0
		for i := range n {
			for j := range n {
				if corner>>i&1 == 1 && corner>>j&1 == 1 {
					v += 0.5 * q[i*n+j]
				}
			}
			v -= 20 * float64(corner>>i&1)
		}
		best = max(best, v)
	}
	res, file := solved(t, src)
	out, err := read(t, src).Proof(context.Background(), bytes.NewReader(file))
	if err != nil || math.Abs(out.Lower-best) > 1e-5*max(1, math.Abs(best)) || math.Abs(res.Objective-best) > 1e-5*math.Abs(best) {
		t.Errorf("error %v, the proof shows %.9g, found %.9g; the best corner has %.9g", err, out.Lower, res.Objective, best)
	}
	if !bytes.Contains(unzipped(t, file), []byte(`"t":[[`)) {
		t.Error("the proof has no triangles")
	}
}

// TestProofOfAnotherProblem: its multipliers show a bound of this one that holds, or it is
// refused; it never shows one that does not hold.
func TestProofOfAnotherProblem(t *testing.T) {
	_, file := solved(t, hard)
	for _, change := range [][2]string{{"x[1]*x[2]", "-0.2*x[1]*x[2]"}, {">= 1", ">= 0.5"}, {"exp(y)", "exp(0.5*y)"}, {"minimize", "maximize"}, {"x[2] in", "z[2] in"}, {"y in [-1, 3]", "y in [-1, 4]"}} {
		src := strings.Replace(hard, change[0], change[1], 1)
		if change[0] == "x[2] in" {
			src = strings.NewReplacer("x[", "z[", "(x)", "(z)").Replace(src)
		}
		out, err := read(t, src).Proof(context.Background(), bytes.NewReader(file))
		if err != nil {
			continue
		}
		res, _ := solved(t, src)
		if out.Lower > res.Objective+1e-6 {
			t.Errorf("%s: the proof of another problem shows %g, a point has %g", change[1], out.Lower, res.Objective)
		}
	}
}

// TestCheckNamesWhatIsWrong: claims that are false or not shown, each with the finding that says
// so.
func TestCheckNamesWhatIsWrong(t *testing.T) {
	const src = "var x[2] in [0, 2]\nlet s = sum(x)\nminimize sumsq(x - 1) - x[1]\nsubject to\n  c: x[1] + x[2] <= 1\n"
	const right = `{"status":"converged","objective":-0.125,"max_violation":0,"feasible":true,"variables":{"x":[0.75,0.25]},"lets":{"s":1},"duals":{"c":1.5}}`
	for _, c := range []struct {
		old, new string
		verdict  verify.Verdict
		want     string
	}{
		{"", "", verify.Accepted, "accepted status: no feasible point has an objective better than"},
		{`"objective":-0.125`, `"objective":-0.1`, verify.Refused, "refused objective: the objective is between"},
		{`"objective":-0.125`, `"objective":-0.1,"objective_error":1e6`, verify.Refused, "refused objective: the objective is between"},
		{`"objective":-0.125,`, ``, verify.Incomplete, "incomplete objective: the result is converged"},
		{"[0.75,0.25]", "[0.75,0.5]", verify.Refused, "refused max_violation: the violation is at most 0.25"},
		{`"max_violation":0`, `"max_violation":0.5`, verify.Refused, "refused max_violation"},
		{`"feasible":true`, `"feasible":false`, verify.Refused, "states that its point is not feasible"},
		{`"s":1`, `"s":1.0001`, verify.Refused, "refused lets: entry 1 of s"},
		{`"c":1.5`, `"c":1`, verify.Refused, "refused duals: slope"},
		{`"c":1.5`, `"c":[1.5,1]`, verify.Incomplete, "do not fit"},
		{`"c":1.5`, `"d":1.5`, verify.Incomplete, "no constraint d"},
		{`"converged"`, `"infeasible"`, verify.Incomplete, "incomplete status: that no point is feasible is not shown"},
		{`"converged"`, `"unbounded"`, verify.Incomplete, "no ray"},
		{`"converged"`, `"solved"`, verify.Refused, "the status solved is not known"},
		{`"status"`, `"bound":-0.125,"proved":true,"gap":0,"status"`, verify.Accepted, "accepted bound: every feasible point"},
		{`"status"`, `"bound":-0.1,"status"`, verify.Refused, "is better than the bound"},
		{`"status"`, `"gap":0,"status"`, verify.Refused, "no objective and bound"},
		{`"status"`, `"status":"stalled","status"`, verify.Refused, "has two members status"},
		{`"status"`, `"Bound":1,"status"`, verify.Refused, "the member Bound is not known"},
		{`"duals":{`, `"duals":{"c":2,`, verify.Refused, "has two members c"},
		{`"variables":{`, `"variables":{"y":2,`, verify.Refused, "the problem has no variable y"},
		{`[0.75,0.25]`, `[0.75]`, verify.Refused, "of the shape [2]"},
		{`}}`, `}} {}`, verify.Refused, "text behind the result"},
	} {
		text := strings.Replace(right, c.old, c.new, 1)
		if c.old == "}}" {
			text = right + " {"
		}
		got, verdict := findings(t, src, text)
		if verdict != c.verdict || !strings.Contains(got, c.want) {
			t.Errorf("%s: %v, want %v and %q in\n%s", text, verdict, c.verdict, c.want, got)
		}
	}
	for _, bad := range []string{"", "[]", "{}", `{"status":1}`} {
		if _, err := verify.ParseResults([]byte(bad)); err == nil {
			t.Errorf("%q is a result", bad)
		}
	}
}

// TestInfeasibleByIntervals: empty boxes are found, and not where points are.
func TestInfeasibleByIntervals(t *testing.T) {
	for src, want := range map[string]verify.Verdict{
		"var x in [0, 1]\nminimize x\nsubject to\n x^2 >= 1.5\n":                        verify.Accepted,
		"var x in [0, 1], y in [0, 1]\nminimize x\nsubject to\n exp(x) + y <= 0.5\n":    verify.Accepted,
		"var x in [0, 1], y in [0, 1]\nminimize x\nsubject to\n exp(x) + y <= 1.0001\n": verify.Incomplete,
	} {
		if text, verdict := findings(t, src, `{"status":"infeasible"}`); verdict != want {
			t.Errorf("%s: %v, %s", src, verdict, text)
		}
	}
}

// TestRays: rays have no scale, and what falls at first need not fall for ever.
func TestRays(t *testing.T) {
	for _, c := range []struct {
		src, ray string
		want     verify.Verdict
	}{
		{"var x\nminimize -x\nsubject to\n c: x <= 1\n", "1e-15", verify.Refused},
		{"var x\nminimize -x\nsubject to\n c: x >= 1\n", "1e-15", verify.Accepted}, // further along it
		{"var x\nminimize -x\nsubject to\n c: x >= -1\n", "1e-15", verify.Accepted},
		{"var x in [-1, 1e12]\nminimize -x\n", "1", verify.Refused},
		{"var x\nminimize max(-x, -1e12)\n", "1", verify.Incomplete},
		{"var x\nminimize x\n", "1", verify.Refused},
		{"var x\nminimize exp(-x)\n", "1", verify.Incomplete},
		{"var x\nminimize x^2 - x^4\n", "1", verify.Accepted}, // from 1 on
		{"var x\nminimize abs(x) - 2*x\nsubject to\n c: x^2 >= 4*x\n", "-1", verify.Refused},
		{"var x\nminimize 1e-9*x^2 - x\n", "1", verify.Incomplete},
	} {
		text, verdict := findings(t, c.src, `{"status":"unbounded","variables":{"x":0},"ray":{"x":`+c.ray+`}}`)
		if verdict != c.want {
			t.Errorf("%s: %v, %s", c.src, verdict, text)
		}
	}
}

// TestReadsTheExamples: the evaluator gives the values that the compiled problems have, at
// their starts and at random points, for every example and problem of the tests.
func TestReadsTheExamples(t *testing.T) {
	var paths []string
	for _, pattern := range []string{"../examples/*.dc", "../examples/gallery/*_complex.dc", "../dc/lang/testdata/nine/*.dc", "../dc/lang/testdata/testset/*.dc", "../cmd/dcopt/testdata/equations/*.dc", "../cmd/dcopt/testdata/script/solve_*/*.dc", "../internal/judge/testdata/*.dc", "../internal/shared/testdata/data/cases/*/*.dc"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, more...)
	}
	if len(paths) < 100 {
		t.Fatalf("only %d problem files", len(paths))
	}
	unread := 0
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, err := lang.Parse(path, src)
		if err != nil {
			continue
		}
		prog, err := lang.Compile(context.Background(), file, lang.Options{Dir: filepath.Dir(path)})
		if err != nil || prog.Problem.NumVars() > 2000 {
			continue
		}
		p, err := verify.Read(context.Background(), string(src), reader.NewData(nil, filepath.Dir(path)), nil)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			unread++
			continue
		}
		agrees(t, path, prog.Problem, p)
	}
	if unread > 0 {
		t.Errorf("%d of %d are not read", unread, len(paths))
	}
}

// agrees: p has the values of the compiled problem, at its start and at a random one.
func agrees(t *testing.T, path string, compiled *dc.Problem, p *verify.Problem) {
	t.Helper()
	for seed := range uint64(2) {
		x := compiled.Start(seed)
		if p.NumVars() != len(x) {
			t.Logf("%s: %d variables, the compiled problem has %d", path, p.NumVars(), len(x))
			break
		}
		v, bound := compiled.Evaluate(x)
		pt, err := p.Evaluate(x)
		if err != nil || pt.Outside != "" {
			continue // outside a domain
		}
		if tol := bound + 1e-9*max(1, math.Abs(v)); !(v >= pt.Lo-tol && v <= pt.Hi+tol) {
			t.Errorf("%s, seed %d: the objective is in [%.17g, %.17g], compiled %.17g", path, seed, pt.Lo, pt.Hi, v)
		}
		viol, name := compiled.Violation(x)
		if math.Abs(viol-pt.Violation) > 1e-7*max(1, viol) {
			t.Errorf("%s, seed %d: the violation is %.9g at %s, compiled %.9g at %s", path, seed, pt.Violation, pt.Worst, viol, name)
		}
	}
}

// TestReadsComplexNumbers: complex and Hermitian variables and their functions have the values
// of the compiled problem.
func TestReadsComplexNumbers(t *testing.T) {
	const src = `param a = [1 + 2i, 3 - 1i], R = [2, 1i; -1i, 3], u = exp(0.3i*pi)/(1 - 2i)
var z[2] complex, H[2,2] hermitian, p[3,3] hermitian psd, t in [-1, 1]
minimize re(u*z[1]*conj(z[2])) + lambda_max(H - R) + normnuc(H) + sigma_max(H) + t^2 + norm1(z) + norm(z, 3) + norminf(z) + sumsq(H*z) + quad(z, R) + z'*R*z
subject to
  a: a'*z == 1 + 0.5i
  b: trace(R*H) <= 4
  c[k in 1..2]: abs(z[k] + 1i*t) <= 2
  d: lambda_sumlargest(p, 2) - logdet(p + 5*eye(3)) <= im(sum(a .* z))
  e: H*z == [1i; t]
  f: norm2([z[1]; z[2]; 1i*t]) + abs(a[1]*z[1] - 2)^2 <= 5
`
	file, err := lang.Parse("complex.dc", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	prog, err := lang.Compile(context.Background(), file, lang.Options{})
	if err != nil {
		t.Fatal(err)
	}
	agrees(t, "complex.dc", prog.Problem, read(t, src))
}

// TestFunctionsHaveManyDigits: exponentials, logarithms and roots against known digits.
func TestFunctionsHaveManyDigits(t *testing.T) {
	digits := regexp.MustCompile(`^[0-9.e+-]+$`)
	for expr, want := range map[string]string{
		"exp(x)": "2.718281828459045235360287", "log(x + 1)": "0.6931471805599453094172321", "sqrt(x + 1)": "1.414213562373095048801689",
		"logistic(x)": "1.313261687518222834048995", "(x + 1)^0.3": "1.231144413344916284499391", "norm([x, 2*x], 3)": "2.080083823051904114530057",
		"entr(x + 1)": "-1.386294361119890618834464", "kl(x + 1, x)": "0.3862943611198906188344642", "lambda_max([x, 2; 2, x])": "3", "normnuc([x, 2; 0, x])": "2.828427124746190097603377",
	} {
		if !digits.MatchString(want) {
			t.Fatal(want)
		}
		p := read(t, "var x\nminimize "+expr+"\n")
		pt, err := p.Evaluate([]float64{1})
		v, _ := strconv.ParseFloat(want, 64)
		if err != nil || !(pt.Lo <= v && v <= pt.Hi) || pt.Hi-pt.Lo > 1e-15*math.Abs(v) {
			t.Errorf("%s is in [%.17g, %.17g], want %s (%v)", expr, pt.Lo, pt.Hi, want, err)
		}
	}
}

// TestWrongFilesAreRefused: functions of wrong numbers and shapes of arguments, and sizes that are
// none or too large, are errors.
func TestWrongFilesAreRefused(t *testing.T) {
	functions := "exp log norm2 norm1 norminf norm max min diag trace quad lse kl entr huber sqrt square pos abs sumsq sum lambda_max " +
		"lambda_min logdet inv chol matfrac quadoverlin geomean wgeomean sumlargest zeros ones eye reshape vec rows cols len sort kron " +
		"conv cumsum diff logistic xexp invpos sigma_max norm_nuc csv json npy npz mtx re im conj hstack vstack dot psd complex " +
		"header linspace quantile prod mean"
	args := []string{
		"", "[]", "x", "[1, 2]", "-1", "[], []", "x, x", "x, -1", "[1, 2; 3, 4]", "10^18", "x, x, x", "-1, -1", `"a"`,
		"1..2", "inf",
		"[x, y; y, x]", "[1, 2], 3", "zeros(0)", "zeros(0, 0)", "zeros(2, 0)", "1..10^9",
	}
	read := func(src string) error {
		p, err := verify.Read(context.Background(), src, reader.NewData(nil, "."), nil)
		if err == nil {
			_, err = p.Evaluate([]float64{0.5, 0.25})
		}
		return err
	}
	good := 0
	for name := range strings.FieldsSeq(functions) {
		for _, a := range args {
			src := fmt.Sprintf("var x in [0, 1], y in [0, 1]\nminimize x^2 + y^2 + sum(%s(%s))\n", name, a)
			if read(src) == nil {
				good++
			}
		}
	}
	if good < 100 {
		t.Errorf("only %d calls have a value", good)
	}
	const rest = "\nvar x, y\nminimize x^2 + y^2\n"
	for src, want := range map[string]string{
		"set I = 1..150000000":                             "too large",
		"param n = sum(i in 1..1000000000) 1":              "too large",
		"param n = sum(i in 9*10^15) 1":                    "too large",
		"param n = sum(i in 10^17) 1":                      "no whole number",
		"param a = zeros(12000, 12000)":                    "too large",
		"param a = zeros(-3)":                              "no array has the shape [-3]",
		"param a = reshape([1, 2], -1)":                    "no array has the shape [-1]",
		"param a = eye(100000)":                            "too large",
		"var z[-5]":                                        "no array has the shape [-5]",
		"var z[10^10, 10^10]":                              "too large",
		"param a = ones(2400, 2400)\nparam b = a*a":        "too large to be verified",
		"param a = ones(2000, 2000)\nlet b = a .* a":       "too large to be verified",
		"param a[2000, 2000] = 1\nparam b[2000, 2000] = 1": "too large to be verified",
		"param a = exp()":                                  "exp does not take these arguments",
	} {
		if err := read(src + rest); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", src, err, want)
		}
	}
	long := "var x, y\nminimize x^2" + strings.Repeat(" + 2*x - y", 50_000) + "\n"
	if err := read(long); err != nil {
		t.Error(err)
	}
}
