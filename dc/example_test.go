package dc_test

import (
	"fmt"

	"github.com/dcopt/dcopt/dc"
)

// An expression says how it was written, and is made again from that.
func ExampleExpr_Written() {
	x := dc.NewModel().Var("x", []int{3})
	affine, terms := dc.Huber(x, 2).Scale(3).Sub(x.At(1)).Written()
	fmt.Println("affine", affine.Idx, affine.Val)
	for _, t := range terms {
		op, data, args := t.Node.Op(), t.Node.Data(), dc.Args(&t.Node)
		fmt.Println(t.Weight, op, data, args[0].Shape())
		fmt.Println(dc.Apply(op, data, args...).IsConvex())
	}
	// Output:
	// affine [1] [-1]
	// 3 huber [2] [3]
	// true
}
