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
