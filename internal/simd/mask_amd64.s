//go:build amd64 && !purego

#include "textflag.h"

// The first r of eight lanes are on from mask + 8·(8−r) on, and the first r of
// four from mask + 8·(8−r) on too.
DATA ·mask+0(SB)/8, $-1
DATA ·mask+8(SB)/8, $-1
DATA ·mask+16(SB)/8, $-1
DATA ·mask+24(SB)/8, $-1
DATA ·mask+32(SB)/8, $-1
DATA ·mask+40(SB)/8, $-1
DATA ·mask+48(SB)/8, $-1
DATA ·mask+56(SB)/8, $-1
DATA ·mask+64(SB)/8, $0
DATA ·mask+72(SB)/8, $0
DATA ·mask+80(SB)/8, $0
DATA ·mask+88(SB)/8, $0
DATA ·mask+96(SB)/8, $0
DATA ·mask+104(SB)/8, $0
DATA ·mask+112(SB)/8, $0
DATA ·mask+120(SB)/8, $0
GLOBL ·mask(SB), RODATA|NOPTR, $128
