// Package accel speeds up a descent by convex steps: a line search along the step (boosted DCA), a
// function of points and of a merit. It does not decide when to stop.
//
// References: Aragón Artacho, Fleming and Vuong 2018, Accelerating the DC algorithm for smooth
// functions; Aragón Artacho and Vuong 2020, The boosted difference of convex functions algorithm
// for nonsmooth functions; Ferreira, Santos and Souza 2024, A boosted DC algorithm for
// non-differentiable DC components with non-monotone line search.
package accel
