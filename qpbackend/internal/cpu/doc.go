// Package cpu says which kernels of the linear algebra this processor runs. With
// the build tag purego it runs none of them.
package cpu

import "github.com/dcopt/dcopt/internal/cpu"

// Wide is that of dcopt's package for all kernels.
func Wide() bool { return cpu.Wide() }

// Wider is too.
func Wider() bool { return cpu.Wider() }
