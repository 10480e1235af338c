package cluster

import (
	"sync"
	"testing"
	"time"
)

// TestOpenTogether: workers that come to a new broker at once all open its streams. The race detector watches
// the server as well.
func TestOpenTogether(t *testing.T) {
	for range 3 {
		s, err := Serve(Broker{Listen: "127.0.0.1:0", Store: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				client := Client{URL: s.URL(), Wait: 10 * time.Second}
				nc, err := client.connect(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				defer nc.Close()
				if _, err := openStore(t.Context(), nc, time.Second); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		s.Close()
	}
}
