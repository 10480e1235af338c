// Package dcreport makes tables and pictures of dcrun's rows.
package dcreport
