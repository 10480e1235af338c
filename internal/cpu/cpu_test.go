package cpu

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/internal/need"
)

// TestWide compares with what the system says of the processor.
func TestWide(t *testing.T) {
	if Wider() && !Wide() {
		t.Error("Wider without Wide")
	}
	data, err := os.ReadFile("/proc/cpuinfo")
	need.That(t, err == nil && runtime.GOARCH == "amd64", need.Linux, "for the list of the processor's flags")
	_, line, _ := strings.Cut(string(data), "\nflags")
	line, _, _ = strings.Cut(line, "\n")
	flags := strings.Fields(line)
	has := func(names ...string) bool {
		for _, n := range names {
			if !slices.Contains(flags, n) {
				return false
			}
		}
		return !generic && on(os.Getenv("GODEBUG"), names...)
	}
	if want := has("avx", "avx2", "fma"); Wide() != want {
		t.Errorf("Wide is %v, want %v", Wide(), want)
	}
	if want := has("avx", "avx2", "fma", "avx512f"); Wider() != want {
		t.Errorf("Wider is %v, want %v", Wider(), want)
	}
}

// TestOn has values of GODEBUG with which AVX-512 is on or off.
func TestOn(t *testing.T) {
	for value, want := range map[string]bool{
		"": true, "cpu.avx512f=on": true, "cpu.avx512f=off": false, "cpu.avx2=off": false,
		"cpu.all=off": false, "cpu.avx512bw=off": true, "gctrace=1,cpu.avx512f=off,madvdontneed=1": false,
		"cpu.all=off,cpu.avx2=on,cpu.avx512f=on": true, "cpu.avx512f=off,cpu.all=on": true,
		"cpu.avx512f": true, "cpu.avx512f=off,cpu.avx512f=no": false, "avx512f=off": true, "=off,,": true,
	} {
		if got := on(value, "avx2", "avx512f"); got != want {
			t.Errorf("GODEBUG=%s: on is %v, want %v", value, got, want)
		}
	}
}

// TestSwitch asks this program, started with values of GODEBUG.
func TestSwitch(t *testing.T) {
	const child = "DCOPT_CPU_CHILD"
	if os.Getenv(child) != "" {
		fmt.Printf("%v %v\n", Wide(), Wider())
		os.Exit(0)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string][2]bool{
		"": {wide(), wide() && wider()}, "cpu.avx512f=off": {wide(), false},
		"cpu.avx2=off": {false, false}, "cpu.fma=off": {false, false},
	} {
		cmd := exec.Command(program, "-test.run=^TestSwitch$")
		cmd.Env = append(os.Environ(), child+"=1", "GODEBUG="+value)
		if out, err := cmd.Output(); err != nil || string(out) != fmt.Sprintf("%v %v\n", want[0], want[1]) {
			t.Errorf("GODEBUG=%s: %q, %v, want %v", value, out, err, want)
		}
	}
}
