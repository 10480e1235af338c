// Frames: what several kernels do alike.

// LANES sets m to the mask of the first r of four lanes. It spoils r and R11.
#define LANES(r, m) \
	SHLQ $3, r \
	LEAQ ·mask+64(SB), R11 \
	SUBQ r, R11 \
	VMOVDQU (R11), m

// ZERO8 clears Y0 to Y7.
#define ZERO8 \
	VXORPD Y0, Y0, Y0 \
	VXORPD Y1, Y1, Y1 \
	VXORPD Y2, Y2, Y2 \
	VXORPD Y3, Y3, Y3 \
	VXORPD Y4, Y4, Y4 \
	VXORPD Y5, Y5, Y5 \
	VXORPD Y6, Y6, Y6 \
	VXORPD Y7, Y7, Y7

// PRODUCTS adds to Y0 to Y7 the products of each of Y10 to Y13 with Y8 and Y9.
#define PRODUCTS \
	VFMADD231PD Y8, Y10, Y0 \
	VFMADD231PD Y9, Y10, Y1 \
	VFMADD231PD Y8, Y11, Y2 \
	VFMADD231PD Y9, Y11, Y3 \
	VFMADD231PD Y8, Y12, Y4 \
	VFMADD231PD Y9, Y12, Y5 \
	VFMADD231PD Y8, Y13, Y6 \
	VFMADD231PD Y9, Y13, Y7

// PAIR sets the low half xa of a to the sums of the lanes of a and of b, whose low
// half is xb.
#define PAIR(a, b, xa, xb) \
	VHADDPD b, a, a \
	VEXTRACTF128 $1, a, xb \
	VADDPD xb, xa, xa

// SUM sets the low half xa of a to the sum of its lanes, (0 + 2) + (1 + 3). It
// spoils xb.
#define SUM(a, xa, xb) \
	VEXTRACTF128 $1, a, xb \
	VADDPD xb, xa, xa \
	VHADDPD xa, xa, xa

// MOST sets the low half xa of a to the largest of its lanes by VMAXPD and VMAXSD, to
// the least by VMINPD and VMINSD. It spoils X0.
#define MOST(four, one, a, xa) \
	VEXTRACTF128 $1, a, X0 \
	four X0, xa, xa \
	VPERMILPD $1, xa, X0 \
	one X0, xa, xa

// NEXT goes on at loop with the next four entries, AX, while there are any below CX.
#define NEXT(loop) \
	ADDQ $4, AX \
	CMPQ AX, CX \
	JLT  loop

// ZEROED clears three registers.
#define ZEROED(a, b, c) \
	VPXORQ a, a, a \
	VPXORQ b, b, b \
	VPXORQ c, c, c

// READ8 sets a to four entries of a row and of the fourth one after it.
#define READ8(row, fourth, za, ya) \
	VMOVUPD row, ya \
	VINSERTF64X4 $1, fourth, za, za

// TRANSPOSE8 turns a to d, each with four entries of two rows of eight, into four columns of eight entries, and these into a to d.
#define TRANSPOSE8(a, b, c, d) \
	VUNPCKLPD b, a, Z8 \
	VUNPCKHPD b, a, Z9 \
	VUNPCKLPD d, c, Z10 \
	VUNPCKHPD d, c, Z11 \
	VMOVAPD Z8, a \
	VMOVAPD Z9, b \
	VMOVAPD Z8, c \
	VMOVAPD Z9, d \
	VPERMT2PD Z10, Z30, a \
	VPERMT2PD Z11, Z30, b \
	VPERMT2PD Z10, Z31, c \
	VPERMT2PD Z11, Z31, d

// MULTIPLES sets r1, r3, r5 and r7 to one, three, five and seven times a distance, in bytes.
#define MULTIPLES(distance, r1, r3, r5, r7) \
	MOVQ distance, r1 \
	SHLQ $3, r1 \
	LEAQ (r1)(r1*2), r3 \
	LEAQ (r1)(r1*4), r5 \
	LEAQ (r3)(r1*4), r7
