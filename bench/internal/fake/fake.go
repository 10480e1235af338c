package fake

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dcopt/dcopt/bench/internal/wire"
	"github.com/dcopt/dcopt/bench/internal/worker"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// word is the first argument that makes a process a fake.
const word = "fake-solver"

// Argv starts this program as the fake of the given name.
func Argv(name string) ([]string, error) {
	self, err := os.Executable()
	return []string{self, word, name}, err
}

// Names of the fakes. "honest" is the interior point method; "absent" cannot be
// started; the others misbehave at each request, "prophet" by calling
// everything infeasible.
func Names() []string {
	return []string{
		"honest", "liar", "crash", "hang", "chatter", "flood", "short", "nan", "eager", "empty", "mute", "prophet",
		"absent",
	}
}

// Main runs a fake and exits, if this process was started as one.
func Main() {
	if len(os.Args) == 3 && os.Args[1] == word {
		os.Exit(run(os.Args[2], os.Stdin, os.Stdout, os.Stderr))
	}
}

func run(name string, stdin io.Reader, stdout, stderr io.Writer) int {
	switch {
	case !slices.Contains(Names(), name):
		fmt.Fprintln(stderr, "no such fake")
		return 9
	case name == "honest":
		if err := worker.Serve(stdin, stdout, ipm.Backend{}, "honest 1"); err != nil {
			fmt.Fprintln(stderr, err)
			return 1
		}
		return 0
	case name == "absent":
		fmt.Fprintln(stderr, "No module named absent")
		return 3
	}
	out := json.NewEncoder(stdout)
	say := func(l wire.Line) { _ = out.Encode(l) } // whoever reads will miss it
	say(wire.Line{Hello: name, Version: name + " 1"})
	in := bufio.NewScanner(stdin)
	for in.Scan() {
		var req wire.Request
		if err := json.Unmarshal(in.Bytes(), &req); err != nil {
			return 1
		}
		say(wire.Line{Begin: true})
		if code := misbehave(name, req, stdout, stderr, say); code != 0 {
			return code
		}
	}
	return 0
}

// misbehave answers a request, or returns the code to exit with.
func misbehave(name string, req wire.Request, stdout, stderr io.Writer, say func(wire.Line)) int {
	p, err := wire.ReadProblem(req.Problem)
	if err != nil {
		return 1
	}
	n, m := p.Dims()
	x, y := make([]float64, n), make([]float64, m)
	switch name {
	case "liar": // a point that is far off
		for j := range x {
			x[j] = 1e3
		}
	case "nan":
		x[0] = math.NaN()
	case "short":
		x = x[:n-1]
	case "crash":
		fmt.Fprintln(stderr, "Segmentation fault")
		return 4
	case "hang":
		time.Sleep(time.Hour)
	case "chatter":
		for range 1000 {
			fmt.Fprintln(stdout, "iteration 1 of many")
			fmt.Fprintln(stderr, "a warning")
		}
	case "flood":
		fmt.Fprint(stdout, strings.Repeat("x", 1<<20))
		time.Sleep(time.Hour)
	case "eager":
		for range 100 {
			say(wire.Line{Begin: true})
		}
	case "empty":
		say(wire.Line{})
		return 0
	case "mute":
		return 5
	}
	if err := wire.WriteAnswer(req.Answer, p, x, y, make([]float64, n)); err != nil {
		return 1
	}
	status := "solved"
	if name == "prophet" {
		status = "primal_infeasible"
	}
	say(wire.Line{Answer: wire.Answer{Status: status, Iterations: 1, Wall: 1e-3, CPU: 1e-3}})
	return 0
}
