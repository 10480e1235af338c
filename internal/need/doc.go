// Package need skips tests on a machine, or in a build or run, that lacks a thing which they
// need. A skip, of a test or of a part of it, is said in one form of words,
//
//	SKIPPED: needs THING: WHY
//
// .ci/tests.awk counts skips by it, and .ci/summary.sh knows by it which of them are
// allowed. No other package calls the methods of package testing that skip.
package need
