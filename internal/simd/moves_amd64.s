//go:build amd64 && !purego

#include "textflag.h"
#include "frames.h"

// func Moves(sums *float64, size int, old, new, moved *int32, x, y, w *float64, rows, n, ld int)
//
// First the numbers of the rows that move are listed, without a branch that is
// hard to foresee. Each is taken from its old region, where it is in one, and
// then added to the new one: with its weight in Y6, four columns at a time, of
// which Y0 holds the weighted entries.
TEXT ·Moves(SB), NOSPLIT, $16-88
	MOVQ old+16(FP), R15
	MOVQ new+24(FP), R14
	MOVQ moved+32(FP), R11
	MOVQ rows+64(FP), BX
	XORQ R10, R10
	XORQ CX, CX

compare:
	MOVL (R15)(R10*4), AX
	XORL DX, DX
	MOVL R10, (R11)(CX*4)
	CMPL AX, (R14)(R10*4)
	SETNE DX
	ADDQ DX, CX
	INCQ R10
	CMPQ R10, BX
	JLT  compare
	TESTQ CX, CX
	JEQ  done

	LEAQ (R11)(CX*4), CX
	MOVQ CX, end-16(SP)
	MOVQ size+8(FP), R13
	SHLQ $3, R13
	MOVQ n+72(FP), R8
	MOVQ ld+80(FP), R9
	SHLQ $3, R9
	LEAQ (R9)(R9*1), R12
	VXORPD Y7, Y7, Y7

row:
	MOVLQSX (R11), R10
	MOVLQSX (R15)(R10*4), AX
	MOVLQSX (R14)(R10*4), DX
	MOVL DX, (R15)(R10*4)
	MOVQ DX, to-8(SP)
	MOVQ R8, SI
	IMULQ R10, SI
	SHLQ $3, SI
	ADDQ x+40(FP), SI
	MOVQ w+56(FP), BX
	VBROADCASTSD (BX)(R10*8), Y4
	MOVQ y+48(FP), BX
	VBROADCASTSD (BX)(R10*8), Y5
	VSUBPD Y4, Y7, Y6
	TESTQ AX, AX
	JGE  region

new:
	VMOVAPD Y4, Y6
	MOVQ to-8(SP), AX
	MOVQ $-1, to-8(SP)
	TESTQ AX, AX
	JLT  next

region:
	IMULQ R13, AX
	ADDQ sums+0(FP), AX
	MOVQ AX, DI
	MOVQ SI, R10
	MOVQ R8, AX
	CMPQ AX, $4
	JEQ  onlyFour

columns:
	CMPQ AX, $4
	JLT  few
	VMOVUPD (R10), Y0

have:
	VMULPD Y6, Y0, Y0
	MOVQ DI, DX
	MOVQ SI, BX
	MOVQ R8, CX
	SUBQ $2, CX
	JLT  odd

entries:
	VBROADCASTSD (BX), Y1
	VBROADCASTSD 8(BX), Y2
	VFMADD213PD (DX), Y0, Y1
	VFMADD213PD (DX)(R9*1), Y0, Y2
	VMOVUPD Y1, (DX)
	VMOVUPD Y2, (DX)(R9*1)
	ADDQ R12, DX
	ADDQ $16, BX
	SUBQ $2, CX
	JGE  entries

odd:
	ADDQ $2, CX
	JEQ  target
	VBROADCASTSD (BX), Y1
	VFMADD213PD (DX), Y0, Y1
	VMOVUPD Y1, (DX)
	ADDQ R9, DX

target:
	VMOVUPD (DX), Y1
	VFMADD231PD Y0, Y5, Y1
	VMOVUPD Y1, (DX)
	ADDQ $32, DI
	ADDQ $32, R10
	SUBQ $4, AX
	JGT  columns
	JMP  new

few:
	SHLQ $3, AX
	LEAQ ·mask+64(SB), BX
	SUBQ AX, BX
	VMOVDQU (BX), Y3
	VMASKMOVPD (R10), Y3, Y0
	XORQ AX, AX
	JMP  have

	// Rows of four entries, those of boosting.
onlyFour:
	VMULPD (SI), Y6, Y0
	VBROADCASTSD (SI), Y1
	VBROADCASTSD 8(SI), Y2
	VBROADCASTSD 16(SI), Y3
	VBROADCASTSD 24(SI), Y8
	VMOVUPD 128(DI), Y9
	VFMADD213PD (DI), Y0, Y1
	VFMADD213PD 32(DI), Y0, Y2
	VFMADD213PD 64(DI), Y0, Y3
	VFMADD213PD 96(DI), Y0, Y8
	VFMADD231PD Y0, Y5, Y9
	VMOVUPD Y1, (DI)
	VMOVUPD Y2, 32(DI)
	VMOVUPD Y3, 64(DI)
	VMOVUPD Y8, 96(DI)
	VMOVUPD Y9, 128(DI)
	JMP  new

next:
	ADDQ $4, R11
	CMPQ R11, end-16(SP)
	JLT  row

done:
	VZEROUPPER
	RET

// func AddBlock(dst *float64, ldd int, src *float64, rows, ld int, sign float64)
TEXT ·AddBlock(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ ldd+8(FP), R8
	MOVQ src+16(FP), SI
	MOVQ rows+24(FP), DX
	MOVQ ld+32(FP), CX
	VBROADCASTSD sign+40(FP), Y2

rows:
	XORQ AX, AX

entries:
	VMOVUPD (DI)(AX*8), Y0
	VFMADD231PD (SI)(AX*8), Y2, Y0
	VMOVUPD Y0, (DI)(AX*8)
	NEXT(entries)
	LEAQ (DI)(R8*8), DI
	LEAQ (SI)(CX*8), SI
	DECQ DX
	JNE  rows
	VZEROUPPER
	RET
