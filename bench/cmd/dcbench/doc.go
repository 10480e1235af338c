// Command dcbench compares this module's solvers with others.
//
//	dcbench qp --dir DIR --peers piqp,clarabel,osqp
//	dcbench qp --classes all --sizes small,medium --sequence --lder
//	dcbench dc --peers dccp,clarabel
//	dcbench regression --data DIR
//	dcbench scale --dcopt old=FILE,new=FILE
//	dcbench report DIR
//
// docs/lab/bench.md says what is measured, and how.
package main
