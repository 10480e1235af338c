// Package shared finds the data that tests share: in the folder that DCOPT_SHARED
// names, else in "shared" beside the repository. Both are missing in a clone; then the
// part of them in testdata serves, and tests that need the rest are skipped.
package shared
