package dial_test

import (
	"bufio"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/standin/dial"
	"gitops-runtime/tests/standin/settings"
)

// redis starts a server that responds to AUTH and PING, one connection after another, and returns its address.
func redis(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			answer(connection)
		}
	}()
	return listener.Addr().String()
}

func answer(connection net.Conn) {
	defer func() { _ = connection.Close() }()
	lines := bufio.NewScanner(connection)
	signedIn := false
	for lines.Scan() {
		var words []string
		for range int(lines.Text()[1] - '0') {
			lines.Scan()
			lines.Scan()
			words = append(words, lines.Text())
		}
		reply := "-NOAUTH Authentication required."
		switch command := strings.Join(words, " "); {
		case command == "AUTH right", command == "AUTH user right":
			signedIn, reply = true, "+OK"
		case words[0] == "AUTH":
			reply = "-WRONGPASS invalid username-password pair"
		case signedIn:
			reply = "+PONG"
		}
		if _, err := connection.Write([]byte(reply + "\r\n")); err != nil {
			return
		}
	}
}

func TestRedis(t *testing.T) {
	t.Parallel()
	address := redis(t)
	for name, test := range map[string]struct {
		username string
		password settings.Secret
		reason   string
	}{
		"password":          {"", "right", ""},
		"user and password": {"user", "right", ""},
		"wrong password":    {"", "wrong", "authenticating at Redis " + address + `: it answered "-WRONGPASS invalid username-password pair"`},
		"no password":       {"", "", "asking Redis " + address + `: it answered "-NOAUTH Authentication required."`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := dial.Redis(t.Context(), address, test.username, test.password)
			if test.reason == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, test.reason)
		})
	}
}

func TestTCP(t *testing.T) {
	t.Parallel()
	address := redis(t)
	require.NoError(t, dial.TCP(t.Context(), address))
	require.NoError(t, dial.URL(t.Context(), "http://"+address+"/path"))
	require.ErrorContains(t, dial.TCP(t.Context(), "127.0.0.1:1"), "connecting to 127.0.0.1:1: ")
	require.ErrorContains(t, dial.URL(t.Context(), "http://127.0.0.1:1"), "connecting to 127.0.0.1:1: ")
	require.ErrorContains(t, dial.URL(t.Context(), "https://127.0.0.1.invalid"), "connecting to 127.0.0.1.invalid:443: ")
	require.EqualError(t, dial.URL(t.Context(), "host"), `the address "host" is not a URL`)
}
