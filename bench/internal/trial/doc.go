// Package trial trains regressors on some rows of a data set and predicts others: the part that
// the comparative study and SRBench's protocol share.
package trial
