//go:build amd64 && !purego

#include "textflag.h"

// func wide() bool
//
// The processor has AVX2 and FMA, and the system saves the wide registers.
TEXT ·wide(SB), NOSPLIT, $0-1
	MOVB $0, ret+0(FP)
	XORL AX, AX
	CPUID
	CMPL AX, $7
	JLT  no
	MOVL $1, AX
	XORL CX, CX
	CPUID
	ANDL $0x18001000, CX // OSXSAVE, AVX, FMA
	CMPL CX, $0x18001000
	JNE  no
	XORL CX, CX
	XGETBV
	ANDL $6, AX
	CMPL AX, $6
	JNE  no
	MOVL $7, AX
	XORL CX, CX
	CPUID
	ANDL $0x20, BX
	JEQ  no
	MOVB $1, ret+0(FP)

no:
	RET

// func wider() bool
//
// wide, to be asked first, holds; the processor has AVX-512F, and the system
// saves its registers.
TEXT ·wider(SB), NOSPLIT, $0-1
	MOVB $0, ret+0(FP)
	XORL CX, CX
	XGETBV
	ANDL $0xe6, AX
	CMPL AX, $0xe6
	JNE  none
	MOVL $7, AX
	XORL CX, CX
	CPUID
	ANDL $0x10000, BX
	JEQ  none
	MOVB $1, ret+0(FP)

none:
	RET
