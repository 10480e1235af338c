// Package srbench measures regressors by the protocol of SRBench's black-box track
// (La Cava and others 2021, Contemporary symbolic regression methods and their
// relative performance): ten trials on each table of PMLB, the median R² of a
// trial's test rows, and the rank of that median among the published ones of other
// methods.
package srbench
