package cpu

import (
	"os"
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
		return !generic
	}
	if want := has("avx", "avx2", "fma"); Wide() != want {
		t.Errorf("Wide is %v, want %v", Wide(), want)
	}
	if want := has("avx", "avx2", "fma", "avx512f"); Wider() != want {
		t.Errorf("Wider is %v, want %v", Wider(), want)
	}
}
