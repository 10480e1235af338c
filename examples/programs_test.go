package examples

import (
	"os/exec"
	"regexp"
	"testing"

	"github.com/dcopt/dcopt/internal/need"
)

// TestPrograms runs the Go programs from the root of the repository, as
// README.md says.
func TestPrograms(t *testing.T) {
	goTool := need.Program(t, need.Go)
	for program, want := range map[string]string{
		"quickstart": `^from 0: converged, x = -2\.0000, objective -7\.0000\nfrom 2: converged, x = -2\.0000, objective -7\.0000\n$`,
		"lder":       `^converged after \d+ iterations\nunexplained variance: training 0\.0\d, test 0\.\d\d\n$`,
	} {
		cmd := exec.Command(goTool, "run", "./examples/"+program)
		cmd.Dir = ".."
		out, err := cmd.CombinedOutput()
		if err != nil || !regexp.MustCompile(want).Match(out) {
			t.Errorf("%s: %v\n%s", program, err, out)
		}
	}
}
