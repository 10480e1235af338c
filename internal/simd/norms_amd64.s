//go:build amd64 && !purego

#include "textflag.h"
#include "frames.h"

// func ScaledNorms(v, d, norm *float64, e float64, n int) float64
TEXT ·ScaledNorms(SB), NOSPLIT, $0-48
	MOVQ v+0(FP), SI
	MOVQ d+8(FP), DI
	MOVQ norm+16(FP), DX
	VBROADCASTSD e+24(FP), Y14
	MOVQ n+32(FP), CX
	XORQ AX, AX
	VXORPD Y8, Y8, Y8
	VPCMPEQQ Y15, Y15, Y15
	VPSRLQ $1, Y15, Y15 // all bits but the sign
	SUBQ $4, CX
	JLT  last

four:
	VANDPD (SI)(AX*8), Y15, Y0
	VMULPD Y14, Y0, Y0
	VMULPD (DI)(AX*8), Y0, Y0
	VMAXPD Y8, Y0, Y8
	VMAXPD (DX)(AX*8), Y0, Y1
	VMOVUPD Y1, (DX)(AX*8)
	ADDQ $4, AX
	CMPQ AX, CX
	JLE  four

last:
	ADDQ $4, CX
	MOST(VMAXPD, VMAXSD, Y8, X8)
	CMPQ AX, CX
	JGE  done

one:
	VMOVSD (SI)(AX*8), X0
	VANDPD X0, X15, X0
	VMULSD X14, X0, X0
	VMULSD (DI)(AX*8), X0, X0
	VMAXSD X8, X0, X8
	VMAXSD (DX)(AX*8), X0, X1
	VMOVSD X1, (DX)(AX*8)
	INCQ AX
	CMPQ AX, CX
	JLT  one

done:
	VMOVSD X8, ret+40(FP)
	VZEROUPPER
	RET
