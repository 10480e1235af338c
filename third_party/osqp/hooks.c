//go:build osqp

#include "shim.h"
#include <stddef.h>

#ifdef DCOPT_OSQP_HOOKS

// The control of the solve that runs on this thread. A solve is one call from
// Go and so stays on its thread.
static _Thread_local dcopt_control *control;

// The three functions that OSQP asks for when it is built with
// OSQP_ENABLE_INTERRUPT and without its own signal handler.
void osqp_start_interrupt_listener(void);
void osqp_end_interrupt_listener(void);
int osqp_is_interrupted(void);

void osqp_start_interrupt_listener(void) {}

void osqp_end_interrupt_listener(void) {}

int osqp_is_interrupted(void) {
	dcopt_control *c = control;
	if (c == NULL)
		return 0;
	c->iter++;
	if (c->limit > 0 && c->iter >= c->limit)
		return 1;
	return __atomic_load_n(&c->stop, __ATOMIC_RELAXED) != 0;
}

int dcopt_interruptible(void) { return 1; }

#else

int dcopt_interruptible(void) { return 0; }

#endif

OSQPInt dcopt_setup(OSQPSolver **solver, OSQPInt n, OSQPInt m,
	const OSQPInt *pp, const OSQPInt *pi, const OSQPFloat *px,
	const OSQPFloat *q,
	const OSQPInt *ap, const OSQPInt *ai, const OSQPFloat *ax,
	const OSQPFloat *l, const OSQPFloat *u, const OSQPSettings *set) {
	OSQPCscMatrix p, a;
	OSQPCscMatrix_set_data(&p, n, n, pp[n], (OSQPFloat *)px, (OSQPInt *)pi, (OSQPInt *)pp);
	OSQPCscMatrix_set_data(&a, m, n, ap[n], (OSQPFloat *)ax, (OSQPInt *)ai, (OSQPInt *)ap);
	*solver = NULL;
	OSQPInt flag = osqp_setup(solver, &p, q, &a, l, u, m, n, set);
	if (flag != 0) {
		osqp_cleanup(*solver); // a failed setup leaves its pieces behind
		*solver = NULL;
	}
	return flag;
}

OSQPInt dcopt_solve(OSQPSolver *solver, dcopt_control *c) {
	c->iter = 0;
	// osqp_solve leaves the status of the last solve standing where it runs out
	// of iterations. An update of nothing resets it.
	osqp_update_data_vec(solver, NULL, NULL, NULL);
#ifdef DCOPT_OSQP_HOOKS
	control = c;
#endif
	OSQPInt flag = osqp_solve(solver);
#ifdef DCOPT_OSQP_HOOKS
	control = NULL;
#else
	c->iter = solver->info->iter;
#endif
	// An interrupt and a failed polish jump over the storing of the solution.
	if (flag != 0)
		osqp_get_solution(solver, solver->solution);
	return flag;
}
