//go:build amd64 && !purego

#include "textflag.h"
#include "frames.h"

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

// func Weighted(dst, src, weights *float64, ldd, ld, step, count, cols int)
TEXT ·Weighted(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ weights+16(FP), DX
	MOVQ ldd+24(FP), R9
	MOVQ ld+32(FP), R8
	MOVQ step+40(FP), R10
	MOVQ count+48(FP), CX
	MOVQ cols+56(FP), BX
	SHLQ $3, R9
	SHLQ $3, R8
	SHLQ $3, R10
	CMPQ BX, $12
	JNE  short

twelve:
	VBROADCASTSD (DX), Y3
	VMULPD (SI), Y3, Y0
	VMULPD 32(SI), Y3, Y1
	VMULPD 64(SI), Y3, Y2
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	ADDQ R8, SI
	ADDQ R9, DI
	ADDQ R10, DX
	DECQ CX
	JNE  twelve
	VZEROUPPER
	RET

short:
	LEAQ ·mask+64(SB), R11
	SHLQ $3, BX
	SUBQ BX, R11
	VMOVUPD (R11), Y4
	VMOVUPD 32(R11), Y5

few:
	VBROADCASTSD (DX), Y3
	VMASKMOVPD (SI), Y4, Y0
	VMASKMOVPD 32(SI), Y5, Y1
	VMULPD Y0, Y3, Y0
	VMULPD Y1, Y3, Y1
	VMASKMOVPD Y0, Y4, (DI)
	VMASKMOVPD Y1, Y5, 32(DI)
	ADDQ R8, SI
	ADDQ R9, DI
	ADDQ R10, DX
	DECQ CX
	JNE  few
	VZEROUPPER
	RET

// ROW sets a pointer to the row of x after another, where x has as many, else to the same one.
#define ROW(number, before, at) \
	LEAQ (before)(BX*1), at \
	CMPQ CX, $number \
	CMOVQLT before, at

// TIMES24, TIMES16 and TIMES8 add the products of an entry of x, read into r, with 24, 16 or 8 of y, in Z24 to Z26.
#define TIMES24(x, r, a, b, c) \
	TIMES16(x, r, a, b) \
	VFMADD231PD Z26, r, c

#define TIMES16(x, r, a, b) \
	TIMES8(x, r, a) \
	VFMADD231PD Z25, r, b

#define TIMES8(x, r, a) \
	VBROADCASTSD (x)(AX*1), r \
	VFMADD231PD Z24, r, a

// STORE subtracts three registers from the row at DX, and goes on to the next one
// while there is any.
#define STORE(a, b, c) \
	VMOVUPD.Z (DX), K1, Z24 \
	VMOVUPD.Z 64(DX), K2, Z25 \
	VMOVUPD.Z 128(DX), K3, Z26 \
	VSUBPD a, Z24, Z24 \
	VSUBPD b, Z25, Z25 \
	VSUBPD c, Z26, Z26 \
	VMOVUPD Z24, K1, (DX) \
	VMOVUPD Z25, K2, 64(DX) \
	VMOVUPD Z26, K3, 128(DX) \
	DECQ R12 \
	JEQ  stored \
	ADDQ DI, DX

// func SubtractWiderTile(c, x, y *float64, ldc, rowx, stepx, ldy, k, height, cols int)
//
// Three of Z0 to Z23 hold a row of the product. SI, R9, R11, R13, R12, R15, R8 and BX point to the rows of x;
// rows that are not there are the last one that is. AX is the place in all of them. K1 to K3 are masks of
// three times eight columns.
TEXT ·SubtractWiderTile(SB), NOSPLIT, $0-80
	MOVQ c+0(FP), DX
	MOVQ ldc+24(FP), R8
	MOVQ height+64(FP), CX
	SHLQ $3, R8
	MOVQ DX, AX
	MOVQ CX, BX

fetch:
	PREFETCHT0 (AX)
	PREFETCHT0 64(AX)
	PREFETCHT0 128(AX)
	ADDQ R8, AX
	DECQ BX
	JNE  fetch
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), DI
	MOVQ rowx+32(FP), BX
	MOVQ stepx+40(FP), R10
	MOVQ ldy+48(FP), R14
	SHLQ $3, BX
	SHLQ $3, R10
	SHLQ $3, R14
	ROW(2, SI, R9)
	ROW(3, R9, R11)
	ROW(4, R11, R13)
	ROW(5, R13, R12)
	ROW(6, R12, R15)
	ROW(7, R15, R8)
	ROW(8, R8, BX)
	MOVQ cols+72(FP), CX
	MOVQ $1, AX
	SHLQ CX, AX
	DECQ AX
	KMOVW AX, K1
	SHRQ $8, AX
	KMOVW AX, K2
	SHRQ $8, AX
	KMOVW AX, K3
	XORQ AX, AX
	ZEROED(Z0, Z1, Z2)
	ZEROED(Z3, Z4, Z5)
	ZEROED(Z6, Z7, Z8)
	ZEROED(Z9, Z10, Z11)
	ZEROED(Z12, Z13, Z14)
	ZEROED(Z15, Z16, Z17)
	ZEROED(Z18, Z19, Z20)
	ZEROED(Z21, Z22, Z23)
	CMPQ CX, $8
	JLE  eight
	CMPQ CX, $16
	JLE  sixteen
	MOVQ k+56(FP), CX

whole:
	VMOVUPD.Z (DI), K1, Z24
	VMOVUPD.Z 64(DI), K2, Z25
	VMOVUPD.Z 128(DI), K3, Z26
	TIMES24(SI, Z27, Z0, Z1, Z2)
	TIMES24(R9, Z28, Z3, Z4, Z5)
	TIMES24(R11, Z29, Z6, Z7, Z8)
	TIMES24(R13, Z30, Z9, Z10, Z11)
	TIMES24(R12, Z27, Z12, Z13, Z14)
	TIMES24(R15, Z28, Z15, Z16, Z17)
	TIMES24(R8, Z29, Z18, Z19, Z20)
	TIMES24(BX, Z30, Z21, Z22, Z23)
	ADDQ R10, AX
	ADDQ R14, DI
	DECQ CX
	JNE  whole
	JMP  store

sixteen:
	MOVQ k+56(FP), CX

two:
	VMOVUPD.Z (DI), K1, Z24
	VMOVUPD.Z 64(DI), K2, Z25
	TIMES16(SI, Z27, Z0, Z1)
	TIMES16(R9, Z28, Z3, Z4)
	TIMES16(R11, Z29, Z6, Z7)
	TIMES16(R13, Z30, Z9, Z10)
	TIMES16(R12, Z27, Z12, Z13)
	TIMES16(R15, Z28, Z15, Z16)
	TIMES16(R8, Z29, Z18, Z19)
	TIMES16(BX, Z30, Z21, Z22)
	ADDQ R10, AX
	ADDQ R14, DI
	DECQ CX
	JNE  two
	JMP  store

eight:
	MOVQ k+56(FP), CX

one:
	VMOVUPD.Z (DI), K1, Z24
	TIMES8(SI, Z27, Z0)
	TIMES8(R9, Z28, Z3)
	TIMES8(R11, Z29, Z6)
	TIMES8(R13, Z30, Z9)
	TIMES8(R12, Z27, Z12)
	TIMES8(R15, Z28, Z15)
	TIMES8(R8, Z29, Z18)
	TIMES8(BX, Z30, Z21)
	ADDQ R10, AX
	ADDQ R14, DI
	DECQ CX
	JNE  one

store:
	MOVQ ldc+24(FP), DI
	MOVQ height+64(FP), R12
	SHLQ $3, DI
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
