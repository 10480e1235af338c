// Package pagetest checks pages in tests.
package pagetest
