package cluster

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// Client says how a process connects to a broker.
type Client struct {
	URL         string // nats://HOST:PORT, or tls://HOST:PORT
	Credentials string // USER:PASSWORD; "": none
	CA          string // file of certificates that sign the broker's; "": the certificates of the system
	Name        string // of the process, for the broker
	// Wait is how long the first connection is tried.
	Wait time.Duration
	// AckWait is how long a task stays with a worker that gives no sign of life, the same
	// for all processes of a fleet, at least 100 ms; 0: AckWait.
	AckWait time.Duration
}

// ackWait is the wait of the fleet.
func (c *Client) ackWait() time.Duration {
	if c.AckWait == 0 {
		return AckWait
	}
	return c.AckWait
}

// isLocal reports whether a host is this machine, by its name alone.
func isLocal(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// check refuses connections to other machines that others could read or that need no
// credentials.
func (c *Client) check() error {
	u, err := url.Parse(c.URL)
	switch {
	case err != nil || u.Host == "":
		return fmt.Errorf("%q is no address of a broker; want nats://HOST:PORT or tls://HOST:PORT", c.URL)
	case c.ackWait() < 100*time.Millisecond:
		return fmt.Errorf("a deadline of %v is too short; want at least 100ms", c.AckWait)
	case u.User != nil:
		return errors.New("credentials do not stand in the address: give a file of them")
	case u.Scheme != "nats" && u.Scheme != "tls":
		return fmt.Errorf("the address of a broker begins with nats:// or tls://, not %s://", u.Scheme)
	case isLocal(u.Hostname()):
	case u.Scheme != "tls":
		return fmt.Errorf("%s is another machine: connections to it need TLS; write tls://%s", u.Hostname(), u.Host)
	case c.Credentials == "":
		return fmt.Errorf("%s is another machine: connections to it need credentials", u.Hostname())
	}
	return nil
}

// connect connects. A broker that refuses the credentials or has a wrong certificate is an
// error at once; one that is not there is waited for.
func (c *Client) connect(ctx context.Context) (*nats.Conn, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	options := []nats.Option{
		nats.Name(c.Name), nats.MaxReconnects(-1), nats.ReconnectWait(100 * time.Millisecond),
		nats.ReconnectJitter(20*time.Millisecond, 20*time.Millisecond),
		nats.PingInterval(2 * time.Second), nats.Timeout(2 * time.Second),
	}
	if c.Credentials != "" {
		user, password, ok := strings.Cut(c.Credentials, ":")
		if !ok {
			return nil, errors.New("credentials are USER:PASSWORD")
		}
		options = append(options, nats.UserInfo(user, password))
	}
	if strings.HasPrefix(c.URL, "tls://") {
		conf := &tls.Config{MinVersion: tls.VersionTLS12}
		if c.CA != "" {
			pem, err := os.ReadFile(c.CA)
			if err != nil {
				return nil, err
			}
			conf.RootCAs = x509.NewCertPool()
			if !conf.RootCAs.AppendCertsFromPEM(pem) {
				return nil, fmt.Errorf("%s holds no certificate", c.CA)
			}
		}
		options = append(options, nats.Secure(conf))
	}
	for end := time.Now().Add(c.Wait); ; {
		nc, err := nats.Connect(c.URL, options...)
		var unknown x509.UnknownAuthorityError
		var host x509.HostnameError
		var invalid x509.CertificateInvalidError
		switch {
		case err == nil:
			return nc, nil
		case errors.Is(err, nats.ErrAuthorization):
			return nil, fmt.Errorf("the broker at %s refuses the credentials", c.URL)
		case errors.As(err, &unknown), errors.As(err, &host), errors.As(err, &invalid),
			errors.Is(err, nats.ErrSecureConnRequired), errors.Is(err, nats.ErrSecureConnWanted):
			return nil, fmt.Errorf("no connection to the broker at %s: %w", c.URL, err)
		case !time.Now().Before(end):
			return nil, fmt.Errorf("no broker answers at %s: %w", c.URL, err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// ReadCredentials reads a file of lines USER:PASSWORD. Empty lines and those that begin
// with # do not count.
func ReadCredentials(path string) (lines []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	for n := 1; in.Scan(); n++ {
		line := strings.TrimSpace(in.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		if user, password, ok := strings.Cut(line, ":"); !ok || user == "" || password == "" {
			return nil, fmt.Errorf("%s:%d: want USER:PASSWORD", path, n)
		}
		lines = append(lines, line)
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%s holds no credentials; want lines USER:PASSWORD", path)
	}
	return lines, nil
}
