package main

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/dcopt/dcopt/bench/internal/csvtable"
)

// bar shows a progress bar on the terminal w.
func bar(w io.Writer) (tell csvtable.Tell, end func()) {
	var b *progressbar.ProgressBar
	tell = func(done, all int, instance, contender string) {
		if b == nil {
			b = progressbar.NewOptions(all, progressbar.OptionSetWriter(w), progressbar.OptionShowCount(),
				progressbar.OptionSetWidth(24),
				progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(),
				progressbar.OptionSetPredictTime(true))
		}
		// A terminal that is gone is no reason to stop measuring.
		b.Describe(fmt.Sprintf("%-28.28s", instance+" "+contender))
		_ = b.Set(done)
	}
	return tell, func() {
		if b != nil {
			_ = b.Clear()
		}
	}
}
