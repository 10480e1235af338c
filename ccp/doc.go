// Package ccp solves difference-of-convex programs by the convex-concave
// procedure: at the current point every h is replaced by its tangent, the
// convex problem that remains is solved, and its solution is the next point.
//
// Solve runs it from one point, Multistart from several. Each true DC
// constraint has a slack s ≥ 0 with weight τ in the objective, as Lipp and Boyd
// have it; convex constraints are kept as they are, and the h of the objective
// is linearised in place. The tangent of h lies below h, so each convex problem
// majorises the penalised one and its value never rises while τ stays.
//
// The convex problem is assembled once. Its pattern is frozen; an iteration
// overwrites the objective's linear part, some values of A and P and some bounds,
// and the backend updates its factorisation. A Session keeps all this while the
// parameters of a problem change; package sensitivity has the derivatives of a
// solution by them.
//
// Around this local search, by Settings.Heuristics: Acceleration goes further along a step,
// Search leaves poor points at which the procedure has converged, Proximal bounds a
// step. docs/lab/ccp.md has the gain by each. Package global proves the optimum where
// variables have bounds, or every h is a sum of maxima of few affine functions.
//
// How the parts compose, with the file or the package of each:
//
//	Multistart                      multistart.go, starts.go (start 1 of a large sum: saa)
//	  run: begin, search, finish    begin.go, ccp.go, finish.go
//	    descend, Algorithm 3.1      ccp.go
//	      1. convexify              subproblem, with blocks
//	      2. solve                  iterate.go; accel; recover.go if the backend fails
//	           scaling, fixed,      reductions before the backend (qpbackend/reduce)
//	           workingset
//	      3. update τ               decide.go, penalty
//	      4. stop                   decide.go: facts, then stop.Decide
//	    newton, around descend      newton.go, sl1qp
//	    searches from its end       improve.go, search
//	    conditions at the end       conditions.go, kkt; proofs: diagnose, implied
//	Session, derivatives            session.go, derivative.go, sensitivity
//
// A Result always holds the best point met, with an honest Status. Deadlines and cancellation come
// by the context.
//
// References:
//
// Aragón Artacho, Fleming and Vuong 2018, Accelerating the DC algorithm for smooth functions.
// Aragón Artacho and Vuong 2020, The boosted difference of convex functions algorithm for nonsmooth
// functions. Aragón Artacho, Campoy and Vuong 2020, Using positive spanning sets to achieve
// d-stationarity with the boosted DC algorithm. Balas 1979, Disjunctive programming. Byrd, Nocedal
// and Waltz 2008, Steering exact penalty methods for nonlinear programming. Chinneck and Dravnieks
// 1991, Locating minimal infeasible constraint sets in linear programs. Falk and Soland 1969, An
// algorithm for separable nonconvex programming problems. Fletcher 1987, Practical methods of
// optimization. Ferreira, Santos and Souza 2024, A boosted DC algorithm for non-differentiable DC
// components with non-monotone line search. Grosso, Jamali, Locatelli and Schoen 2010, Solving the
// problem of packing equal and unequal circles in a circular container. Horst and Thoai 1999, DC
// programming: overview. Joki, Bagirov, Karmitsa and Mäkelä 2017, A proximal bundle method for
// nonsmooth DC optimization utilizing nonconvex cutting planes; with Taheri 2018, Double bundle
// method for finding Clarke stationary points in nonsmooth DC programming. Leary 2000, Global
// optimization on funneling landscapes. Lipp and Boyd 2016, Variations and extension of the
// convex-concave procedure. Lourenço, Martin and Stützle 2003, Iterated local search. Nocedal and
// Wright 2006, Numerical optimization. Oliveira and Valle 2023, Least-squares linear
// dilation-erosion regressor trained using a convex-concave procedure. Shen, Diamond, Gu and Boyd
// 2016, Disciplined convex-concave programming. Sun, Sampaio and Candido 2003, Proximal point
// algorithm for minimization of DC function. Yuille and Rangarajan 2003, The concave-convex
// procedure.
package ccp
