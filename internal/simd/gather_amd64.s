//go:build amd64 && !purego

#include "textflag.h"

// ENTRY adds to a and b the eight numbers of the place at off(DX), times the number at twice off of x.
#define ENTRY(off, twice, a, b) \
	MOVLQSX off(DX), R8 \
	SHLQ $6, R8 \
	VBROADCASTSD twice(SI), Y8 \
	VFMADD231PD (DI)(R8*1), Y8, a \
	VFMADD231PD 32(DI)(R8*1), Y8, b

// func Gather(sum *[8]float64, x *float64, at *int32, u *float64, n int)
TEXT ·Gather(SB), NOSPLIT, $0-40
	MOVQ sum+0(FP), AX
	MOVQ x+8(FP), SI
	MOVQ at+16(FP), DX
	MOVQ u+24(FP), DI
	MOVQ n+32(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	SUBQ $4, CX
	JLT  gather1

gather4:
	ENTRY(0, 0, Y0, Y1)
	ENTRY(4, 8, Y2, Y3)
	ENTRY(8, 16, Y4, Y5)
	ENTRY(12, 24, Y6, Y7)
	ADDQ $32, SI
	ADDQ $16, DX
	SUBQ $4, CX
	JGE  gather4

gather1:
	ADDQ $4, CX
	JEQ  gathered

more:
	ENTRY(0, 0, Y0, Y1)
	ADDQ $8, SI
	ADDQ $4, DX
	DECQ CX
	JNE  more

gathered:
	VADDPD Y2, Y0, Y0
	VADDPD Y3, Y1, Y1
	VADDPD Y6, Y4, Y4
	VADDPD Y7, Y5, Y5
	VADDPD Y4, Y0, Y0
	VADDPD Y5, Y1, Y1
	VMOVUPD Y0, (AX)
	VMOVUPD Y1, 32(AX)
	VZEROUPPER
	RET
