package clock

import (
	"syscall"
	"time"
)

// Clock tells the seconds since some moment.
type Clock func() float64

// Wall is the wall clock, from now on.
func Wall() Clock {
	start := time.Now()
	return func() float64 { return time.Since(start).Seconds() }
}

// CPU is the time that all threads of this process have used, in seconds; 0 where the
// system does not tell it.
func CPU() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
