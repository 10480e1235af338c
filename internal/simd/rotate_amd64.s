//go:build amd64 && !purego

#include "textflag.h"

// TURN turns columns of a row, at off(SI), with the carry of the row after it, whose place is DI, by the cosine c and the sine s.
#define TURN(off, carry, x, t, c, s) \
	VMOVUPD off(SI), x \
	VMULPD carry, c, t \
	VMULPD carry, s, carry \
	VFMADD231PD x, s, t \
	VFMSUB231PD x, c, carry \
	VMOVUPD t, off(DI)

// ROTATE turns row after row in four registers, each of so many bytes.
#define ROTATE(loop, b1, b2, b3, r0, r1, r2, r3, x0, x1, x2, x3, t0, t1, t2, t3, c, s) \
	MOVQ z+0(FP), DI \
	MOVQ turns+8(FP), DX \
	MOVQ ld+16(FP), R9 \
	SHLQ $3, R9 \
	MOVQ count+24(FP), CX \
	VMOVUPD (DI), r0 \
	VMOVUPD b1(DI), r1 \
	VMOVUPD b2(DI), r2 \
	VMOVUPD b3(DI), r3 \
loop: \
	MOVQ DI, SI \
	SUBQ R9, SI \
	VBROADCASTSD (DX), c \
	VBROADCASTSD 8(DX), s \
	TURN(0, r0, x0, t0, c, s) \
	TURN(b1, r1, x1, t1, c, s) \
	TURN(b2, r2, x2, t2, c, s) \
	TURN(b3, r3, x3, t3, c, s) \
	MOVQ SI, DI \
	ADDQ $16, DX \
	DECQ CX \
	JNE  loop \
	VMOVUPD r0, (DI) \
	VMOVUPD r1, b1(DI) \
	VMOVUPD r2, b2(DI) \
	VMOVUPD r3, b3(DI) \
	VZEROUPPER \
	RET

// func Rotate(z, turns *float64, ld, count int)
TEXT ·Rotate(SB), NOSPLIT, $0-32
	ROTATE(turn, 32, 64, 96, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11, Y14, Y15)

// func RotateWider(z, turns *float64, ld, count int)
TEXT ·RotateWider(SB), NOSPLIT, $0-32
	ROTATE(wider, 64, 128, 192, Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z14, Z15)
