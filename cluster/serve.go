package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Broker says how a broker runs.
type Broker struct {
	Listen      string   // HOST:PORT; port 0: a free one
	Store       string   // folder of the queue and the results
	Credentials []string // USER:PASSWORD, of which clients need one; empty: they need none
	Cert, Key   string   // files of the certificate and its key; "": no TLS
	MostStore   int64    // bytes that the store may take; 0: as the disk has
}

// start is how long a broker may take to answer, with a large store on a slow disk.
const startTime = 60 * time.Second

// Server is a broker that runs.
type Server struct{ s *server.Server }

// Serve starts a broker. Where it listens to other machines it wants TLS and credentials.
func Serve(b Broker) (*Server, error) {
	host, port, err := net.SplitHostPort(b.Listen)
	if err != nil {
		return nil, fmt.Errorf("%q is no place to listen: want HOST:PORT: %w", b.Listen, err)
	}
	number, err := strconv.Atoi(port)
	if err != nil || number < 0 || number > 65535 {
		return nil, fmt.Errorf("%q is no port", port)
	}
	if !isLocal(host) && (b.Cert == "" || b.Key == "" || len(b.Credentials) == 0) {
		return nil,
			fmt.Errorf("a broker that others reach at %s needs TLS and credentials: give a certificate, its key and "+
				"a file of credentials, or listen at 127.0.0.1", b.Listen)
	}
	if (b.Cert == "") != (b.Key == "") {
		return nil, errors.New("a certificate goes with its key")
	}
	if number == 0 {
		number = server.RANDOM_PORT
	}
	opts := &server.Options{
		ServerName: "dcopt", Host: host, Port: number, JetStream: true, StoreDir: b.Store,
		JetStreamMaxStore: b.MostStore,
		MaxPayload:        mostMessage + 4096, NoSigs: true, NoLog: true, DisableJetStreamBanner: true,
	}
	if b.MostStore > 0 {
		opts.JetStreamMaxMemory = mostMessage // of 0 the server chooses both limits itself; nothing is kept in memory
	}
	for _, c := range b.Credentials {
		user, password, ok := strings.Cut(c, ":")
		if !ok {
			return nil, errors.New("credentials are USER:PASSWORD")
		}
		opts.Users = append(opts.Users, &server.User{Username: user, Password: password})
	}
	if b.Cert != "" {
		pair, err := tls.LoadX509KeyPair(b.Cert, b.Key)
		if err != nil {
			return nil, fmt.Errorf("the certificate %s: %w", b.Cert, err)
		}
		opts.TLS, opts.TLSTimeout = true, 5
		opts.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	s, err := server.NewServer(opts)
	if err != nil {
		return nil, fmt.Errorf("the broker does not start: %w", err)
	}
	log := &fatal{said: make(chan string, 1)}
	s.SetLogger(log, false, false)
	s.Start()
	ready := make(chan bool, 1)
	go func() { ready <- s.ReadyForConnections(startTime) }()
	select {
	case why := <-log.said:
		s.Shutdown()
		return nil, fmt.Errorf("the broker does not start at %s: %s", b.Listen, why)
	case ok := <-ready:
		if !ok {
			s.Shutdown()
			return nil, fmt.Errorf("the broker at %s does not answer within %v", b.Listen, startTime)
		}
	}
	return &Server{s}, nil
}

// URL is where clients connect.
func (s *Server) URL() string { return s.s.ClientURL() }

// Watch waits until ctx ends, or until the broker stores no more because its disk is full: that is
// the error.
func (s *Server) Watch(ctx context.Context) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if !s.s.JetStreamEnabled() {
				return errFull
			}
		}
	}
}

// Wait waits until the broker has ended.
func (s *Server) Wait() { s.s.WaitForShutdown() }

// Close ends the broker and waits for it.
func (s *Server) Close() {
	s.s.Shutdown()
	s.s.WaitForShutdown()
}

// fatal keeps why a broker does not start.
type fatal struct{ said chan string }

func (f *fatal) Fatalf(format string, v ...any) {
	select {
	case f.said <- fmt.Sprintf(format, v...):
	default:
	}
}
func (f *fatal) Noticef(string, ...any) {}
func (f *fatal) Warnf(string, ...any)   {}
func (f *fatal) Errorf(string, ...any)  {}
func (f *fatal) Debugf(string, ...any)  {}
func (f *fatal) Tracef(string, ...any)  {}
