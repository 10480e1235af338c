//go:build amd64 && !purego

#include "textflag.h"
#include "frames.h"

// func Axpy(dst, x *float64, α float64, n int)
TEXT ·Axpy(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	VBROADCASTSD α+16(FP), Y15
	MOVQ n+24(FP), CX
	SUBQ $4, CX
	JLT  axpy0

axpy4:
	VMOVUPD (DI), Y0
	VFMADD231PD (SI), Y15, Y0
	VMOVUPD Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $4, CX
	JGE  axpy4

axpy0:
	ADDQ $4, CX
	JEQ  added
	LANES(CX, Y14)
	VMASKMOVPD (SI), Y14, Y1
	VMASKMOVPD (DI), Y14, Y0
	VFMADD231PD Y1, Y15, Y0
	VMASKMOVPD Y0, Y14, (DI)

added:
	VZEROUPPER
	RET

// TIMES adds products of four entries to sum.
#define TIMES(at, v, sum) \
	VMOVUPD at(SI), v \
	VFMADD231PD at(DI), v, sum

// func Dot(x, y *float64, n int) float64
TEXT ·Dot(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), SI
	MOVQ y+8(FP), DI
	MOVQ n+16(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	SUBQ $16, CX
	JLT  dot8

dot16:
	TIMES(0, Y4, Y0)
	TIMES(32, Y5, Y1)
	TIMES(64, Y6, Y2)
	TIMES(96, Y7, Y3)
	ADDQ $128, SI
	ADDQ $128, DI
	SUBQ $16, CX
	JGE  dot16

dot8:
	ADDQ $8, CX
	JLT  dot4
	TIMES(0, Y4, Y0)
	TIMES(32, Y5, Y1)
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $8, CX

dot4:
	ADDQ $4, CX
	JLT  dot0
	TIMES(0, Y4, Y2)
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $4, CX

dot0:
	ADDQ $4, CX
	JEQ  dotted
	LANES(CX, Y14)
	VMASKMOVPD (SI), Y14, Y4
	VMASKMOVPD (DI), Y14, Y5
	VFMADD231PD Y4, Y5, Y3

dotted:
	VADDPD Y1, Y0, Y0
	VADDPD Y3, Y2, Y2
	VADDPD Y2, Y0, Y0
	SUM(Y0, X0, X1)
	VMOVSD X0, ret+24(FP)
	VZEROUPPER
	RET

// BOTH adds products of four entries to sum, and four entries times α to dst.
#define BOTH(at, v, d, sum) \
	VMOVUPD at(SI), v \
	VMOVUPD at(DI), d \
	VFMADD231PD at(DX), v, sum \
	VFMADD231PD v, Y15, d \
	VMOVUPD d, at(DI)

// func DotAxpy(v, x, dst *float64, α float64, n int) float64
TEXT ·DotAxpy(SB), NOSPLIT, $0-48
	MOVQ v+0(FP), SI
	MOVQ x+8(FP), DX
	MOVQ dst+16(FP), DI
	VBROADCASTSD α+24(FP), Y15
	MOVQ n+32(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	SUBQ $8, CX
	JLT  both4

both8:
	BOTH(0, Y4, Y6, Y0)
	BOTH(32, Y5, Y7, Y1)
	ADDQ $64, SI
	ADDQ $64, DX
	ADDQ $64, DI
	SUBQ $8, CX
	JGE  both8

both4:
	ADDQ $4, CX
	JLT  both0
	BOTH(0, Y4, Y6, Y0)
	ADDQ $32, SI
	ADDQ $32, DX
	ADDQ $32, DI
	SUBQ $4, CX

both0:
	ADDQ $4, CX
	JEQ  bothdone
	LANES(CX, Y14)
	VMASKMOVPD (SI), Y14, Y4
	VMASKMOVPD (DX), Y14, Y5
	VMASKMOVPD (DI), Y14, Y6
	VFMADD231PD Y5, Y4, Y1
	VFMADD231PD Y4, Y15, Y6
	VMASKMOVPD Y6, Y14, (DI)

bothdone:
	VADDPD Y1, Y0, Y0
	SUM(Y0, X0, X1)
	VMOVSD X0, ret+40(FP)
	VZEROUPPER
	RET
