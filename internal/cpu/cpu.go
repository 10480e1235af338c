package cpu

import (
	"os"
	"strings"
)

// has is asked once, as the program starts: on a virtual machine each question interrupts it
// for some 20 us.
var has = struct{ wide, wider bool }{
	wide() && on(os.Getenv("GODEBUG"), "avx", "avx2", "fma"),
	wide() && wider() && on(os.Getenv("GODEBUG"), "avx", "avx2", "fma", "avx512f"),
}

// Wide reports whether the processor has AVX2 and FMA, and the system saves the
// registers.
func Wide() bool { return has.wide }

// Wider reports whether it has AVX-512F besides.
func Wider() bool { return has.wider }

// on reports whether the value of GODEBUG leaves all features on, as Go's runtime reads it:
// cpu.NAME=off, or cpu.all=off, of which the last one counts.
func on(godebug string, features ...string) bool {
	for _, feature := range features {
		value := ""
		for setting := range strings.SplitSeq(godebug, ",") {
			name, v, _ := strings.Cut(setting, "=")
			if (name == "cpu."+feature || name == "cpu.all") && (v == "on" || v == "off") {
				value = v
			}
		}
		if value == "off" {
			return false
		}
	}
	return true
}
