// Package base has the part of a solver that is the same in all backends: the problem as
// stated, the warm start until the next Solve, and the refusal of calls after Close.
package base
