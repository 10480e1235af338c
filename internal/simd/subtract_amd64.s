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

// FOUR subtracts a and b from the row of eight columns at DX, as the masks have them.
#define FOUR(a, b) \
	VMASKMOVPD (DX), Y14, Y8 \
	VMASKMOVPD 32(DX), Y15, Y9 \
	VSUBPD a, Y8, Y8 \
	VSUBPD b, Y9, Y9 \
	VMASKMOVPD Y8, Y14, (DX) \
	VMASKMOVPD Y9, Y15, 32(DX) \
	ADDQ R8, DX

// func SubtractTile(c, x, y *float64, ldc, ldx, ldy, rows, cols int)
//
// Y0 to Y7 hold the four rows of the product, eight columns each.
TEXT ·SubtractTile(SB), NOSPLIT, $0-64
	MOVQ c+0(FP), DX
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), DI
	MOVQ ldc+24(FP), R8
	MOVQ ldx+32(FP), R9
	MOVQ ldy+40(FP), R10
	MOVQ rows+48(FP), CX
	MOVQ cols+56(FP), BX
	SHLQ $3, R8
	SHLQ $3, R9
	SHLQ $3, R10
	LANES(BX, Y14)
	VMOVDQU 32(R11), Y15
	ZERO8

loop:
	VMASKMOVPD (DI), Y14, Y8
	VMASKMOVPD 32(DI), Y15, Y9
	VBROADCASTSD (SI), Y10
	VBROADCASTSD 8(SI), Y11
	VBROADCASTSD 16(SI), Y12
	VBROADCASTSD 24(SI), Y13
	PRODUCTS
	ADDQ R9, SI
	ADDQ R10, DI
	DECQ CX
	JNE  loop

	FOUR(Y0, Y1)
	FOUR(Y2, Y3)
	FOUR(Y4, Y5)
	FOUR(Y6, Y7)
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
