//go:build amd64 && !purego

#include "textflag.h"
#include "frames.h"

// SUM24, SUM16 and SUM8 add the products of an entry of x, read into r, with 24, 16 or 8 of y, in Z24 to Z26. ROUND24, ROUND16 and ROUND8 add
// products that are rounded.
#define SUM24(x, r, a, b, c) \
	SUM16(x, r, a, b, c) \
	VFMADD231PD Z26, r, c

#define SUM16(x, r, a, b, c) \
	VBROADCASTSD x, r \
	VFMADD231PD Z24, r, a \
	VFMADD231PD Z25, r, b

#define SUM8(x, r, a, b, c) VFMADD231PD.BCST x, Z24, a

#define ROUND24(x, r, a, b, c) \
	ROUND16(x, r, a, b, c) \
	VMULPD Z26, r, Z31 \
	VADDPD Z31, c, c

#define ROUND16(x, r, a, b, c) \
	VBROADCASTSD x, r \
	VMULPD Z24, r, Z31 \
	VADDPD Z31, a, a \
	VMULPD Z25, r, Z31 \
	VADDPD Z31, b, b

#define ROUND8(x, r, a, b, c) \
	VMULPD.BCST x, Z24, Z31 \
	VADDPD Z31, a, a

// EIGHT adds for an entry of each of eight rows of x.
#define EIGHT(sum) \
	sum((SI), Z27, Z0, Z1, Z2) \
	sum((SI)(R8*1), Z28, Z3, Z4, Z5) \
	sum((SI)(R8*2), Z29, Z6, Z7, Z8) \
	sum((SI)(R10*1), Z30, Z9, Z10, Z11) \
	sum((SI)(R8*4), Z27, Z12, Z13, Z14) \
	sum((SI)(R11*1), Z28, Z15, Z16, Z17) \
	sum((SI)(R10*2), Z29, Z18, Z19, Z20) \
	sum((SI)(R12*1), Z30, Z21, Z22, Z23) \
	ADDQ $8, SI \
	ADDQ R14, DI \
	DECQ CX

// LESS24, LESS16 and LESS8 subtract from 24, 16 or 8 columns of the row of val that an entry of at names.
#define LESS24(number, a, b, c) \
	LESS16(number, a, b, c) \
	VMOVUPD.Z 128(AX), K3, Z26 \
	VSUBPD c, Z26, Z26 \
	VMOVUPD Z26, K3, 128(AX)

#define LESS16(number, a, b, c) \
	LESS8(number, a, b, c) \
	VMOVUPD.Z 64(AX), K2, Z25 \
	VSUBPD b, Z25, Z25 \
	VMOVUPD Z25, K2, 64(AX)

#define LESS8(number, a, b, c) \
	MOVQ (8*number)(R13), AX \
	LEAQ (DX)(AX*8), AX \
	VMOVUPD.Z (AX), K1, Z24 \
	VSUBPD a, Z24, Z24 \
	VMOVUPD Z24, K1, (AX)

// LAST ends with as many rows.
#define LAST(rows) \
	CMPQ BX, $rows \
	JLE  done

// LESS subtracts from up to eight rows, and goes on at next.
#define LESS(less) \
	less(0, Z0, Z1, Z2) \
	LAST(1) \
	less(1, Z3, Z4, Z5) \
	LAST(2) \
	less(2, Z6, Z7, Z8) \
	LAST(3) \
	less(3, Z9, Z10, Z11) \
	LAST(4) \
	less(4, Z12, Z13, Z14) \
	LAST(5) \
	less(5, Z15, Z16, Z17) \
	LAST(6) \
	less(6, Z18, Z19, Z20) \
	LAST(7) \
	less(7, Z21, Z22, Z23) \
	JMP  next

// func SubtractWiderRows(val *float64, at *int, x, y *float64, ldx, ldy, k, rows, cols, fused int)
//
// Eight rows at a time, three of Z0 to Z23 for each. R15 points to the rows of x. K1 to K3 are masks of three times eight columns.
TEXT ·SubtractWiderRows(SB), NOSPLIT, $0-80
	MOVQ val+0(FP), DX
	MOVQ at+8(FP), R13
	MOVQ x+16(FP), R15
	MULTIPLES(ldx+32(FP), R8, R10, R11, R12)
	MOVQ ldy+40(FP), R14
	SHLQ $3, R14
	MOVQ rows+56(FP), BX
	MOVQ cols+64(FP), CX
	MOVQ CX, R9
	MOVQ $1, AX
	SHLQ CX, AX
	DECQ AX
	KMOVW AX, K1
	SHRQ $8, AX
	KMOVW AX, K2
	SHRQ $8, AX
	KMOVW AX, K3

group:
	MOVQ R15, SI
	MOVQ y+24(FP), DI
	MOVQ k+48(FP), CX
	ZEROED(Z0, Z3, Z6)
	ZEROED(Z9, Z12, Z15)
	ZEROED(Z18, Z21, Z1)
	CMPQ R9, $8
	JLE  eight
	ZEROED(Z4, Z7, Z10)
	ZEROED(Z13, Z16, Z19)
	ZEROED(Z22, Z2, Z5)
	CMPQ R9, $16
	JLE  sixteen
	ZEROED(Z8, Z11, Z14)
	ZEROED(Z17, Z20, Z23)
	CMPQ fused+72(FP), $0
	JEQ  round24

sum24:
	VMOVUPD (DI), Z24
	VMOVUPD 64(DI), Z25
	VMOVUPD 128(DI), Z26
	EIGHT(SUM24)
	JNE  sum24
	JMP  less24

round24:
	VMOVUPD (DI), Z24
	VMOVUPD 64(DI), Z25
	VMOVUPD 128(DI), Z26
	EIGHT(ROUND24)
	JNE  round24

less24:
	LESS(LESS24)

sixteen:
	CMPQ fused+72(FP), $0
	JEQ  round16

sum16:
	VMOVUPD (DI), Z24
	VMOVUPD 64(DI), Z25
	EIGHT(SUM16)
	JNE  sum16
	JMP  less16

round16:
	VMOVUPD (DI), Z24
	VMOVUPD 64(DI), Z25
	EIGHT(ROUND16)
	JNE  round16

less16:
	LESS(LESS16)

eight:
	CMPQ fused+72(FP), $0
	JEQ  round8

sum8:
	VMOVUPD (DI), Z24
	EIGHT(SUM8)
	JNE  sum8
	JMP  less8

round8:
	VMOVUPD (DI), Z24
	EIGHT(ROUND8)
	JNE  round8

less8:
	LESS(LESS8)

next:
	LEAQ (R15)(R8*8), R15
	ADDQ $64, R13
	SUBQ $8, BX
	JGT  group

done:
	VZEROUPPER
	RET

// func PackWider(dst, src, weights *float64, ldd, ld, k, mask int)
//
// Eight columns of eight rows at a time. R8, R10, R11 and R12 are one, three, five and seven rows of src, R13, R14, R15 and BX of dst.
TEXT ·PackWider(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ weights+16(FP), DX
	MULTIPLES(ld+32(FP), R8, R10, R11, R12)
	MULTIPLES(ldd+24(FP), R13, R14, R15, BX)
	MOVQ k+40(FP), CX
	MOVQ mask+48(FP), AX
	KMOVW AX, K1
	VMOVUPD ·pairs+0(SB), Z30
	VMOVUPD ·pairs+64(SB), Z31

columns:
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
	VMULPD.BCST (DX), Z0, Z0
	VMULPD.BCST 8(DX), Z1, Z1
	VMULPD.BCST 16(DX), Z2, Z2
	VMULPD.BCST 24(DX), Z3, Z3
	VMULPD.BCST 32(DX), Z4, Z4
	VMULPD.BCST 40(DX), Z5, Z5
	VMULPD.BCST 48(DX), Z6, Z6
	VMULPD.BCST 56(DX), Z7, Z7
	CMPQ AX, $255
	JEQ  write
	VEXPANDPD.Z Z0, K1, Z0
	VEXPANDPD.Z Z1, K1, Z1
	VEXPANDPD.Z Z2, K1, Z2
	VEXPANDPD.Z Z3, K1, Z3
	VEXPANDPD.Z Z4, K1, Z4
	VEXPANDPD.Z Z5, K1, Z5
	VEXPANDPD.Z Z6, K1, Z6
	VEXPANDPD.Z Z7, K1, Z7

write:
	VMOVUPD Z0, (DI)
	VMOVUPD Z1, (DI)(R13*1)
	VMOVUPD Z2, (DI)(R13*2)
	VMOVUPD Z3, (DI)(R14*1)
	VMOVUPD Z4, (DI)(R13*4)
	VMOVUPD Z5, (DI)(R15*1)
	VMOVUPD Z6, (DI)(R14*2)
	VMOVUPD Z7, (DI)(BX*1)
	LEAQ (DI)(R13*8), DI
	ADDQ $64, SI
	ADDQ $64, DX
	SUBQ $8, CX
	JGT  columns
	VZEROUPPER
	RET
