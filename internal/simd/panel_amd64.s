//go:build amd64 && !purego

#include "textflag.h"
#include "frames.h"

// PANEL reads the arguments that the kernels of a panel share: whole groups of four
// columns into R9, the mask of the rest, which CX counts, into Y14.
#define PANEL \
	MOVQ panel+0(FP), SI \
	MOVQ groups+8(FP), BX \
	MOVQ width+16(FP), R8 \
	MOVQ R8, R9 \
	SHRQ $2, R9 \
	MOVQ R8, CX \
	ANDQ $3, CX \
	LANES(CX, Y14) \
	SHLQ $3, R8 \
	LEAQ (R8)(R8*2), R10

// ALL and FEW read four entries, or those that the mask Y14 has; ADDALL and ADDFEW add
// their products with x to sum.
#define ALL(at, v) VMOVUPD at, v
#define FEW(at, v) VMASKMOVPD at, Y14, v
#define ADDALL(at, x, sum) VFMADD231PD at, x, sum
#define ADDFEW(at, x, sum) \
	FEW(at, Y11) \
	VFMADD231PD Y11, x, sum

// TILE adds the products of four columns of four rows of a and two of b.
#define TILE(read) \
	read((DI), Y8) \
	read((DI)(R8*1), Y9) \
	read((SI), Y10) \
	read((SI)(R8*1), Y11) \
	read((SI)(R8*2), Y12) \
	read((SI)(R10*1), Y13) \
	PRODUCTS

// func Tile(a, b *float64, ld, n int, sum *[8]float64)
//
// Sum number 2i+j is that of row i of a and row j of b. Y0 to Y7 hold four
// partial sums each.
TEXT ·Tile(SB), NOSPLIT, $0-40
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ ld+16(FP), R8
	MOVQ n+24(FP), CX
	MOVQ sum+32(FP), DX
	SHLQ $3, R8
	LEAQ (R8)(R8*2), R10
	ZERO8
	SUBQ $4, CX
	JLT  tail

loop:
	TILE(ALL)
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $4, CX
	JGE  loop

tail:
	ADDQ $4, CX
	JEQ  reduce
	LANES(CX, Y14)
	TILE(FEW)

reduce:
	PAIR(Y0, Y1, X0, X1)
	PAIR(Y2, Y3, X2, X3)
	PAIR(Y4, Y5, X4, X5)
	PAIR(Y6, Y7, X6, X7)
	VMOVUPD X0, (DX)
	VMOVUPD X2, 16(DX)
	VMOVUPD X4, 32(DX)
	VMOVUPD X6, 48(DX)
	VZEROUPPER
	RET

// MUL adds to Y0 to Y3 the products of four columns of four rows with x.
#define MUL(read, add) \
	read((R13), Y8) \
	add((R12), Y8, Y0) \
	add((R12)(R8*1), Y8, Y1) \
	add((R12)(R8*2), Y8, Y2) \
	add((R12)(R10*1), Y8, Y3)

// PANELROWS sets X0 and X2 to the products of four rows with the vector at DI.
#define PANELROWS \
	VXORPD Y0, Y0, Y0 \
	VXORPD Y1, Y1, Y1 \
	VXORPD Y2, Y2, Y2 \
	VXORPD Y3, Y3, Y3 \
	MOVQ SI, R12 \
	MOVQ DI, R13 \
	MOVQ R9, AX \
	TESTQ AX, AX \
	JEQ  tail \
loop: \
	MUL(ALL, ADDALL) \
	ADDQ $32, R12 \
	ADDQ $32, R13 \
	DECQ AX \
	JNE  loop \
tail: \
	TESTQ CX, CX \
	JEQ  reduce \
	MUL(FEW, ADDFEW) \
reduce: \
	PAIR(Y0, Y1, X0, X1) \
	PAIR(Y2, Y3, X2, X3) \
	LEAQ (SI)(R8*4), SI

// func MulPanel(panel *float64, groups, width int, x, y *float64)
//
// Y0 to Y3 hold four partial sums for each row of a group.
TEXT ·MulPanel(SB), NOSPLIT, $0-40
	MOVQ x+24(FP), DI
	MOVQ y+32(FP), DX
	PANEL

group:
	PANELROWS
	VMOVUPD X0, (DX)
	VMOVUPD X2, 16(DX)
	ADDQ $32, DX
	DECQ BX
	JNE  group
	VZEROUPPER
	RET

// FROM takes the low half of a product from the entry of x that a row names.
#define FROM(row, product) \
	MOVLQSX row, AX \
	VMOVSD (DX)(AX*8), X4 \
	VSUBSD product, X4, X4 \
	VMOVSD X4, (DX)(AX*8)

// func SubtractPanel(panel *float64, groups, width int, own, x *float64, rows *int32)
TEXT ·SubtractPanel(SB), NOSPLIT, $0-48
	MOVQ own+24(FP), DI
	MOVQ x+32(FP), DX
	MOVQ rows+40(FP), R14
	PANEL

group:
	PANELROWS
	VPERMILPD $1, X0, X1
	VPERMILPD $1, X2, X3
	FROM((R14), X0)
	FROM(4(R14), X1)
	FROM(8(R14), X2)
	FROM(12(R14), X3)
	ADDQ $16, R14
	DECQ BX
	JNE  group
	VZEROUPPER
	RET

// MULT sets Y10 to four entries of x less the products of Y0 to Y3 with four columns.
#define MULT(read, add) \
	read((R12), Y8) \
	read((R12)(R8*1), Y9) \
	VMULPD Y8, Y0, Y8 \
	VMULPD Y9, Y1, Y9 \
	add((R12)(R8*2), Y2, Y8) \
	add((R12)(R10*1), Y3, Y9) \
	VADDPD Y8, Y9, Y8 \
	read((R13), Y10) \
	VSUBPD Y8, Y10, Y10

// func SubtractMulPanelT(panel *float64, groups, width int, y, x *float64)
//
// Y0 to Y3 hold the entries of y for the rows of a group.
TEXT ·SubtractMulPanelT(SB), NOSPLIT, $0-40
	MOVQ y+24(FP), DX
	MOVQ x+32(FP), DI
	PANEL

group:
	VBROADCASTSD (DX), Y0
	VBROADCASTSD 8(DX), Y1
	VBROADCASTSD 16(DX), Y2
	VBROADCASTSD 24(DX), Y3
	MOVQ SI, R12
	MOVQ DI, R13
	MOVQ R9, AX
	TESTQ AX, AX
	JEQ  tail

loop:
	MULT(ALL, ADDALL)
	VMOVUPD Y10, (R13)
	ADDQ $32, R12
	ADDQ $32, R13
	DECQ AX
	JNE  loop

tail:
	TESTQ CX, CX
	JEQ  next
	MULT(FEW, ADDFEW)
	VMASKMOVPD Y10, Y14, (R13)

next:
	ADDQ $32, DX
	LEAQ (SI)(R8*4), SI
	DECQ BX
	JNE  group
	VZEROUPPER
	RET

// ENTRIES sets Z0 to Z3 to the entries of x that the next four rows name.
#define ENTRIES \
	MOVLQSX (R14), AX \
	VBROADCASTSD (DX)(AX*8), Z0 \
	MOVLQSX 4(R14), AX \
	VBROADCASTSD (DX)(AX*8), Z1 \
	MOVLQSX 8(R14), AX \
	VBROADCASTSD (DX)(AX*8), Z2 \
	MOVLQSX 12(R14), AX \
	VBROADCASTSD (DX)(AX*8), Z3 \
	ADDQ $16, R14

// MULT8 takes their products with eight columns of four rows from sum.
#define MULT8(from, a, b, sum) \
	VMULPD from(R12), Z0, a \
	VMULPD from(R12)(R8*1), Z1, b \
	VFMADD231PD from(R12)(R8*2), Z2, a \
	VFMADD231PD from(R12)(R10*1), Z3, b \
	VADDPD a, b, a \
	VSUBPD a, sum, sum

// func SubtractWiderPanelT(panel *float64, groups, width int, own, x *float64, rows *int32)
//
// Up to sixteen columns at a time, in Z4 and Z5, by the masks K1 and K2. CX is the number of columns that are left.
TEXT ·SubtractWiderPanelT(SB), NOSPLIT, $0-48
	MOVQ panel+0(FP), SI
	MOVQ width+16(FP), R8
	MOVQ own+24(FP), DI
	MOVQ x+32(FP), DX
	MOVQ R8, CX
	SHLQ $3, R8
	LEAQ (R8)(R8*2), R10

columns:
	MOVQ rows+40(FP), R14
	MOVQ groups+8(FP), BX
	MOVQ SI, R12
	MOVL $65535, R9
	CMPQ CX, $16
	JGE  read
	MOVL $1, R9
	SHLQ CX, R9
	DECQ R9

read:
	KMOVW R9, K1
	SHRQ $8, R9
	KMOVW R9, K2
	VMOVUPD.Z (DI), K1, Z4
	CMPQ CX, $8
	JLE  eight
	VMOVUPD.Z 64(DI), K2, Z5

group:
	ENTRIES
	MULT8(0, Z6, Z7, Z4)
	MULT8(64, Z8, Z9, Z5)
	LEAQ (R12)(R8*4), R12
	DECQ BX
	JNE  group
	VMOVUPD Z4, K1, (DI)
	VMOVUPD Z5, K2, 64(DI)
	ADDQ $128, SI
	ADDQ $128, DI
	SUBQ $16, CX
	JGT  columns
	VZEROUPPER
	RET

eight:
	ENTRIES
	MULT8(0, Z6, Z7, Z4)
	LEAQ (R12)(R8*4), R12
	DECQ BX
	JNE  eight
	VMOVUPD Z4, K1, (DI)
	VZEROUPPER
	RET
