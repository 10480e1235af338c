// Package shared finds the data that tests share and that are not in the repository: in
// the folder that DCOPT_SHARED names, else in "shared" beside the repository.
package shared
