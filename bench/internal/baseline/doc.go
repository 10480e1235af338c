// Package baseline has the regressors that the comparative study sets beside
// l-DER.
package baseline
