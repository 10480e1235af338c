// Package interval has arithmetic with intervals of numbers. Results are rounded outwards, so
// that each holds all exact values; they are not rounded where they are exact.
package interval
