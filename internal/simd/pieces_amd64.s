//go:build amd64 && !purego

#include "textflag.h"
#include "frames.h"

DATA ·one+0(SB)/8, $1.0
GLOBL ·one(SB), RODATA|NOPTR, $8

DATA minusOne<>+0(SB)/8, $-1.0
GLOBL minusOne<>(SB), RODATA|NOPTR, $8

// func Pieces(v, coef, x *float64, k, n, width int)
//
// Tiles of four pieces and eight rows. Of fewer than four pieces the last stands
// for those missing: it is computed and written several times.
TEXT ·Pieces(SB), NOSPLIT, $0-48
	MOVQ v+0(FP), DI
	MOVQ coef+8(FP), R8
	MOVQ x+16(FP), DX
	MOVQ k+24(FP), CX
	MOVQ width+40(FP), R13
	SHLQ $3, R13

pieces:
	MOVQ n+32(FP), R12
	SHLQ $3, R12
	MOVQ R8, R9
	MOVQ DI, SI
	CMPQ CX, $2
	JLT  two
	ADDQ R12, R9
	ADDQ R13, SI

two:
	MOVQ R9, R10
	MOVQ SI, R14
	CMPQ CX, $3
	JLT  three
	ADDQ R12, R10
	ADDQ R13, R14

three:
	MOVQ R10, R11
	MOVQ R14, R15
	CMPQ CX, $4
	JLT  four
	ADDQ R12, R11
	ADDQ R13, R15

four:
	XORQ AX, AX

rows:
	ZERO8
	LEAQ (DX)(AX*1), BX
	XORQ R12, R12

entries:
	VMOVUPD (BX), Y8
	VMOVUPD 32(BX), Y9
	VBROADCASTSD (R8)(R12*8), Y10
	VBROADCASTSD (R9)(R12*8), Y11
	VBROADCASTSD (R10)(R12*8), Y12
	VBROADCASTSD (R11)(R12*8), Y13
	PRODUCTS
	ADDQ R13, BX
	INCQ R12
	CMPQ R12, n+32(FP)
	JLT  entries

	VMOVUPD Y0, (DI)(AX*1)
	VMOVUPD Y1, 32(DI)(AX*1)
	VMOVUPD Y2, (SI)(AX*1)
	VMOVUPD Y3, 32(SI)(AX*1)
	VMOVUPD Y4, (R14)(AX*1)
	VMOVUPD Y5, 32(R14)(AX*1)
	VMOVUPD Y6, (R15)(AX*1)
	VMOVUPD Y7, 32(R15)(AX*1)
	ADDQ $64, AX
	CMPQ AX, R13
	JLT  rows

	MOVQ n+32(FP), R12
	LEAQ (R11)(R12*8), R8
	LEAQ (R15)(R13*1), DI
	SUBQ $4, CX
	JGT  pieces
	VZEROUPPER
	RET

// STEPS does for each of the seven steps, which has a register of its own.
#define STEPS(do) \
	do(0, Y0) \
	do(1, Y1) \
	do(2, Y2) \
	do(3, Y3) \
	do(4, Y4) \
	do(5, Y5) \
	do(6, Y6)

// CLEAR clears the sum of squares at step number s.
#define CLEAR(s, best) \
	VMOVUPD best, (32*s)(R15)

// BEGIN takes the piece with values Y7 and changes Y8 at the step.
#define BEGIN(s, best) \
	VBROADCASTSD (8*s)(R9), best \
	VFMADD213PD Y7, Y8, best

// RAISE takes the larger of best and that piece.
#define RAISE(s, best) \
	BEGIN(s, Y9) \
	VMAXPD Y9, best, best

// KEEP puts the target plus the second maximum away.
#define KEEP(s, best) \
	VADDPD Y10, best, best \
	VMOVUPD best, (224+32*s)(R15)

// ERROR turns the first maximum into the error.
#define ERROR(s, best) \
	VMOVUPD (224+32*s)(R15), Y9 \
	VSUBPD best, Y9, best

// BOUND turns y − f into max(0, y(y−f)).
#define BOUND(s, best) \
	VMULPD Y10, best, best \
	VMAXPD Y11, best, best

// SQUARE adds its weighted square up.
#define SQUARE(s, best) \
	VMULPD Y7, best, Y9 \
	VFMADD213PD (32*s)(R15), best, Y9 \
	VMOVUPD Y9, (32*s)(R15)

// REDUCE writes the sum of the four lanes.
#define REDUCE(s, best) \
	VMOVUPD (32*s)(R15), Y7 \
	SUM(Y7, X7, X8) \
	VMOVSD X7, (8*s)(DX)

// func Probe(v, c, y, w, steps *float64, width, r1, k, hinge int, loss *[7]float64)
//
// Four rows at a time, all seven steps of each: Y0 to Y6 hold one maximum, then
// the other. Memory holds the sums at R15 and what KEEP puts away behind them.
TEXT ·Probe(SB), NOSPLIT, $480-80
	MOVQ v+0(FP), SI
	MOVQ c+8(FP), DI
	MOVQ y+16(FP), DX
	MOVQ w+24(FP), BX
	MOVQ steps+32(FP), R9
	MOVQ width+40(FP), R8
	SHLQ $3, R8
	MOVQ r1+48(FP), R12
	MOVQ k+56(FP), R13
	SUBQ R12, R13
	MOVQ hinge+64(FP), R14
	LEAQ 31(SP), R15
	ANDQ $-32, R15
	ZERO8
	STEPS(CLEAR)
	XORQ AX, AX

rows:
	ZERO8 // the second maximum: its first piece is 0
	MOVQ R12, R10
	IMULQ R8, R10
	ADDQ AX, R10
	MOVQ R13, CX
	TESTQ CX, CX
	JEQ  kept

second:
	VMOVUPD (SI)(R10*1), Y7
	VMOVUPD (DI)(R10*1), Y8
	STEPS(RAISE)
	ADDQ R8, R10
	DECQ CX
	JNE  second

kept:
	VMOVUPD (DX)(AX*1), Y10
	STEPS(KEEP)
	MOVQ AX, R10
	VMOVUPD (SI)(R10*1), Y7
	VMOVUPD (DI)(R10*1), Y8
	STEPS(BEGIN)
	MOVQ R12, CX
	DECQ CX
	JEQ  errors

first:
	ADDQ R8, R10
	VMOVUPD (SI)(R10*1), Y7
	VMOVUPD (DI)(R10*1), Y8
	STEPS(RAISE)
	DECQ CX
	JNE  first

errors:
	STEPS(ERROR)
	TESTQ R14, R14
	JEQ  squares
	VXORPD Y11, Y11, Y11
	STEPS(BOUND)

squares:
	VMOVUPD (BX)(AX*1), Y7
	STEPS(SQUARE)
	ADDQ $32, AX
	CMPQ AX, R8
	JLT  rows

	MOVQ loss+72(FP), DX
	STEPS(REDUCE)
	VZEROUPPER
	RET

// ADVANCE writes the values of the piece at R10 after the step, into Y3 too.
#define ADVANCE \
	VMOVUPD (DI)(R10*1), Y3 \
	VFMADD213PD (SI)(R10*1), Y15, Y3 \
	VMOVUPD Y3, (SI)(R10*1)

// COMPARE advances the piece after that with number Y2, and takes it where it is
// above the maximum Y0 of the piece Y1.
#define COMPARE \
	ADVANCE \
	VADDPD Y12, Y2, Y2 \
	VCMPPD $0x1e, Y0, Y3, Y4 \
	VMAXPD Y3, Y0, Y0 \
	VBLENDVPD Y4, Y2, Y1, Y1

// func Regions(v, c *float64, step float64, y, w *float64, width, r1, k, hinge int, region *int32) (loss float64)
TEXT ·Regions(SB), NOSPLIT, $0-88
	MOVQ v+0(FP), SI
	MOVQ c+8(FP), DI
	VBROADCASTSD step+16(FP), Y15
	MOVQ y+24(FP), DX
	MOVQ w+32(FP), BX
	MOVQ width+40(FP), R8
	SHLQ $3, R8
	MOVQ r1+48(FP), R12
	MOVQ k+56(FP), R13
	SUBQ R12, R13
	MOVQ hinge+64(FP), R14
	MOVQ region+72(FP), R9
	LEAQ 1(R13), CX
	VXORPD X13, X13, X13
	VCVTSI2SDQ CX, X13, X13
	VBROADCASTSD X13, Y13
	VBROADCASTSD ·one(SB), Y12
	VBROADCASTSD minusOne<>(SB), Y11
	VXORPD Y10, Y10, Y10
	VXORPD Y14, Y14, Y14
	XORQ AX, AX

rows:
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	MOVQ R12, R10
	IMULQ R8, R10
	ADDQ AX, R10
	MOVQ R13, CX
	TESTQ CX, CX
	JEQ  kept

second:
	COMPARE
	ADDQ R8, R10
	DECQ CX
	JNE  second

kept:
	VMOVAPD Y0, Y5
	VMOVAPD Y1, Y6
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	MOVQ AX, R10
	ADVANCE
	VMOVAPD Y3, Y0
	MOVQ R12, CX
	DECQ CX
	JEQ  errors

first:
	ADDQ R8, R10
	COMPARE
	DECQ CX
	JNE  first

errors:
	VFMADD213PD Y6, Y13, Y1
	VMOVUPD (DX)(AX*1), Y7
	VADDPD Y5, Y7, Y8
	VSUBPD Y0, Y8, Y8
	TESTQ R14, R14
	JEQ  square
	VMULPD Y7, Y8, Y8
	VCMPPD $0x12, Y10, Y8, Y4
	VMAXPD Y10, Y8, Y8
	VBLENDVPD Y4, Y11, Y1, Y1

square:
	VMULPD (BX)(AX*1), Y8, Y9
	VFMADD231PD Y9, Y8, Y14
	VCVTPD2DQY Y1, X1
	VMOVDQU X1, (R9)
	ADDQ $16, R9
	ADDQ $32, AX
	CMPQ AX, R8
	JLT  rows

	SUM(Y14, X14, X1)
	VMOVSD X14, loss+80(FP)
	VZEROUPPER
	RET
