// Package verify checks answers of dcopt by itself: it reads a problem file by its syntax
// tree with an evaluator of its own, and shares no code with packages dc, ccp and
// qpbackend but the readers of files.
//
// A point is checked by interval arithmetic with many bits: the objective lies in an
// interval, and the violation is at most a number. A proof is checked by replaying its
// tree: interval arithmetic narrows the box of each leaf, and its multipliers give a lower
// bound of a Lagrangian, rounded down. Multipliers and hints of a proof are never
// believed: whatever they are, the bound that they give holds.
//
// References: Neumaier and Shcherbina 2004, Safe bounds in linear and mixed-integer linear
// programming; Jansson 2004, Rigorous lower and upper bounds in linear programming;
// Tucker 2011, Validated Numerics; McCormick 1976, Computability of global solutions to
// factorable nonconvex programs.
package verify
