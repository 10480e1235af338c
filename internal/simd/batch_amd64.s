//go:build amd64 && !purego

#include "textflag.h"
#include "frames.h"

// STANDARD sets y to four numbers of a row at SI, filled by Y12 and standardised by Y13 and
// Y14, and writes them to DI. R11 is how far the group of columns is from the first one.
#define STANDARD(row, y) \
	VMOVUPD row(SI)(R11*1), y \
	VCMPPD $3, y, y, Y8 \
	VBLENDVPD Y8, Y12, y, y \
	VSUBPD Y13, y, y \
	VMULPD Y14, y, y \
	VMOVUPD y, row(DI)(R11*1)

// func Standardise(z, columns, x, fill, mean, inverse *float64, rows, ld int)
//
// Four rows at a time, of which tiles of four columns are turned.
TEXT ·Standardise(SB), NOSPLIT, $0-64
	MOVQ z+0(FP), DI
	MOVQ columns+8(FP), DX
	MOVQ x+16(FP), SI
	MOVQ fill+24(FP), R8
	MOVQ mean+32(FP), R9
	MOVQ inverse+40(FP), R10
	MOVQ rows+48(FP), R12
	MOVQ ld+56(FP), R13
	SHLQ $3, R13
	LEAQ (R12*8), R14
	LEAQ (R14)(R14*2), R15

rows:
	XORQ R11, R11
	MOVQ DX, BX

columns:
	VMOVUPD (R8)(R11*1), Y12
	VMOVUPD (R9)(R11*1), Y13
	VMOVUPD (R10)(R11*1), Y14
	MOVQ SI, AX
	MOVQ DI, CX
	STANDARD(0, Y0)
	ADDQ R13, SI
	ADDQ R13, DI
	STANDARD(0, Y1)
	ADDQ R13, SI
	ADDQ R13, DI
	STANDARD(0, Y2)
	ADDQ R13, SI
	ADDQ R13, DI
	STANDARD(0, Y3)
	MOVQ AX, SI
	MOVQ CX, DI
	VUNPCKLPD Y1, Y0, Y4
	VUNPCKHPD Y1, Y0, Y5
	VUNPCKLPD Y3, Y2, Y6
	VUNPCKHPD Y3, Y2, Y7
	VPERM2F128 $0x20, Y6, Y4, Y0
	VPERM2F128 $0x20, Y7, Y5, Y1
	VPERM2F128 $0x31, Y6, Y4, Y2
	VPERM2F128 $0x31, Y7, Y5, Y3
	VMOVUPD Y0, (BX)
	VMOVUPD Y1, (BX)(R14*1)
	VMOVUPD Y2, (BX)(R14*2)
	VMOVUPD Y3, (BX)(R15*1)
	LEAQ (BX)(R14*4), BX
	ADDQ $32, R11
	CMPQ R11, R13
	JLT  columns

	LEAQ (SI)(R13*4), SI
	LEAQ (DI)(R13*4), DI
	ADDQ $32, DX
	SUBQ $4, R12
	JGT  rows
	VZEROUPPER
	RET

// FACTORS points BX to the row of z with the next number at R11 and broadcasts its four
// entries at R9 to Y10 to Y13, and its weight to Y14.
#define FACTORS \
	MOVLQSX (R11), AX \
	VBROADCASTSD (DX)(AX*8), Y14 \
	IMULQ R13, AX \
	LEAQ (SI)(AX*1), BX \
	VBROADCASTSD (BX)(R9*1), Y10 \
	VBROADCASTSD 8(BX)(R9*1), Y11 \
	VBROADCASTSD 16(BX)(R9*1), Y12 \
	VBROADCASTSD 24(BX)(R9*1), Y13

// func Gram(sums, z, w *float64, order *int32, count, ld int)
//
// Tiles of four rows, from R9 on, and eight columns, from R10 on, or four, stay in
// registers for all rows of z.
TEXT ·Gram(SB), NOSPLIT, $0-48
	MOVQ sums+0(FP), DI
	MOVQ z+8(FP), SI
	MOVQ w+16(FP), DX
	MOVQ order+24(FP), R8
	MOVQ count+32(FP), CX
	LEAQ (R8)(CX*4), R12
	MOVQ ld+40(FP), R13
	SHLQ $3, R13
	LEAQ (R13)(R13*2), R14
	XORQ R9, R9

tiles:
	MOVQ R9, R10

eight:
	MOVQ R13, AX
	SUBQ R10, AX
	JLE  next
	LEAQ (DI)(R10*1), R15
	MOVQ R8, R11
	CMPQ AX, $64
	JLT  four
	VMOVUPD (R15), Y0
	VMOVUPD 32(R15), Y1
	VMOVUPD (R15)(R13*1), Y2
	VMOVUPD 32(R15)(R13*1), Y3
	VMOVUPD (R15)(R13*2), Y4
	VMOVUPD 32(R15)(R13*2), Y5
	VMOVUPD (R15)(R14*1), Y6
	VMOVUPD 32(R15)(R14*1), Y7

rows:
	FACTORS
	VMULPD (BX)(R10*1), Y14, Y8
	VMULPD 32(BX)(R10*1), Y14, Y9
	PRODUCTS
	ADDQ $4, R11
	CMPQ R11, R12
	JLT  rows
	VMOVUPD Y0, (R15)
	VMOVUPD Y1, 32(R15)
	VMOVUPD Y2, (R15)(R13*1)
	VMOVUPD Y3, 32(R15)(R13*1)
	VMOVUPD Y4, (R15)(R13*2)
	VMOVUPD Y5, 32(R15)(R13*2)
	VMOVUPD Y6, (R15)(R14*1)
	VMOVUPD Y7, 32(R15)(R14*1)
	ADDQ $64, R10
	JMP  eight

four:
	VMOVUPD (R15), Y0
	VMOVUPD (R15)(R13*1), Y2
	VMOVUPD (R15)(R13*2), Y4
	VMOVUPD (R15)(R14*1), Y6

rowsOfFour:
	FACTORS
	VMULPD (BX)(R10*1), Y14, Y8
	VFMADD231PD Y8, Y10, Y0
	VFMADD231PD Y8, Y11, Y2
	VFMADD231PD Y8, Y12, Y4
	VFMADD231PD Y8, Y13, Y6
	ADDQ $4, R11
	CMPQ R11, R12
	JLT  rowsOfFour
	VMOVUPD Y0, (R15)
	VMOVUPD Y2, (R15)(R13*1)
	VMOVUPD Y4, (R15)(R13*2)
	VMOVUPD Y6, (R15)(R14*1)

next:
	LEAQ (DI)(R13*4), DI
	ADDQ $32, R9
	CMPQ R9, R13
	JLT  tiles
	VZEROUPPER
	RET
