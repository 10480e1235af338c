//go:build amd64 && !purego

#include "textflag.h"
#include "frames.h"

// BEFORE adds for eight columns the products of column u, before them, with its entries of L. TRIANGLE subtracts those of each of them from those
// behind it.
#define BEFORE(sum, u, c0, c1, c2, c3, c4, c5, c6, c7) \
	sum((DI), u, c0) \
	sum((DI)(R8*1), u, c1) \
	sum((DI)(R8*2), u, c2) \
	sum((DI)(R10*1), u, c3) \
	sum((DI)(R8*4), u, c4) \
	sum((DI)(R11*1), u, c5) \
	sum((DI)(R10*2), u, c6) \
	sum((DI)(R12*1), u, c7)

#define TRIANGLE(less, c0, c1, c2, c3, c4, c5, c6, c7) \
	less((DI)(R8*1), c0, c1) \
	less((DI)(R8*2), c0, c2) \
	less((DI)(R10*1), c0, c3) \
	less((DI)(R8*4), c0, c4) \
	less((DI)(R11*1), c0, c5) \
	less((DI)(R10*2), c0, c6) \
	less((DI)(R12*1), c0, c7) \
	less(8(DI)(R8*2), c1, c2) \
	less(8(DI)(R10*1), c1, c3) \
	less(8(DI)(R8*4), c1, c4) \
	less(8(DI)(R11*1), c1, c5) \
	less(8(DI)(R10*2), c1, c6) \
	less(8(DI)(R12*1), c1, c7) \
	less(16(DI)(R10*1), c2, c3) \
	less(16(DI)(R8*4), c2, c4) \
	less(16(DI)(R11*1), c2, c5) \
	less(16(DI)(R10*2), c2, c6) \
	less(16(DI)(R12*1), c2, c7) \
	less(24(DI)(R8*4), c3, c4) \
	less(24(DI)(R11*1), c3, c5) \
	less(24(DI)(R10*2), c3, c6) \
	less(24(DI)(R12*1), c3, c7) \
	less(32(DI)(R11*1), c4, c5) \
	less(32(DI)(R10*2), c4, c6) \
	less(32(DI)(R12*1), c4, c7) \
	less(40(DI)(R10*2), c5, c6) \
	less(40(DI)(R12*1), c5, c7) \
	less(48(DI)(R12*1), c6, c7)

// WRITTEN goes on behind the stores of a block where there are no more rows than so many.
#define WRITTEN(rows) \
	CMPQ CX, $rows \
	JLE  written

// SOLVE reads the arguments that both kernels share: R8, R10, R11 and R12 are one, three, five and seven rows of L.
#define SOLVE \
	MULTIPLES(ld+32(FP), R8, R10, R11, R12) \
	MOVQ cols+48(FP), R9 \
	SHLQ $3, R9 \
	MOVQ solved+24(FP), DX

// FIRST sets SI to the rows that are next, R13 to L, R14 to the inverses, and AX, the number of columns before the block, in bytes, to 0.
#define FIRST \
	MOVQ rows+0(FP), SI \
	MOVQ l+8(FP), R13 \
	MOVQ inverse+16(FP), R14 \
	XORQ AX, AX

// BEGIN sets DI to the rows of L that belong to the columns of the block, BX to the first column of those before, and goes on at none where there are none.
#define BEGIN(none) \
	MOVQ R13, DI \
	MOVQ DX, BX \
	MOVQ AX, CX \
	SHRQ $3, CX \
	JEQ  none

// FOLLOW goes on with the next block, unless the columns are done and, where that is asked for, those behind them.
#define FOLLOW \
	ADDQ $64, SI \
	ADDQ $64, R14 \
	LEAQ (R13)(R8*8), R13 \
	ADDQ $64, AX \
	CMPQ AX, R9 \
	JLT  block \
	JGT  over \
	CMPQ open+56(FP), $0 \
	JNE  block

// LATER goes on with the rows after so many, if there are any.
#define LATER(count, scale) \
	SUBQ $count, height+40(FP) \
	JLE  done \
	MOVQ rows+0(FP), SI \
	LEAQ (SI)(R8*scale), SI \
	MOVQ SI, rows+0(FP) \
	JMP  group

// LOW writes a row of a block.
#define LOW(ya, yb, at, behind) \
	VMOVUPD ya, at \
	VMOVUPD yb, behind

// SUM4 adds to column c the product of column u with an entry of L.
#define SUM4(l, u, c) \
	VBROADCASTSD l, Y9 \
	VFMADD231PD Y9, u, c

// ROUND4 subtracts the product, rounded.
#define ROUND4(l, u, c) \
	VBROADCASTSD l, Y8 \
	VMULPD Y8, u, Y8 \
	VSUBPD Y8, c, c

// TRANSPOSE4 turns a to d, four rows of four entries, into their columns.
#define TRANSPOSE4(a, b, c, d) \
	VUNPCKLPD b, a, Y8 \
	VUNPCKHPD b, a, Y9 \
	VUNPCKLPD d, c, Y10 \
	VUNPCKHPD d, c, Y11 \
	VPERM2F128 $0x20, Y10, Y8, a \
	VPERM2F128 $0x20, Y11, Y9, b \
	VPERM2F128 $0x31, Y10, Y8, c \
	VPERM2F128 $0x31, Y11, Y9, d

// LESS4 sets a to d to four columns of four rows less a to d.
#define LESS4(from, a, b, c, d) \
	VMOVUPD from(SI), Y12 \
	VMOVUPD from(SI)(R8*1), Y13 \
	VMOVUPD from(SI)(R8*2), Y14 \
	VMOVUPD from(SI)(R10*1), Y15 \
	TRANSPOSE4(Y12, Y13, Y14, Y15) \
	VSUBPD a, Y12, a \
	VSUBPD b, Y13, b \
	VSUBPD c, Y14, c \
	VSUBPD d, Y15, d

// SCALE multiplies a column by its inverse.
#define SCALE(inverse, c) \
	VBROADCASTSD inverse, Y8 \
	VMULPD Y8, c, c

// PART writes the first columns of a row, by the masks Y14 and Y15.
#define PART(ya, yb, at, behind) \
	VMASKMOVPD ya, Y14, at \
	VMASKMOVPD yb, Y15, behind

// func SolveRows(rows, l, inverse, solved *float64, ld, height, cols, open int)
//
// Four rows at a time, eight columns of them in Y0 to Y7.
TEXT ·SolveRows(SB), NOSPLIT, $0-64
	SOLVE

group:
	FIRST

block:
	ZERO8
	BEGIN(read)

before:
	VMOVUPD (BX), Y8
	BEFORE(SUM4, Y8, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)
	ADDQ $32, BX
	ADDQ $8, DI
	DECQ CX
	JNE  before

read:
	LESS4(0, Y0, Y1, Y2, Y3)
	LESS4(32, Y4, Y5, Y6, Y7)
	CMPQ AX, R9
	JGE  write
	TRIANGLE(ROUND4, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)
	VMOVUPD Y0, (BX)
	VMOVUPD Y1, 32(BX)
	VMOVUPD Y2, 64(BX)
	VMOVUPD Y3, 96(BX)
	VMOVUPD Y4, 128(BX)
	VMOVUPD Y5, 160(BX)
	VMOVUPD Y6, 192(BX)
	VMOVUPD Y7, 224(BX)
	SCALE((R14), Y0)
	SCALE(8(R14), Y1)
	SCALE(16(R14), Y2)
	SCALE(24(R14), Y3)
	SCALE(32(R14), Y4)
	SCALE(40(R14), Y5)
	SCALE(48(R14), Y6)
	SCALE(56(R14), Y7)

write:
	TRANSPOSE4(Y0, Y1, Y2, Y3)
	TRANSPOSE4(Y4, Y5, Y6, Y7)
	MOVQ height+40(FP), CX
	MOVQ R8, DI
	SUBQ AX, DI // columns that are left, in bytes
	CMPQ DI, $64
	JLT  part
	LOW(Y0, Y4, (SI), 32(SI))
	WRITTEN(1)
	LOW(Y1, Y5, (SI)(R8*1), 32(SI)(R8*1))
	WRITTEN(2)
	LOW(Y2, Y6, (SI)(R8*2), 32(SI)(R8*2))
	WRITTEN(3)
	LOW(Y3, Y7, (SI)(R10*1), 32(SI)(R10*1))

written:
	FOLLOW

over:
	LATER(4, 4)

done:
	VZEROUPPER
	RET

part:
	LEAQ ·mask+64(SB), BX
	SUBQ DI, BX
	VMOVUPD (BX), Y14
	VMOVUPD 32(BX), Y15
	PART(Y0, Y4, (SI), 32(SI))
	WRITTEN(1)
	PART(Y1, Y5, (SI)(R8*1), 32(SI)(R8*1))
	WRITTEN(2)
	PART(Y2, Y6, (SI)(R8*2), 32(SI)(R8*2))
	WRITTEN(3)
	PART(Y3, Y7, (SI)(R10*1), 32(SI)(R10*1))
	JMP  written

// The places of pairs of two registers: the even pairs of both in turn, then the odd ones.
DATA ·pairs+0(SB)/8, $0
DATA ·pairs+8(SB)/8, $1
DATA ·pairs+16(SB)/8, $8
DATA ·pairs+24(SB)/8, $9
DATA ·pairs+32(SB)/8, $4
DATA ·pairs+40(SB)/8, $5
DATA ·pairs+48(SB)/8, $12
DATA ·pairs+56(SB)/8, $13
DATA ·pairs+64(SB)/8, $2
DATA ·pairs+72(SB)/8, $3
DATA ·pairs+80(SB)/8, $10
DATA ·pairs+88(SB)/8, $11
DATA ·pairs+96(SB)/8, $6
DATA ·pairs+104(SB)/8, $7
DATA ·pairs+112(SB)/8, $14
DATA ·pairs+120(SB)/8, $15
GLOBL ·pairs(SB), RODATA|NOPTR, $128

// SUM8 adds to column c the product of column u with an entry of L.
#define SUM8(l, u, c) VFMADD231PD.BCST l, u, c

// ROUND8 subtracts the product, rounded.
#define ROUND8(l, u, c) \
	VMULPD.BCST l, u, Z8 \
	VSUBPD Z8, c, c

// HIGH writes the row behind, which the upper halves hold, LOWPART and HIGHPART the first columns of rows, by the masks K1 and K2.
#define HIGH(za, zb, at, behind) \
	VEXTRACTF64X4 $1, za, at \
	VEXTRACTF64X4 $1, zb, behind

#define LOWPART(za, zb, at, behind) \
	VMOVUPD za, K1, at \
	VMOVUPD zb, K2, behind

#define HIGHPART(za, ya, zb, yb, at, behind) \
	VEXTRACTF64X4 $1, za, ya \
	VEXTRACTF64X4 $1, zb, yb \
	LOWPART(za, zb, at, behind)

// func SolveWiderRows(rows, l, inverse, solved *float64, ld, height, cols, open int)
//
// Eight rows at a time, eight columns of them in Z0 to Z7.
TEXT ·SolveWiderRows(SB), NOSPLIT, $0-64
	SOLVE
	VMOVUPD ·pairs+0(SB), Z30
	VMOVUPD ·pairs+64(SB), Z31

group:
	FIRST

block:
	READ8((SI), (SI)(R8*4), Z0, Y0)
	READ8((SI)(R8*1), (SI)(R11*1), Z1, Y1)
	READ8((SI)(R8*2), (SI)(R10*2), Z2, Y2)
	READ8((SI)(R10*1), (SI)(R12*1), Z3, Y3)
	READ8(32(SI), 32(SI)(R8*4), Z4, Y4)
	READ8(32(SI)(R8*1), 32(SI)(R11*1), Z5, Y5)
	READ8(32(SI)(R8*2), 32(SI)(R10*2), Z6, Y6)
	READ8(32(SI)(R10*1), 32(SI)(R12*1), Z7, Y7)
	TRANSPOSE8(Z0, Z1, Z2, Z3)
	TRANSPOSE8(Z4, Z5, Z6, Z7)
	BEGIN(triangle)
	ZEROED(Z16, Z17, Z18)
	ZEROED(Z19, Z20, Z21)
	ZEROED(Z22, Z23, Z8)

before:
	VMOVUPD (BX), Z8
	BEFORE(SUM8, Z8, Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23)
	ADDQ $64, BX
	ADDQ $8, DI
	DECQ CX
	JNE  before
	VSUBPD Z16, Z0, Z0
	VSUBPD Z17, Z1, Z1
	VSUBPD Z18, Z2, Z2
	VSUBPD Z19, Z3, Z3
	VSUBPD Z20, Z4, Z4
	VSUBPD Z21, Z5, Z5
	VSUBPD Z22, Z6, Z6
	VSUBPD Z23, Z7, Z7
	CMPQ AX, R9
	JGE  write

triangle:
	TRIANGLE(ROUND8, Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
	VMOVUPD Z0, (BX)
	VMOVUPD Z1, 64(BX)
	VMOVUPD Z2, 128(BX)
	VMOVUPD Z3, 192(BX)
	VMOVUPD Z4, 256(BX)
	VMOVUPD Z5, 320(BX)
	VMOVUPD Z6, 384(BX)
	VMOVUPD Z7, 448(BX)
	VMULPD.BCST (R14), Z0, Z0
	VMULPD.BCST 8(R14), Z1, Z1
	VMULPD.BCST 16(R14), Z2, Z2
	VMULPD.BCST 24(R14), Z3, Z3
	VMULPD.BCST 32(R14), Z4, Z4
	VMULPD.BCST 40(R14), Z5, Z5
	VMULPD.BCST 48(R14), Z6, Z6
	VMULPD.BCST 56(R14), Z7, Z7

write:
	TRANSPOSE8(Z0, Z1, Z2, Z3)
	TRANSPOSE8(Z4, Z5, Z6, Z7)
	MOVQ R8, DI
	SUBQ AX, DI // columns that are left, in bytes
	CMPQ DI, $64
	JLT  part
	MOVQ height+40(FP), CX
	LOW(Y0, Y4, (SI), 32(SI))
	WRITTEN(1)
	LOW(Y1, Y5, (SI)(R8*1), 32(SI)(R8*1))
	WRITTEN(2)
	LOW(Y2, Y6, (SI)(R8*2), 32(SI)(R8*2))
	WRITTEN(3)
	LOW(Y3, Y7, (SI)(R10*1), 32(SI)(R10*1))
	WRITTEN(4)
	HIGH(Z0, Z4, (SI)(R8*4), 32(SI)(R8*4))
	WRITTEN(5)
	HIGH(Z1, Z5, (SI)(R11*1), 32(SI)(R11*1))
	WRITTEN(6)
	HIGH(Z2, Z6, (SI)(R10*2), 32(SI)(R10*2))
	WRITTEN(7)
	HIGH(Z3, Z7, (SI)(R12*1), 32(SI)(R12*1))

written:
	FOLLOW

over:
	LATER(8, 8)

done:
	VZEROUPPER
	RET

part:
	SHRQ $3, DI
	MOVQ DI, CX
	MOVQ $1, DI
	SHLQ CX, DI
	DECQ DI
	MOVQ DI, CX
	ANDQ $15, CX
	KMOVW CX, K1
	SHRQ $4, DI
	KMOVW DI, K2
	MOVQ height+40(FP), CX
	LOWPART(Z0, Z4, (SI), 32(SI))
	WRITTEN(1)
	LOWPART(Z1, Z5, (SI)(R8*1), 32(SI)(R8*1))
	WRITTEN(2)
	LOWPART(Z2, Z6, (SI)(R8*2), 32(SI)(R8*2))
	WRITTEN(3)
	LOWPART(Z3, Z7, (SI)(R10*1), 32(SI)(R10*1))
	WRITTEN(4)
	HIGHPART(Z0, Y0, Z4, Y4, (SI)(R8*4), 32(SI)(R8*4))
	WRITTEN(5)
	HIGHPART(Z1, Y1, Z5, Y5, (SI)(R11*1), 32(SI)(R11*1))
	WRITTEN(6)
	HIGHPART(Z2, Y2, Z6, Y6, (SI)(R10*2), 32(SI)(R10*2))
	WRITTEN(7)
	HIGHPART(Z3, Y3, Z7, Y7, (SI)(R12*1), 32(SI)(R12*1))
	JMP  written
