package cluster

import (
	"errors"
	"sync"
	"testing"
	"time"
)

// TestOpenTogether: workers that come to a new broker at once all open its streams. The race
// detector watches the server as well.
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

// TestObjectsAreBounded: an object that is larger than any plan or result is an error at once.
func TestObjectsAreBounded(t *testing.T) {
	s, err := Serve(Broker{Listen: "127.0.0.1:0", Store: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	client := Client{URL: s.URL(), Wait: 10 * time.Second}
	nc, err := client.connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	store, err := openStore(t.Context(), nc, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.large.PutBytes(t.Context(), "a", make([]byte, 300<<10)); err != nil {
		t.Fatal(err)
	}
	if b, err := object(t.Context(), store.large, "a", 300<<10); err != nil || len(b) != 300<<10 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	var large *tooLargeError
	if _, err := object(t.Context(), store.large, "a", 300<<10-1); !errors.As(err, &large) || !final(err) {
		t.Error(err)
	}
}
