package cpu

// Wide reports whether the processor has AVX2 and FMA, and the system saves the
// registers.
func Wide() bool { return wide() }

// Wider reports whether it has AVX-512F besides.
func Wider() bool { return wide() && wider() }
