// Command playground builds the playground: go run ./cmd/playground ROOT OUT, in the folder
// site, with the repository's folder and the one to build in.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/dcopt/dcopt/tools/site/playground"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: playground ROOT OUT")
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := playground.Build(ctx, os.Args[1], os.Args[2])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "playground:", err)
		os.Exit(1)
	}
}
