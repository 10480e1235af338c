// Package verify checks answers of dcopt by itself: it reads a problem file by its syntax
// tree with an evaluator of its own, and shares no code with packages dc, ccp and
// qpbackend but the readers of files.
//
// Check tests all claims of a result together and gives each a verdict: accepted (shown),
// refused (false) or incomplete (neither). A point is checked by interval arithmetic with many
// bits, multipliers by a convex minorant of the Lagrangian, a ray by the slopes along it. A
// proof is checked by replaying its tree: interval arithmetic narrows the box of each leaf,
// and its multipliers give a lower bound of a Lagrangian, rounded down. Numbers of a result or
// a proof are never believed: whatever they are, the bound that they give holds.
//
// References: Neumaier and Shcherbina 2004, Safe bounds in linear and mixed-integer linear
// programming; Jansson 2004, Rigorous lower and upper bounds in linear programming;
// Tucker 2011, Validated Numerics; McCormick 1976, Computability of global solutions to
// factorable nonconvex programs; Rump 2006, Verification of positive definiteness.
package verify
