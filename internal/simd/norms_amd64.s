//go:build amd64 && !purego

#include "textflag.h"
#include "frames.h"

// func Balance(f, v *float64, least, most float64, n int) (done int, change float64)
TEXT ·Balance(SB), NOSPLIT, $0-56
	MOVQ f+0(FP), DI
	MOVQ v+8(FP), SI
	VBROADCASTSD least+16(FP), Y12
	VBROADCASTSD most+24(FP), Y13
	MOVQ n+32(FP), CX
	XORQ AX, AX
	VXORPD Y8, Y8, Y8
	VPCMPEQQ Y15, Y15, Y15
	VPSRLQ $54, Y15, Y14
	VPSLLQ $52, Y14, Y14 // one
	VPSRLQ $1, Y15, Y15 // all bits but the sign

balance:
	VSQRTPD (SI)(AX*8), Y0
	VDIVPD Y0, Y14, Y0
	VMULPD (DI)(AX*8), Y0, Y1
	VCMPPD $0x1e, Y12, Y1, Y2 // above least
	VCMPPD $0x11, Y13, Y1, Y3 // below most
	VANDPD Y3, Y2, Y2
	VMOVMSKPD Y2, DX
	CMPL DX, $15
	JNE  unbalanced
	VMOVUPD Y1, (DI)(AX*8)
	VSUBPD Y14, Y0, Y0
	VANDPD Y15, Y0, Y0
	VMAXPD Y8, Y0, Y8
	NEXT(balance)

unbalanced:
	MOST(VMAXPD, VMAXSD, Y8, X8)
	MOVQ AX, done+40(FP)
	VMOVSD X8, change+48(FP)
	VZEROUPPER
	RET
