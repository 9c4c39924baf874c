// Package dial checks that the servers of a program accept connections and, for Redis, the password.
package dial

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"gitops-runtime/tests/standin/settings"
)

// timeout is the maximum time for a response of a server.
const timeout = 5 * time.Second

// TCP opens a connection to HOST:PORT and closes it again.
func TCP(ctx context.Context, address string) error {
	connection, err := open(ctx, address)
	if err != nil {
		return err
	}
	return connection.Close()
}

// URL is like TCP, for the server of a URL.
func URL(ctx context.Context, text string) error {
	address, err := url.Parse(text)
	if err != nil || address.Host == "" {
		return fmt.Errorf("the address %q is not a URL", text)
	}
	port := address.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[address.Scheme]
	}
	return TCP(ctx, net.JoinHostPort(address.Hostname(), port))
}

// Redis authenticates at a Redis server and pings it (RESP, redis.io/docs/latest/develop/reference/protocol-spec).
func Redis(ctx context.Context, address, username string, password settings.Secret) error {
	connection, err := open(ctx, address)
	if err != nil {
		return err
	}
	defer func() { _ = connection.Close() }()
	if err := connection.SetDeadline(time.Now().Add(timeout)); err != nil {
		return fmt.Errorf("connecting to %s: %w", address, err)
	}
	answers := bufio.NewReader(connection)
	if password != "" {
		parts := []string{"AUTH", string(password)}
		if username != "" {
			parts = []string{"AUTH", username, string(password)}
		}
		if err := command(connection, answers, "+OK", parts...); err != nil {
			return fmt.Errorf("authenticating at Redis %s: %w", address, err)
		}
	}
	if err := command(connection, answers, "+PONG", "PING"); err != nil {
		return fmt.Errorf("asking Redis %s: %w", address, err)
	}
	return nil
}

func open(ctx context.Context, address string) (net.Conn, error) {
	connection, err := (&net.Dialer{Timeout: timeout}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", address, err)
	}
	return connection, nil
}

// command sends a command and expects one line. Its error contains the line, which contains no password.
func command(connection net.Conn, answers *bufio.Reader, want string, parts ...string) error {
	var text strings.Builder
	fmt.Fprintf(&text, "*%d\r\n", len(parts))
	for _, part := range parts {
		fmt.Fprintf(&text, "$%d\r\n%s\r\n", len(part), part)
	}
	if _, err := connection.Write([]byte(text.String())); err != nil {
		return err
	}
	line, err := answers.ReadString('\n')
	if err != nil {
		return err
	}
	if line = strings.TrimSpace(line); line != want {
		return fmt.Errorf("it answered %q", line)
	}
	return nil
}
