// Package accel speeds up a descent by convex steps: a line search along the step
// (boosted DCA) and a combination of the last solutions (Anderson's method). Each is a
// Device, a function of points and of a merit in a file of its own; none decides when to
// stop.
//
// References: Aragón Artacho, Fleming and Vuong 2018, Accelerating the DC algorithm
// for smooth functions; Aragón Artacho and Vuong 2020, The boosted difference of
// convex functions algorithm for nonsmooth functions; Ferreira, Santos and Souza
// 2024, A boosted DC algorithm for non-differentiable DC components with
// non-monotone line search; Anderson 1965, Iterative procedures for nonlinear integral
// equations; Walker and Ni 2011, Anderson acceleration for fixed-point iterations.
package accel
