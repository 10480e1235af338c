package exact

import (
	"fmt"
	"strconv"
	"strings"
)

// Op is the operation of a node of an expression.
type Op uint8

// The operations. Those from Norm1 on take their arguments as one array.
const (
	OpConst Op = iota // Num
	OpVar             // variable K, from 0
	OpAdd             // the sum of the arguments
	OpMul             // the product of two
	OpDiv             // the quotient of two
	OpMax
	OpMin
	OpAbs
	OpPos
	OpSquare
	OpPow // to the power Num
	OpSqrt
	OpExp
	OpLog
	OpEntr
	OpLogistic
	OpInvPos
	OpHuber // with threshold Num
	OpKL
	OpNorm1
	OpNorm2
	OpNormInf
	OpSumSq
	OpSumLargest // the K largest
	OpLSE
	OpQuad // x'Mx
	OpQuadOverLin
	OpGeoMean
	// Of symmetric matrices of K rows, see matrixFunction.
	OpLogDet
	OpMatFrac
	OpLambdaMax
	OpLambdaMin
	OpLambdaLargest2 // the sum of the two largest eigenvalues
	OpSigmaMax
	OpNormNuc
	numOps
)

// opName has the function's name in .dc files.
var opName = [numOps]string{
	OpMax: "max", OpMin: "min", OpAbs: "abs", OpPos: "pos", OpSquare: "square", OpSqrt: "sqrt", OpExp: "exp",
	OpLog:  "log",
	OpEntr: "entr", OpLogistic: "logistic", OpInvPos: "invpos", OpHuber: "huber", OpKL: "kl", OpNorm1: "norm1",
	OpNorm2:   "norm2",
	OpNormInf: "norminf", OpSumSq: "sumsq", OpSumLargest: "sumlargest", OpLSE: "lse", OpQuad: "quad",
	OpQuadOverLin: "quadoverlin",
	OpGeoMean:     "geomean", OpLogDet: "logdet", OpMatFrac: "matfrac", OpLambdaMax: "lambda_max",
	OpLambdaMin:      "lambda_min",
	OpLambdaLargest2: "lambda_sumlargest", OpSigmaMax: "sigma_max", OpNormNuc: "normnuc",
}

// Node is an expression: an operation on others. It does not change once made.
type Node struct {
	Op   Op
	Args []*Node
	Num  float64     // of OpConst, OpPow and OpHuber
	K    int         // of OpVar and OpSumLargest
	Mat  [][]float64 // of OpQuad
	// Text is printed instead of the tree where it is not empty: the same
	// expression in a form that a tree does not have, such as A*x.
	Text string
}

// Const is a number.
func Const(v float64) *Node { return &Node{Op: OpConst, Num: v} }

// Var is variable k, from 0; it is printed as x[k+1].
func Var(k int) *Node { return &Node{Op: OpVar, K: k} }

// Add is the sum of the arguments.
func Add(args ...*Node) *Node { return &Node{Op: OpAdd, Args: args} }

// Mul is the product of two expressions.
func Mul(u, v *Node) *Node { return &Node{Op: OpMul, Args: []*Node{u, v}} }

// Div is the quotient of two expressions.
func Div(u, v *Node) *Node { return &Node{Op: OpDiv, Args: []*Node{u, v}} }

// Scale is a multiple.
func Scale(c float64, u *Node) *Node { return Mul(Const(c), u) }

// Pow is a power.
func Pow(u *Node, p float64) *Node { return &Node{Op: OpPow, Args: []*Node{u}, Num: p} }

// Huber is the penalty with threshold m.
func Huber(u *Node, m float64) *Node { return &Node{Op: OpHuber, Args: []*Node{u}, Num: m} }

// SumLargest is the sum of the k largest arguments.
func SumLargest(k int, args ...*Node) *Node { return &Node{Op: OpSumLargest, K: k, Args: args} }

// Quad is u'Qu for a symmetric Q.
func Quad(q [][]float64, u ...*Node) *Node { return &Node{Op: OpQuad, Mat: q, Args: u} }

// Apply is any operation without a number of its own. The last argument of
// OpQuadOverLin is the denominator.
func Apply(op Op, args ...*Node) *Node { return &Node{Op: op, Args: args} }

// Affine is the sum of coef[k] x[k], zeros left out, and c.
func Affine(coef []float64, c float64) *Node {
	var args []*Node
	for k, v := range coef {
		if v != 0 {
			args = append(args, Scale(v, Var(k)))
		}
	}
	if c != 0 || len(args) == 0 {
		args = append(args, Const(c))
	}
	return Add(args...)
}

// As gives the expression another text, which must say the same.
func (n *Node) As(format string, args ...any) *Node {
	m := *n
	m.Text = fmt.Sprintf(format, args...)
	return &m
}

// String is the expression as .dc text.
func (n *Node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *Node) write(b *strings.Builder) {
	switch {
	case n.Text != "":
		b.WriteString(n.Text)
	case n.Op == OpConst:
		b.WriteString("(" + Number(n.Num) + ")")
	case n.Op == OpVar:
		b.WriteString("x[" + strconv.Itoa(n.K+1) + "]")
	case n.Op == OpAdd:
		n.list(b, "(", " + ", ")", n.Args)
	case n.Op == OpMul:
		n.list(b, "", "*", "", n.Args)
	case n.Op == OpDiv:
		n.list(b, "((", ")/(", "))", n.Args)
	case n.Op == OpPow:
		n.list(b, "(", "", ")", n.Args)
		b.WriteString("^(" + Number(n.Num) + ")")
	case n.Op == OpHuber:
		n.list(b, "huber(", "", ", "+Number(n.Num)+")", n.Args)
	case n.Op == OpSumLargest:
		n.list(b, "sumlargest([", ", ", "], "+strconv.Itoa(n.K)+")", n.Args)
	case n.Op == OpQuad:
		n.list(b, "quad([", ", ", "], "+Matrix(n.Mat)+")", n.Args)
	case n.Op == OpQuadOverLin:
		last := len(n.Args) - 1
		n.list(b, "quadoverlin([", ", ", "], ", n.Args[:last])
		n.Args[last].write(b)
		b.WriteString(")")
	case n.Op >= OpLogDet:
		n.writeMatrix(b)
	case n.Op >= OpNorm1:
		n.list(b, opName[n.Op]+"([", ", ", "])", n.Args)
	default:
		n.list(b, opName[n.Op]+"(", ", ", ")", n.Args)
	}
}

func (n *Node) writeMatrix(b *strings.Builder) {
	b.WriteString(opName[n.Op] + "(")
	if n.Op == OpMatFrac {
		n.list(b, "[", ", ", "], ", n.Args[n.K*n.K:])
	}
	for i := range n.K {
		open, end := "; ", ""
		if i == 0 {
			open = "["
		}
		if i == n.K-1 {
			end = "]"
		}
		n.list(b, open, ", ", end, n.Args[i*n.K:(i+1)*n.K])
	}
	if n.Op == OpLambdaLargest2 {
		b.WriteString(", 2")
	}
	b.WriteString(")")
}

func (n *Node) list(b *strings.Builder, open, between, end string, args []*Node) {
	b.WriteString(open)
	for k, a := range args {
		if k > 0 {
			b.WriteString(between)
		}
		a.write(b)
	}
	b.WriteString(end)
}

// Number is v as a .dc literal that reads back as v.
func Number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Vector is the literal of a vector.
func Vector(v []float64) string {
	parts := make([]string, len(v))
	for k, e := range v {
		parts[k] = Number(e)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// Matrix is the literal of a matrix.
func Matrix(m [][]float64) string {
	rows := make([]string, len(m))
	for i, r := range m {
		v := Vector(r)
		rows[i] = v[1 : len(v)-1]
	}
	return "[" + strings.Join(rows, "; ") + "]"
}
