package lang

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
)

// TestEndsInMatrices: work on matrices and large families ends at any look at the context.
func TestEndsInMatrices(t *testing.T) {
	matrix := "param n = 100, S[i in 1..n, j in 1..n] = if(i == j, n, cos(i*j) + cos(i + j))\nvar x[n] in [-1, 1]\n"
	for _, c := range []struct{ text, what string }{
		{matrix + "param L = chol(S + S')\nminimize sum(L*x)", "chol"},
		{matrix + "param L = inv(S)\nminimize sum(L*x)", "inv"},
		{matrix + "param L = S*S\nminimize sum(L*x)", "a product"},
		{matrix + "minimize quad(x, S + S' - 3*n*eye(n))", "quad"},
		{"param n = 200000\nvar x[n] in [-1, 1]\nminimize sum(x)\nsubject to\nc[i in 1..n-1]: abs(x[i]) >= x[i+1]", "a family"},
	} {
		f, err := Parse("t.dc", []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		ended := 0
		for looks := 0; ; looks += 1 + looks {
			p, err := Compile(shared.Countdown(looks, context.Canceled), f, Options{})
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) || p != nil {
				t.Fatalf("%s after %d looks: %v, %v", c.what, looks, p, err)
			}
			ended++
		}
		if ended < 3 {
			t.Errorf("%s: the context was looked at %d times", c.what, ended)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := Compile(ctx, f, Options{}); !errors.Is(err, context.Canceled) {
			t.Error(c.what, fmt.Sprint("after the end: ", err))
		}
	}
}
