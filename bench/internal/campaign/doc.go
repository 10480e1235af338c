// Package campaign measures solvers on problems: it writes each problem, has
// every solver solve it in a process of its own, measures the answer by
// qpbackend.Certify, and adds a row to the table. Measurements that the table has are
// not measured again.
package campaign
