package need

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// Dcopt builds the program of the repository at root, without C, into the folder dir and returns
// its path: DCOPT_BUILT if that is set, as .ci/test.sh builds one for the tests of all packages.
func Dcopt(root, dir string) (path string, err error) {
	if path = os.Getenv("DCOPT_BUILT"); path != "" {
		return path, nil
	}
	path = filepath.Join(dir, "dcopt")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	cmd := exec.Command("go", "build", "-o", path, "./cmd/dcopt")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building dcopt: %w\n%s", err, out)
	}
	return path, nil
}
