// Package garbage says how often garbage is collected.
package garbage
