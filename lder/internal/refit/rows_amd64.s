//go:build amd64 && !purego

#include "textflag.h"

DATA one<>+0(SB)/8, $1.0
GLOBL one<>(SB), RODATA|NOPTR, $8

DATA minusOne<>+0(SB)/8, $-1.0
GLOBL minusOne<>(SB), RODATA|NOPTR, $8

// func wideProducts(v, coef, x *float64, k, n, width int)
//
// Tiles of four pieces and eight rows. Of fewer than four pieces the last stands
// for those missing: it is computed and written several times.
TEXT ·wideProducts(SB), NOSPLIT, $0-48
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
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	LEAQ (DX)(AX*1), BX
	XORQ R12, R12

entries:
	VMOVUPD (BX), Y8
	VMOVUPD 32(BX), Y9
	VBROADCASTSD (R8)(R12*8), Y10
	VBROADCASTSD (R9)(R12*8), Y11
	VBROADCASTSD (R10)(R12*8), Y12
	VBROADCASTSD (R11)(R12*8), Y13
	VFMADD231PD Y8, Y10, Y0
	VFMADD231PD Y9, Y10, Y1
	VFMADD231PD Y8, Y11, Y2
	VFMADD231PD Y9, Y11, Y3
	VFMADD231PD Y8, Y12, Y4
	VFMADD231PD Y9, Y12, Y5
	VFMADD231PD Y8, Y13, Y6
	VFMADD231PD Y9, Y13, Y7
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

// RAISE takes the larger of best and the piece with values Y7 and changes Y8 at
// step number s.
#define RAISE(s, best) \
	VBROADCASTSD ·steps+(8*s)(SB), Y9 \
	VFMADD213PD Y7, Y8, Y9 \
	VMAXPD Y9, best, best

// BEGIN takes that piece.
#define BEGIN(s, best) \
	VBROADCASTSD ·steps+(8*s)(SB), best \
	VFMADD213PD Y7, Y8, best

// KEEP puts the target plus the second maximum away.
#define KEEP(s, best) \
	VADDPD Y10, best, best \
	VMOVUPD best, (224+32*s)(R15)

// ERROR turns the first maximum into the error.
#define ERROR(s, best) \
	VMOVUPD (224+32*s)(R15), Y9 \
	VSUBPD best, Y9, best

// BOUND turns y − f into max(0, y(y−f)).
#define BOUND(best) \
	VMULPD Y10, best, best \
	VMAXPD Y11, best, best

// SQUARE adds its weighted square up.
#define SQUARE(s, best) \
	VMULPD Y7, best, Y9 \
	VFMADD213PD (32*s)(R15), best, Y9 \
	VMOVUPD Y9, (32*s)(R15)

// REDUCE writes the sum of the four lanes.
#define REDUCE(s) \
	VMOVUPD (32*s)(R15), Y0 \
	VEXTRACTF128 $1, Y0, X1 \
	VADDPD X1, X0, X0 \
	VHADDPD X0, X0, X0 \
	VMOVSD X0, (8*s)(DX)

// func wideProbe(v, c, y, w *float64, width, r1, k, hinge int, loss *[7]float64)
//
// Four rows at a time, all seven steps of each: Y0 to Y6 hold one maximum, then
// the other. Memory holds the sums at R15 and what KEEP puts away behind them.
TEXT ·wideProbe(SB), NOSPLIT, $480-72
	MOVQ v+0(FP), SI
	MOVQ c+8(FP), DI
	MOVQ y+16(FP), DX
	MOVQ w+24(FP), BX
	MOVQ width+32(FP), R8
	SHLQ $3, R8
	MOVQ r1+40(FP), R12
	MOVQ k+48(FP), R13
	SUBQ R12, R13
	MOVQ hinge+56(FP), R14
	LEAQ 31(SP), R15
	ANDQ $-32, R15
	VXORPD Y0, Y0, Y0
	VMOVUPD Y0, 0(R15)
	VMOVUPD Y0, 32(R15)
	VMOVUPD Y0, 64(R15)
	VMOVUPD Y0, 96(R15)
	VMOVUPD Y0, 128(R15)
	VMOVUPD Y0, 160(R15)
	VMOVUPD Y0, 192(R15)
	XORQ AX, AX

rows:
	// The second maximum: its first piece is 0.
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	MOVQ R12, R10
	IMULQ R8, R10
	ADDQ AX, R10
	MOVQ R13, CX
	TESTQ CX, CX
	JEQ  kept

second:
	VMOVUPD (SI)(R10*1), Y7
	VMOVUPD (DI)(R10*1), Y8
	RAISE(0, Y0)
	RAISE(1, Y1)
	RAISE(2, Y2)
	RAISE(3, Y3)
	RAISE(4, Y4)
	RAISE(5, Y5)
	RAISE(6, Y6)
	ADDQ R8, R10
	DECQ CX
	JNE  second

kept:
	VMOVUPD (DX)(AX*1), Y10
	KEEP(0, Y0)
	KEEP(1, Y1)
	KEEP(2, Y2)
	KEEP(3, Y3)
	KEEP(4, Y4)
	KEEP(5, Y5)
	KEEP(6, Y6)

	MOVQ AX, R10
	VMOVUPD (SI)(R10*1), Y7
	VMOVUPD (DI)(R10*1), Y8
	BEGIN(0, Y0)
	BEGIN(1, Y1)
	BEGIN(2, Y2)
	BEGIN(3, Y3)
	BEGIN(4, Y4)
	BEGIN(5, Y5)
	BEGIN(6, Y6)
	MOVQ R12, CX
	DECQ CX
	JEQ  errors

first:
	ADDQ R8, R10
	VMOVUPD (SI)(R10*1), Y7
	VMOVUPD (DI)(R10*1), Y8
	RAISE(0, Y0)
	RAISE(1, Y1)
	RAISE(2, Y2)
	RAISE(3, Y3)
	RAISE(4, Y4)
	RAISE(5, Y5)
	RAISE(6, Y6)
	DECQ CX
	JNE  first

errors:
	ERROR(0, Y0)
	ERROR(1, Y1)
	ERROR(2, Y2)
	ERROR(3, Y3)
	ERROR(4, Y4)
	ERROR(5, Y5)
	ERROR(6, Y6)
	TESTQ R14, R14
	JEQ  squares
	VXORPD Y11, Y11, Y11
	BOUND(Y0)
	BOUND(Y1)
	BOUND(Y2)
	BOUND(Y3)
	BOUND(Y4)
	BOUND(Y5)
	BOUND(Y6)

squares:
	VMOVUPD (BX)(AX*1), Y7
	SQUARE(0, Y0)
	SQUARE(1, Y1)
	SQUARE(2, Y2)
	SQUARE(3, Y3)
	SQUARE(4, Y4)
	SQUARE(5, Y5)
	SQUARE(6, Y6)
	ADDQ $32, AX
	CMPQ AX, R8
	JLT  rows

	MOVQ loss+64(FP), DX
	REDUCE(0)
	REDUCE(1)
	REDUCE(2)
	REDUCE(3)
	REDUCE(4)
	REDUCE(5)
	REDUCE(6)
	VZEROUPPER
	RET

// ADVANCE writes the values of the piece at R10 after the step, into Y3 too.
#define ADVANCE \
	VMOVUPD (DI)(R10*1), Y3 \
	VFMADD213PD (SI)(R10*1), Y15, Y3 \
	VMOVUPD Y3, (SI)(R10*1)

// COMPARE takes the piece with values Y3 and number Y2 where it is above the
// maximum Y0 of the piece Y1.
#define COMPARE \
	VCMPPD $0x1e, Y0, Y3, Y4 \
	VMAXPD Y3, Y0, Y0 \
	VBLENDVPD Y4, Y2, Y1, Y1

// func wideRegions(v, c *float64, step float64, y, w *float64, width, r1, k, hinge int, region *int32) (loss float64)
TEXT ·wideRegions(SB), NOSPLIT, $0-88
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
	VBROADCASTSD one<>(SB), Y12
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
	ADVANCE
	VADDPD Y12, Y2, Y2
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
	ADVANCE
	VADDPD Y12, Y2, Y2
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

	VEXTRACTF128 $1, Y14, X1
	VADDPD X1, X14, X0
	VHADDPD X0, X0, X0
	VMOVSD X0, loss+80(FP)
	VZEROUPPER
	RET
