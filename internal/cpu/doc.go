// Package cpu says which kernels of this module this processor runs. With
// the build tag purego it runs none of them; nor does it where the environment has
// GODEBUG=cpu.avx2=off, and none of those for AVX-512 with GODEBUG=cpu.avx512f=off.
package cpu
