// Package simd has the assembler kernels of the backends and of refit: loops that Go,
// or gonum, does more slowly, as BenchmarkVectors, and the benchmarks of the packages
// that call them, show. frames.h has the parts that several share. They need cpu.Wide, those
// called Wider cpu.Wider, and check no bounds: each is called from one function that
// does, beside the loop in Go that serves other processors and that the tests compare
// it with.
package simd
