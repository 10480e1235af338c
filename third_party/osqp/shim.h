//go:build osqp

// What Go calls. Pointers are flat, so that Go slices can be passed as they are.

#ifndef DCOPT_OSQP_SHIM_H
#define DCOPT_OSQP_SHIM_H

#include <stdint.h>
#include <osqp.h>

#if defined(OSQP_ENABLE_INTERRUPT) && !defined(DCOPT_OSQP_HOOKS)
#error "this OSQP library installs a SIGINT handler; use the one that 'make osqp' builds, or configure it with OSQP_ENABLE_INTERRUPT=OFF"
#endif
#if defined(OSQP_ENABLE_PRINTING)
#error "this OSQP library prints; use the one that 'make osqp' builds, or configure it with OSQP_ENABLE_PRINTING=OFF"
#endif
#if defined(OSQP_USE_FLOAT)
#error "this OSQP library is in single precision; use the one that 'make osqp' builds"
#endif

// dcopt_control steers one solver from outside of its thread.
typedef struct {
	int32_t stop;  // set atomically by Go: end after this iteration
	int64_t limit; // end after so many iterations of one solve; 0: no limit
	int64_t iter;  // iterations of the present or last solve
} dcopt_control;

// dcopt_interruptible is 1 where the library asks the hooks.
int dcopt_interruptible(void);

OSQPInt dcopt_setup(OSQPSolver **solver, OSQPInt n, OSQPInt m,
	const OSQPInt *pp, const OSQPInt *pi, const OSQPFloat *px,
	const OSQPFloat *q,
	const OSQPInt *ap, const OSQPInt *ai, const OSQPFloat *ax,
	const OSQPFloat *l, const OSQPFloat *u, const OSQPSettings *set);

// dcopt_solve is osqp_solve under control c. It stores the iterate also where
// osqp_solve leaves early, and returns its exit flag.
OSQPInt dcopt_solve(OSQPSolver *solver, dcopt_control *c);

#endif
