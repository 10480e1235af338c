// Command dcopt solves difference-of-convex problems, and convex quadratic
// ones, from files; it also fits, applies and measures l-DER regressors.
//
//	dcopt solve problem.dc
//	dcopt check problem.dc
//	dcopt fit data.csv --target y -o model.json
//
// docs/cli.md describes the commands, their flags and the exit codes, docs/json.md the results
// as JSON.
package main
