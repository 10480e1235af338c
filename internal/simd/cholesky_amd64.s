//go:build amd64 && !purego

#include "textflag.h"
#include "frames.h"

DATA largest<>+0(SB)/8, $0x7fefffffffffffff
GLOBL largest<>(SB), RODATA|NOPTR, $8

// PIVOT divides the row by the root of its entry, the lowest of pivot, and
// leaves the reciprocal of the root in all lanes of inv.
#define PIVOT(pivot, row, inv) \
	VXORPD X10, X10, X10 \
	VUCOMISD X10, pivot \
	JLS  no \
	VUCOMISD largest<>(SB), pivot \
	JHI  no \
	VSQRTSD pivot, pivot, X11 \
	VMOVSD ·one(SB), X10 \
	VDIVSD X11, X10, X10 \
	VBROADCASTSD X10, inv \
	VMULPD inv, row, row

// LESS subtracts from row the multiple of above that its lane says: of above
// itself.
#define LESS(lane, above, row) \
	VPERMPD lane, above, Y9 \
	VFNMADD231PD Y9, above, row

// LESS8 subtracts from eight columns, a and b, the multiple of those of another row,
// c and d, that stands at from.
#define LESS8(from, c, d, a, b) \
	VBROADCASTSD from, Y10 \
	VFNMADD231PD c, Y10, a \
	VFNMADD231PD d, Y10, b

// DIVIDE multiplies eight columns by a reciprocal.
#define DIVIDE(inv, a, b) \
	VMULPD inv, a, a \
	VMULPD inv, b, b

// func Cholesky(u *float64, size, ld int) bool
//
// Four rows at a time: first the square on the diagonal, then to its right eight
// columns at a time; where four are left the mask Y11 of the others is off. Y12 to Y15 hold the reciprocal pivots.
TEXT ·Cholesky(SB), NOSPLIT, $0-25
	MOVQ u+0(FP), SI
	MOVQ size+8(FP), DI
	MOVQ ld+16(FP), R8
	MOVQ R8, R13
	SHLQ $3, R8
	LEAQ (R8)(R8*2), R9
	XORQ AX, AX // the first of the four rows
	MOVQ SI, R10 // its beginning

panel:
	LEAQ (R10)(AX*8), R11
	VMOVUPD (R11), Y0
	VMOVUPD (R11)(R8*1), Y1
	VMOVUPD (R11)(R8*2), Y2
	VMOVUPD (R11)(R9*1), Y3
	LEAQ (SI)(AX*8), BX
	MOVQ AX, CX
	TESTQ CX, CX
	JEQ  square

above:
	VMOVUPD (BX), Y4
	VBROADCASTSD (BX), Y5
	VBROADCASTSD 8(BX), Y6
	VBROADCASTSD 16(BX), Y7
	VBROADCASTSD 24(BX), Y8
	VFNMADD231PD Y4, Y5, Y0
	VFNMADD231PD Y4, Y6, Y1
	VFNMADD231PD Y4, Y7, Y2
	VFNMADD231PD Y4, Y8, Y3
	ADDQ R8, BX
	DECQ CX
	JNE  above

square:
	PIVOT(X0, Y0, Y12)
	LESS($0x55, Y0, Y1)
	LESS($0xaa, Y0, Y2)
	LESS($0xff, Y0, Y3)
	VPERMPD $0x55, Y1, Y4
	PIVOT(X4, Y1, Y13)
	LESS($0xaa, Y1, Y2)
	LESS($0xff, Y1, Y3)
	VPERMPD $0xaa, Y2, Y4
	PIVOT(X4, Y2, Y14)
	LESS($0xff, Y2, Y3)
	VPERMPD $0xff, Y3, Y4
	PIVOT(X4, Y3, Y15)
	VMOVUPD Y0, (R11)
	VMOVUPD Y1, (R11)(R8*1)
	VMOVUPD Y2, (R11)(R8*2)
	VMOVUPD Y3, (R11)(R9*1)
	VMOVSD X12, (R11)
	VMOVSD X13, 8(R11)(R8*1)
	VMOVSD X14, 16(R11)(R8*2)
	VMOVSD X15, 24(R11)(R9*1)

	// The columns to the right of the square.
	VPCMPEQQ Y11, Y11, Y11
	LEAQ 32(R11), R12
	MOVQ R13, DX
	SUBQ AX, DX
	SUBQ $4, DX // how many

eight:
	CMPQ DX, $8
	JGE  columns
	TESTQ DX, DX
	JEQ  next
	VXORPD Y11, Y11, Y11

columns:
	VMOVUPD (R12), Y0
	VMASKMOVPD 32(R12), Y11, Y1
	VMOVUPD (R12)(R8*1), Y2
	VMASKMOVPD 32(R12)(R8*1), Y11, Y3
	VMOVUPD (R12)(R8*2), Y4
	VMASKMOVPD 32(R12)(R8*2), Y11, Y5
	VMOVUPD (R12)(R9*1), Y6
	VMASKMOVPD 32(R12)(R9*1), Y11, Y7
	LEAQ (SI)(AX*8), BX
	MOVQ R12, R14 // the same column of row 0
	SUBQ R10, R14
	ADDQ SI, R14
	MOVQ AX, CX
	TESTQ CX, CX
	JEQ  solve

sums:
	VMOVUPD (R14), Y8
	VMOVUPD 32(R14), Y9 // of the next row where four columns are left
	LESS8((BX), Y8, Y9, Y0, Y1)
	LESS8(8(BX), Y8, Y9, Y2, Y3)
	LESS8(16(BX), Y8, Y9, Y4, Y5)
	LESS8(24(BX), Y8, Y9, Y6, Y7)
	ADDQ R8, BX
	ADDQ R8, R14
	DECQ CX
	JNE  sums

solve:
	DIVIDE(Y12, Y0, Y1)
	LESS8(8(R11), Y0, Y1, Y2, Y3)
	LESS8(16(R11), Y0, Y1, Y4, Y5)
	LESS8(24(R11), Y0, Y1, Y6, Y7)
	DIVIDE(Y13, Y2, Y3)
	LESS8(16(R11)(R8*1), Y2, Y3, Y4, Y5)
	LESS8(24(R11)(R8*1), Y2, Y3, Y6, Y7)
	DIVIDE(Y14, Y4, Y5)
	LESS8(24(R11)(R8*2), Y4, Y5, Y6, Y7)
	DIVIDE(Y15, Y6, Y7)
	VMOVUPD Y0, (R12)
	VMOVUPD Y2, (R12)(R8*1)
	VMOVUPD Y4, (R12)(R8*2)
	VMOVUPD Y6, (R12)(R9*1)
	SUBQ $8, DX
	JLT  next
	VMOVUPD Y1, 32(R12)
	VMOVUPD Y3, 32(R12)(R8*1)
	VMOVUPD Y5, 32(R12)(R8*2)
	VMOVUPD Y7, 32(R12)(R9*1)
	ADDQ $64, R12
	JMP  eight

next:
	LEAQ (R10)(R8*4), R10
	ADDQ $4, AX
	CMPQ AX, DI
	JLT  panel
	MOVB $1, ret+24(FP)
	VZEROUPPER
	RET

no:
	MOVB $0, ret+24(FP)
	VZEROUPPER
	RET
