package admm_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/dcopt/dcopt/internal/classes"
	"github.com/dcopt/dcopt/qpbackend"
)

// smallSizes are three of each class.
var smallSizes = map[string][3]int{
	"eqqp": {20, 60, 120}, "random": {10, 20, 40}, "portfolio": {1, 2, 3}, "lasso": {3, 5, 8},
	"svm": {3, 5, 8}, "huber": {3, 5, 8}, "control": {6, 10, 16},
}

// problems calls f with the problem of each class and size.
func problems(f func(name string, p *qpbackend.Problem)) {
	for i, c := range classes.All() {
		for _, size := range smallSizes[c.Name] {
			rng := rand.New(rand.NewPCG(uint64(i), uint64(size)))
			f(fmt.Sprintf("%s %d", c.Name, size), c.Draw(rng, size))
		}
	}
}
