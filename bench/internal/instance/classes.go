package instance

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/dcopt/dcopt/bench/internal/choice"
	"github.com/dcopt/dcopt/internal/classes"
	"github.com/dcopt/dcopt/qpbackend"
)

// classSizes are the small, medium and large ones of the classes.
var classSizes = map[string][3]int{
	"eqqp":      {100, 300, 600},
	"random":    {50, 150, 400},
	"portfolio": {5, 25, 100},
	"lasso":     {10, 40, 100},
	"svm":       {10, 40, 100},
	"huber":     {10, 40, 100},
	"control":   {20, 60, 100},
}

// sizeWords name the sizes that a class has of its own.
var sizeWords = []string{"small", "medium", "large"}

func classList() choice.List[classes.Class] {
	return choice.List[classes.Class]{Kind: "class", All: classes.All(),
		Name: func(c classes.Class) string { return c.Name }}
}

// ClassNames are the names of the classes, separated by commas.
func ClassNames() string { return classList().Names() }

// Classes are the problems of the classes named (or "all") in the sizes given:
// numbers, or small, medium, large.
func Classes(names, sizes []string) ([]Instance, error) {
	chosen, err := classList().Choose(names)
	if err != nil {
		return nil, err
	}
	var all []Instance
	for _, c := range chosen {
		for _, word := range sizes {
			size, err := classSize(c.Name, word)
			if err != nil {
				return nil, err
			}
			id := fmt.Sprintf("%s-%d", c.Name, size)
			all = append(all, single("classes", id, func() *qpbackend.Problem {
				return c.Draw(classes.Source(id), size)
			}))
		}
	}
	return all, nil
}

// mostSize keeps a slip of the finger from filling the memory.
const mostSize = 2000

func classSize(class, word string) (int, error) {
	if k := slices.Index(sizeWords, word); k >= 0 {
		return classSizes[class][k], nil
	}
	size, err := strconv.Atoi(word)
	switch {
	case err != nil || size < 2 || size > mostSize:
		return 0, fmt.Errorf("size %q: want small, medium, large, or a number from 2 to %d", word, mostSize)
	case class == "control" && size%2 != 0:
		return 0, fmt.Errorf("size %d: class control wants an even one, twice the number of inputs", size)
	}
	return size, nil
}
