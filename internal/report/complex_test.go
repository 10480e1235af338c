package report

import (
	"context"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/dc/lang"
)

// complexProblem has complex variables, lets, a family of equations and a Hermitian matrix.
const complexProblem = `var z[2] complex, H[2,2] hermitian psd, w complex
let d = z + 1i
minimize sumsq(z - [3 + 4i, -1i]) + abs(w)^2 + trace(H)
subject to
  s: z[1] == 1 + 1i
  f[k in 1..2]: H[k,k] + w == 1 + 0.5i*w
  m: H[1,2] == 0.25i
`

// TestComplexJSON: values, lets and multipliers of complex numbers in JSON and as a table.
func TestComplexJSON(t *testing.T) {
	f, err := lang.Parse("c.dc", []byte(complexProblem))
	if err != nil {
		t.Fatal(err)
	}
	prog, err := lang.Compile(context.Background(), f, lang.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := prog.Problem
	x := make([]float64, p.NumVars())
	for k := range x {
		x[k] = float64(k + 1)
	}
	var table strings.Builder
	var got Object
	for _, b := range Blocks(p.Program(), x) {
		b.Text(&table, false)
		got = append(got, Member{Name: b.Name, Value: b.JSON()})
	}
	text, err := AppendJSON(nil, got)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"z":{"re":[1,2],"im":[3,4]},"H":{"re":[[5,6],[6,7]],"im":[[0,8],[-8,0]]},"w":{"re":9,"im":10}}`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	const wantTable = "z[1..2] = 1+3i 2+4i\nH[1,:] = 5+0i 6+8i\nH[2,:] = 6-8i 7+0i\nw = 9+10i\n"
	if table.String() != wantTable {
		t.Errorf("got\n%swant\n%s", table.String(), wantTable)
	}
	var duals [][]float64
	next := 0.0
	for i := range p.Program().Constraints {
		c := &p.Program().Constraints[i]
		n := 1
		if !c.DC {
			n = c.A.Len()
		} else if d := c.Order(); d > 0 {
			n = d * d
		}
		y := make([]float64, n)
		for k := range y {
			next++
			y[k] = next
		}
		duals = append(duals, y)
	}
	text, err = AppendJSON(nil, dualsOf(p.Program(), duals))
	if err != nil {
		t.Fatal(err)
	}
	// The multiplier of psd(H) is made Hermitian: that of 1 to 16 has the real part [1+11, 2+12;
	// 5+15, 6+16], made symmetric, and the imaginary one [9-3, 10-4; 13-7, 14-8], made skew.
	const wantDuals = `{"psd(H)":{"re":[[12,17],[17,22]],"im":[[0,0],[0,0]]},"s":{"re":17,"im":18},"f":{"re":[19,21],"im":[20,22]},"m":{"re":23,"im":24}}`
	if string(text) != wantDuals {
		t.Errorf("got  %s\nwant %s", text, wantDuals)
	}
}
