package cpu

// has is asked once, as the program starts: on a virtual machine each question interrupts it
// for some 20 us.
var has = struct{ wide, wider bool }{wide(), wide() && wider()}

// Wide reports whether the processor has AVX2 and FMA, and the system saves the
// registers.
func Wide() bool { return has.wide }

// Wider reports whether it has AVX-512F besides.
func Wider() bool { return has.wider }
