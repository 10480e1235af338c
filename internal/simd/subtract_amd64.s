//go:build amd64 && !purego

#include "textflag.h"
#include "frames.h"

// WIDER reads the arguments of the two kernels for wider registers, and puts the
// masks of three times eight columns into K1 to K3.
#define WIDER \
	MOVQ c+0(FP), DX \
	MOVQ x+8(FP), SI \
	MOVQ y+16(FP), DI \
	MOVQ weights+24(FP), R13 \
	MOVQ ldc+32(FP), R8 \
	MOVQ ldx+40(FP), R9 \
	MOVQ ldy+48(FP), R10 \
	MOVQ rows+56(FP), BX \
	MOVQ height+64(FP), R12 \
	MOVQ cols+72(FP), CX \
	SHLQ $3, R8 \
	SHLQ $3, R9 \
	SHLQ $3, R10 \
	MOVQ $1, AX \
	SHLQ CX, AX \
	DECQ AX \
	KMOVW AX, K1 \
	SHRQ $8, AX \
	KMOVW AX, K2 \
	SHRQ $8, AX \
	KMOVW AX, K3

// MORE adds to three registers the products of an entry of x with twelve of y, in Y12 to Y14.
#define MORE(x, a, b, c) \
	VBROADCASTSD x, Y15 \
	VFMADD231PD Y12, Y15, a \
	VFMADD231PD Y13, Y15, b \
	VFMADD231PD Y14, Y15, c

// FEWER adds to two registers the products of an entry of x, read into r, with up to eight of y.
#define FEWER(x, r, a, b) \
	VBROADCASTSD x, r \
	VFMADD231PD Y12, r, a \
	VFMADD231PD Y15, r, b

// WHOLE subtracts three registers from the row of twelve columns at DX, and goes on to
// the next one while there is any.
#define WHOLE(a, b, c) \
	VMOVUPD (DX), Y12 \
	VMOVUPD 32(DX), Y13 \
	VMOVUPD 64(DX), Y14 \
	VSUBPD a, Y12, Y12 \
	VSUBPD b, Y13, Y13 \
	VSUBPD c, Y14, Y14 \
	VMOVUPD Y12, (DX) \
	VMOVUPD Y13, 32(DX) \
	VMOVUPD Y14, 64(DX) \
	DECQ R12 \
	JEQ  done \
	ADDQ R8, DX

// KEEP puts three registers next to one another in the frame.
#define KEEP(at, a, b, c) \
	VMOVUPD a, product-(384-at)(SP) \
	VMOVUPD b, product-(352-at)(SP) \
	VMOVUPD c, product-(320-at)(SP)

// func SubtractTile(c, x, y *float64, ldc, rowx, stepx, ldy, k, height, cols int)
//
// Three of Y0 to Y11 hold a row of the product. SI, R11, R13 and R9 point to the rows of x; rows that
// are not there are the last one that is. AX is the place in all of them. A product of fewer than
// twelve columns goes by way of the frame, as writes with a mask are slow.
TEXT ·SubtractTile(SB), NOSPLIT, $384-80
	MOVQ c+0(FP), DX
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), DI
	MOVQ ldc+24(FP), R8
	MOVQ rowx+32(FP), R9
	MOVQ stepx+40(FP), R10
	MOVQ ldy+48(FP), R14
	MOVQ k+56(FP), CX
	MOVQ height+64(FP), R12
	MOVQ cols+72(FP), BX
	SHLQ $3, R8
	SHLQ $3, R9
	SHLQ $3, R10
	SHLQ $3, R14
	XORQ AX, AX
	MOVQ SI, R11
	CMPQ R12, $1
	JEQ  one
	ADDQ R9, R11
	MOVQ R11, R13
	CMPQ R12, $2
	JEQ  two
	ADDQ R9, R13
	CMPQ R12, $3
	JEQ  two
	ADDQ R13, R9
	JMP  rows

one:
	MOVQ R11, R13

two:
	MOVQ R13, R9

rows:
	ZERO8
	VXORPD Y8, Y8, Y8
	VXORPD Y9, Y9, Y9
	VXORPD Y10, Y10, Y10
	VXORPD Y11, Y11, Y11
	CMPQ BX, $8
	JLE  few

loop:
	VMOVUPD (DI), Y12
	VMOVUPD 32(DI), Y13
	VMOVUPD 64(DI), Y14
	MORE((SI)(AX*1), Y0, Y1, Y2)
	MORE((R11)(AX*1), Y3, Y4, Y5)
	MORE((R13)(AX*1), Y6, Y7, Y8)
	MORE((R9)(AX*1), Y9, Y10, Y11)
	ADDQ R10, AX
	ADDQ R14, DI
	DECQ CX
	JNE  loop
	CMPQ BX, $12
	JNE  part
	WHOLE(Y0, Y1, Y2)
	WHOLE(Y3, Y4, Y5)
	WHOLE(Y6, Y7, Y8)
	WHOLE(Y9, Y10, Y11)

done:
	VZEROUPPER
	RET

few:
	LEAQ ·mask+64(SB), R15
	SHLQ $3, BX
	SUBQ BX, R15
	SHRQ $3, BX
	VMOVUPD (R15), Y13
	VMOVUPD 32(R15), Y14

least:
	VMASKMOVPD (DI), Y13, Y12
	VMASKMOVPD 32(DI), Y14, Y15
	FEWER((SI)(AX*1), Y2, Y0, Y1)
	FEWER((R11)(AX*1), Y5, Y3, Y4)
	FEWER((R13)(AX*1), Y8, Y6, Y7)
	FEWER((R9)(AX*1), Y11, Y9, Y10)
	ADDQ R10, AX
	ADDQ R14, DI
	DECQ CX
	JNE  least

part:
	KEEP(0, Y0, Y1, Y2)
	KEEP(96, Y3, Y4, Y5)
	KEEP(192, Y6, Y7, Y8)
	KEEP(288, Y9, Y10, Y11)
	LEAQ product-384(SP), SI
	MOVQ BX, CX
	SUBQ $3, CX // from here on four columns are too many

row:
	XORQ AX, AX
	JMP  fours

four:
	VMOVUPD (DX)(AX*8), Y12
	VSUBPD (SI)(AX*8), Y12, Y12
	VMOVUPD Y12, (DX)(AX*8)
	ADDQ $4, AX

fours:
	CMPQ AX, CX
	JLT  four
	JMP  ones

single:
	VMOVSD (DX)(AX*8), X12
	VSUBSD (SI)(AX*8), X12, X12
	VMOVSD X12, (DX)(AX*8)
	INCQ AX

ones:
	CMPQ AX, BX
	JLT  single
	ADDQ $96, SI
	ADDQ R8, DX
	DECQ R12
	JNE  row
	VZEROUPPER
	RET

// func Twelve(dst, src, weights *float64, ld, rows int)
TEXT ·Twelve(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ weights+16(FP), DX
	MOVQ ld+24(FP), R8
	MOVQ rows+32(FP), CX
	SHLQ $3, R8

twelve:
	VBROADCASTSD (DX), Y3
	VMULPD (SI), Y3, Y0
	VMULPD 32(SI), Y3, Y1
	VMULPD 64(SI), Y3, Y2
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	ADDQ R8, SI
	ADDQ $96, DI
	ADDQ $8, DX
	DECQ CX
	JNE  twelve
	VZEROUPPER
	RET

// ZEROED clears three registers.
#define ZEROED(a, b, c) \
	VPXORQ a, a, a \
	VPXORQ b, b, b \
	VPXORQ c, c, c

// ROW adds to three registers the product of entry number at of a row of x, read
// into r, with the row of y in Z24 to Z26. COLUMN has its first eight columns alone.
#define ROW(at, r, a, b, c) \
	COLUMN(at, r, a) \
	VFMADD231PD Z25, r, b \
	VFMADD231PD Z26, r, c

#define COLUMN(at, r, a) \
	VBROADCASTSD (8*at)(SI), r \
	VFMADD231PD Z24, r, a

// STORE subtracts three registers from the row at DX, and goes on to the next one
// while there is any. STORE1 has its first eight columns alone.
#define STORE(a, b, c) \
	VMOVUPD.Z 64(DX), K2, Z25 \
	VMOVUPD.Z 128(DX), K3, Z26 \
	VSUBPD b, Z25, Z25 \
	VSUBPD c, Z26, Z26 \
	VMOVUPD Z25, K2, 64(DX) \
	VMOVUPD Z26, K3, 128(DX) \
	STORE1(a)

#define STORE1(a) \
	VMOVUPD.Z (DX), K1, Z24 \
	VSUBPD a, Z24, Z24 \
	VMOVUPD Z24, K1, (DX) \
	DECQ R12 \
	JEQ  stored \
	ADDQ R8, DX

// func SubtractWiderTile(c, x, y, weights *float64, ldc, ldx, ldy, rows, height, cols int)
//
// Z0 to Z23 hold the eight rows of the product, 24 columns each.
TEXT ·SubtractWiderTile(SB), NOSPLIT, $0-80
	WIDER
	ZEROED(Z0, Z1, Z2)
	ZEROED(Z3, Z4, Z5)
	ZEROED(Z6, Z7, Z8)
	ZEROED(Z9, Z10, Z11)
	ZEROED(Z12, Z13, Z14)
	ZEROED(Z15, Z16, Z17)
	ZEROED(Z18, Z19, Z20)
	ZEROED(Z21, Z22, Z23)

wider:
	VMOVUPD.Z (DI), K1, Z24
	VMOVUPD.Z 64(DI), K2, Z25
	VMOVUPD.Z 128(DI), K3, Z26
	VBROADCASTSD (R13), Z31
	VMULPD Z31, Z24, Z24
	VMULPD Z31, Z25, Z25
	VMULPD Z31, Z26, Z26
	ROW(0, Z27, Z0, Z1, Z2)
	ROW(1, Z28, Z3, Z4, Z5)
	ROW(2, Z29, Z6, Z7, Z8)
	ROW(3, Z30, Z9, Z10, Z11)
	ROW(4, Z27, Z12, Z13, Z14)
	ROW(5, Z28, Z15, Z16, Z17)
	ROW(6, Z29, Z18, Z19, Z20)
	ROW(7, Z30, Z21, Z22, Z23)
	ADDQ R9, SI
	ADDQ R10, DI
	ADDQ $8, R13
	DECQ BX
	JNE  wider

	STORE(Z0, Z1, Z2)
	STORE(Z3, Z4, Z5)
	STORE(Z6, Z7, Z8)
	STORE(Z9, Z10, Z11)
	STORE(Z12, Z13, Z14)
	STORE(Z15, Z16, Z17)
	STORE(Z18, Z19, Z20)
	STORE(Z21, Z22, Z23)

stored:
	VZEROUPPER
	RET

// func SubtractWiderColumn(c, x, y, weights *float64, ldc, ldx, ldy, rows, height, cols int)
//
// Z0 to Z7 hold the rows of the product, eight columns each.
TEXT ·SubtractWiderColumn(SB), NOSPLIT, $0-80
	WIDER
	ZERO8

column:
	VMOVUPD.Z (DI), K1, Z24
	VBROADCASTSD (R13), Z31
	VMULPD Z31, Z24, Z24
	COLUMN(0, Z27, Z0)
	COLUMN(1, Z28, Z1)
	COLUMN(2, Z29, Z2)
	COLUMN(3, Z30, Z3)
	COLUMN(4, Z27, Z4)
	COLUMN(5, Z28, Z5)
	COLUMN(6, Z29, Z6)
	COLUMN(7, Z30, Z7)
	ADDQ R9, SI
	ADDQ R10, DI
	ADDQ $8, R13
	DECQ BX
	JNE  column

	STORE1(Z0)
	STORE1(Z1)
	STORE1(Z2)
	STORE1(Z3)
	STORE1(Z4)
	STORE1(Z5)
	STORE1(Z6)
	STORE1(Z7)

stored:
	VZEROUPPER
	RET
