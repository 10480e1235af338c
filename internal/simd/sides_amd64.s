//go:build amd64 && !purego

#include "textflag.h"
#include "frames.h"

// func Weights(wt, s, z *float64, δ float64, n int)
TEXT ·Weights(SB), NOSPLIT, $0-40
	MOVQ wt+0(FP), DI
	MOVQ s+8(FP), SI
	MOVQ z+16(FP), DX
	VBROADCASTSD δ+24(FP), Y15
	MOVQ n+32(FP), CX
	XORQ AX, AX

weights:
	VMOVUPD (DX)(AX*8), Y0
	VMULPD Y0, Y15, Y1
	VADDPD (SI)(AX*8), Y1, Y1
	VDIVPD Y1, Y0, Y0
	VMOVUPD Y0, (DI)(AX*8)
	NEXT(weights)
	VZEROUPPER
	RET

// func Targets(b, t, rp, rc, z, wt, sgn *float64, n int)
TEXT ·Targets(SB), NOSPLIT, $0-64
	MOVQ b+0(FP), DI
	MOVQ t+8(FP), SI
	MOVQ rp+16(FP), R8
	MOVQ rc+24(FP), R9
	MOVQ z+32(FP), R10
	MOVQ wt+40(FP), R11
	MOVQ sgn+48(FP), R12
	MOVQ n+56(FP), CX
	XORQ AX, AX

right:
	VMOVUPD (R9)(AX*8), Y0
	VDIVPD (R10)(AX*8), Y0, Y0
	VMOVUPD (R8)(AX*8), Y1
	VSUBPD Y0, Y1, Y1
	VMOVUPD (R12)(AX*8), Y2
	VMULPD (R11)(AX*8), Y2, Y2
	VMULPD Y1, Y2, Y2
	VMOVUPD Y1, (DI)(AX*8)
	VMOVUPD Y2, (SI)(AX*8)
	NEXT(right)
	VZEROUPPER
	RET

// func Slacks(ds, s, z, rp, rc, dz *float64, δ float64, n int)
TEXT ·Slacks(SB), NOSPLIT, $0-64
	MOVQ ds+0(FP), DI
	MOVQ s+8(FP), SI
	MOVQ z+16(FP), DX
	MOVQ rp+24(FP), R8
	MOVQ rc+32(FP), R9
	MOVQ dz+40(FP), R10
	VBROADCASTSD δ+48(FP), Y15
	MOVQ n+56(FP), CX
	XORQ AX, AX

slacks:
	VMOVUPD (SI)(AX*8), Y0
	VMOVUPD (DX)(AX*8), Y1
	VMOVUPD (R10)(AX*8), Y2
	VMULPD Y0, Y2, Y3
	VMOVUPD (R9)(AX*8), Y4
	VSUBPD Y3, Y4, Y4
	VDIVPD Y1, Y4, Y4
	VMULPD Y15, Y2, Y5
	VADDPD (R8)(AX*8), Y5, Y5
	VSUBPD (DI)(AX*8), Y5, Y5
	VSUBPD Y1, Y0, Y6
	VBLENDVPD Y6, Y4, Y5, Y7
	VMOVUPD Y7, (DI)(AX*8)
	NEXT(slacks)
	VZEROUPPER
	RET

// func Centre(rc, s, z, ds, dz *float64, σμ float64, n int)
TEXT ·Centre(SB), NOSPLIT, $0-56
	MOVQ rc+0(FP), DI
	MOVQ s+8(FP), SI
	MOVQ z+16(FP), DX
	MOVQ ds+24(FP), R8
	MOVQ dz+32(FP), R9
	VBROADCASTSD σμ+40(FP), Y15
	MOVQ n+48(FP), CX
	XORQ AX, AX

centre:
	VMOVUPD (SI)(AX*8), Y0
	VMULPD (DX)(AX*8), Y0, Y0
	VSUBPD Y0, Y15, Y0
	VMOVUPD (R8)(AX*8), Y1
	VMULPD (R9)(AX*8), Y1, Y1
	VSUBPD Y1, Y0, Y0
	VMOVUPD Y0, (DI)(AX*8)
	NEXT(centre)
	VZEROUPPER
	RET

// func Advance(v, d *float64, α float64, n int)
TEXT ·Advance(SB), NOSPLIT, $0-32
	MOVQ v+0(FP), DI
	MOVQ d+8(FP), SI
	VBROADCASTSD α+16(FP), Y15
	MOVQ n+24(FP), CX
	XORQ AX, AX

advance:
	VMULPD (SI)(AX*8), Y15, Y0
	VADDPD (DI)(AX*8), Y0, Y0
	VMOVUPD Y0, (DI)(AX*8)
	NEXT(advance)
	VZEROUPPER
	RET

// 1 − 2⁻⁵⁰
DATA nearly<>+0(SB)/8, $0x3feffffffffffff8
GLOBL nearly<>(SB), RODATA|NOPTR, $8

// REACH sets mask where d is at most X7 times v: there the quotient may be the least one.
#define REACH(at, mask) \
	VMULPD at(SI)(AX*8), Y7, mask \
	VCMPPD $13, at(DI)(AX*8), mask, mask

// QUOTIENTS lowers Y8 to the quotients. One that is not a number does not count.
#define QUOTIENTS(at) \
	VMOVUPD at(DI)(AX*8), Y0 \
	VDIVPD at(SI)(AX*8), Y0, Y0 \
	VMINPD Y8, Y0, Y8

// func LeastRatio(d, v *float64, n int) float64
TEXT ·LeastRatio(SB), NOSPLIT, $0-32
	MOVQ d+0(FP), DI
	MOVQ v+8(FP), SI
	MOVQ n+16(FP), CX
	XORQ AX, AX
	VXORPD Y8, Y8, Y8
	VXORPD Y7, Y7, Y7 // the least of Y8 but for rounding
	VBROADCASTSD nearly<>(SB), Y6
	SUBQ $16, CX
	JLT  few

sixteen:
	REACH(0, Y1)
	REACH(32, Y2)
	REACH(64, Y3)
	REACH(96, Y4)
	VORPD Y1, Y2, Y2
	VORPD Y3, Y4, Y4
	VORPD Y2, Y4, Y4
	VTESTPD Y4, Y4
	JEQ  next
	QUOTIENTS(0)
	QUOTIENTS(32)
	QUOTIENTS(64)
	QUOTIENTS(96)
	VMOVAPD Y8, Y2
	MOST(VMINPD, VMINSD, Y2, X2)
	VBROADCASTSD X2, Y2
	VMULPD Y6, Y2, Y7

next:
	ADDQ $16, AX
	CMPQ AX, CX
	JLE  sixteen

few:
	ADDQ $16, CX
	CMPQ AX, CX
	JGE  have

four:
	QUOTIENTS(0)
	NEXT(four)

have:
	MOST(VMINPD, VMINSD, Y8, X8)
	VMOVSD X8, ret+24(FP)
	VZEROUPPER
	RET

// func Products(s, z, ds, dz *float64, αp, αd float64, n int) float64
TEXT ·Products(SB), NOSPLIT, $0-64
	MOVQ s+0(FP), SI
	MOVQ z+8(FP), DX
	MOVQ ds+16(FP), R8
	MOVQ dz+24(FP), R9
	VBROADCASTSD αp+32(FP), Y14
	VBROADCASTSD αd+40(FP), Y15
	MOVQ n+48(FP), CX
	XORQ AX, AX
	VXORPD Y8, Y8, Y8

products:
	VMULPD (R8)(AX*8), Y14, Y0
	VADDPD (SI)(AX*8), Y0, Y0
	VMULPD (R9)(AX*8), Y15, Y1
	VADDPD (DX)(AX*8), Y1, Y1
	VMULPD Y0, Y1, Y0
	VADDPD Y0, Y8, Y8
	NEXT(products)
	SUM(Y8, X8, X0)
	VMOVSD X8, ret+56(FP)
	VZEROUPPER
	RET

// func NormInf(v *float64, n int) (top float64, number bool)
TEXT ·NormInf(SB), NOSPLIT, $0-25
	MOVQ v+0(FP), SI
	MOVQ n+8(FP), CX
	XORQ AX, AX
	VXORPD Y8, Y8, Y8
	VXORPD Y9, Y9, Y9
	VPCMPEQQ Y15, Y15, Y15
	VPSRLQ $1, Y15, Y15 // all bits but the sign

norm:
	VANDPD (SI)(AX*8), Y15, Y0
	VMAXPD Y8, Y0, Y8
	VCMPPD $3, Y0, Y0, Y1
	VORPD Y1, Y9, Y9
	NEXT(norm)
	MOST(VMAXPD, VMAXSD, Y8, X8)
	VMOVSD X8, top+16(FP)
	VMOVMSKPD Y9, AX
	TESTQ AX, AX
	SETEQ number+24(FP)
	VZEROUPPER
	RET
