// Package judge checks answers of the solver without sharing a line with it: it
// has expressions of its own, which it prints as .dc text, and evaluates them
// in 200-bit arithmetic at the float64 numbers of an answer.
//
// A Problem is built by a generator from a seed: random DC problems in boxes of
// many scales, coefficients over twelve decades, linear programs with one huge
// bound, data with outliers, equations, and problems whose outcome is known by
// construction (a planted feasible point, a planted optimum, infeasible,
// unbounded). Problem.Judge compares an Answer with what is true and says what
// is wrong with it as a list of Findings.
//
// Beside its own package exact it imports nothing of this module. Its tests run the generated
// problems through dc/lang and ccp and through the built program; docs/lab/bench.md
// has the commands.
//
// References: Higham 2002, Accuracy and Stability of Numerical Algorithms,
// section 3.1, for running error bounds; Brent and Zimmermann 2010, Modern
// Computer Arithmetic, chapter 4, for exp and log by argument reduction.
package judge
