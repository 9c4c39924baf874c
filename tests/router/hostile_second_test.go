package router_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/hostile"
)

// stranger is what a stranger sends, as bytes, and what comes of it.
type stranger struct {
	name, request string
	// status are the allowed ones; 0 stands for a connection that ends without an answer.
	status []int
	// reaches is the program that gets the request, "" for none; never are headers and values that it does not get.
	reaches string
	never   []string
}

// plain returns a request for app-proxy with these headers, and with a body.
func plain(body string, headers ...string) string {
	return "POST /app-proxy/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + lines(headers) + "\r\n" + body
}

// strangers returns requests of kinds that the lists of paths, of smuggled requests and of headers do not have.
func strangers() map[string][]stranger {
	long := strings.Repeat("a", 1<<20)
	refused, ended := []int{400}, []int{0, 400}
	chunked := "Transfer-Encoding: chunked"
	return map[string][]stranger{
		"sizes": {
			{"a path of a megabyte", get("/app-proxy/" + long), []int{0, 414}, "", nil},
			{"a query of a megabyte", get("/app-proxy/x?" + long), []int{0, 414}, "", nil},
			{"a header of a megabyte", get("/app-proxy/x", "X-A: "+long), ended, "", nil},
			{"the name of a header of a megabyte", get("/app-proxy/x", long+": a"), ended, "", nil},
			{"ten thousand headers", get("/app-proxy/x", slices.Repeat([]string{"X-A: b"}, 10_000)...), ended, "", nil},
			{"a method of a megabyte", strings.Repeat("A", 1<<20) + " / HTTP/1.1\r\n\r\n", []int{0, 400, 414}, "", nil},
			{"a namespace of seven kilobytes", get("/webhooks/" + strings.Repeat("a", 7000) + "/x"), []int{502}, "", nil},
			{"an announced body of 2 GB", plain("", "Content-Length: 2000000000"), []int{413}, "", nil},
			{"ranges by the thousand", get("/app-proxy/x", "Range: bytes="+strings.Repeat("0-0,", 1500)+"0-0"), []int{200, 206}, "app-proxy", nil},
		},
		"lengths": {
			{"a negative length", plain("", "Content-Length: -1"), refused, "", nil},
			{"a length with a sign", plain("abcd", "Content-Length: +4"), refused, "", nil},
			{"a hexadecimal length", plain("abcd", "Content-Length: 0x4"), refused, "", nil},
			{"a list of lengths", plain("abcd", "Content-Length: 4, 4"), refused, "", nil},
			{"a length beyond 64 bits", plain("", "Content-Length: 99999999999999999999"), refused, "", nil},
			{"an empty length", plain("", "Content-Length:"), refused, "", nil},
			{"a chunk beyond 64 bits", plain("ffffffffffffffff1\r\na\r\n0\r\n\r\n", chunked), []int{400, 502}, "app-proxy", nil},
			{"a negative chunk", plain("-1\r\na\r\n0\r\n\r\n", chunked), []int{400, 502}, "app-proxy", nil},
			{"a chunk without an end of line", plain("1\r\nab0\r\n\r\n", chunked), []int{400, 502}, "app-proxy", nil},
			{"encodings one after the other", plain("0\r\n\r\n", "Transfer-Encoding: gzip, chunked"), []int{501, 400}, "", nil},
			{"an encoding behind a vertical tab", plain("0\r\n\r\n", "Transfer-Encoding: \x0bchunked"), []int{501, 400}, "", nil},
			{"two encodings", plain("0\r\n\r\n", chunked, "Transfer-Encoding: identity"), refused, "", nil},
			{"chunks in HTTP 1.0", "POST /app-proxy/x HTTP/1.0\r\nHost: x\r\n" + chunked + "\r\n\r\n0\r\n\r\n", refused, "", nil},
			{"headers behind the body", plain("1\r\na\r\n0\r\nX-Forwarded-Host: evil\r\nAuthorization: evil\r\n\r\n", chunked, "Trailer: X-Forwarded-Host"), []int{200}, "app-proxy", []string{"evil"}},
		},
		"protocols": {
			{"HTTP 0.9", "GET /app-proxy/x\r\n", ended, "app-proxy", nil},
			{"HTTP 2 without TLS", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", ended, "", nil},
			{"HTTP 9.9", "GET /app-proxy/x HTTP/9.9\r\nHost: x\r\n\r\n", []int{505}, "", nil},
			{"a version that is none", "GET /app-proxy/x HTTP/1.1.1\r\nHost: x\r\n\r\n", refused, "", nil},
			{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + strings.Repeat("\x00", 600), ended, "", nil},
			{"the PROXY protocol", "PROXY TCP4 10.0.0.1 10.0.0.2 1 2\r\n" + get("/app-proxy/x"), refused, "", nil},
			{"SSH", "SSH-2.0-x\r\n\r\n", ended, "", nil},
			{"CONNECT", "CONNECT 169.254.169.254:80 HTTP/1.1\r\nHost: 169.254.169.254:80\r\nConnection: close\r\n\r\n", []int{400, 405}, "", nil},
			{"TRACE", "TRACE /app-proxy/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", []int{405}, "", nil},
			{"a method of lines", "GET\n/app-proxy/x HTTP/1.1\r\nHost: x\r\n\r\n", ended, "", nil},
			{"all of the server", "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", ended, "", nil},
			{"no request", "\r\n\r\n\r\n", ended, "", nil},
			{"upgrades to two protocols", get("/app-proxy/x", "Upgrade: websocket, h2c"), []int{200}, "app-proxy", []string{"h2c"}},
			{"an upgrade behind a tab", get("/app-proxy/x", "Upgrade: \th2c"), []int{200}, "app-proxy", []string{"h2c"}},
		},
		"hosts": {
			{"a host that is a path", "GET /app-proxy/x HTTP/1.1\r\nHost: x/../y\r\nConnection: close\r\n\r\n", refused, "", nil},
			{"a host with a zero byte", "GET /app-proxy/x HTTP/1.1\r\nHost: x\x00y\r\nConnection: close\r\n\r\n", refused, "", nil},
			{"a host with a tab", "GET /app-proxy/x HTTP/1.1\r\nHost: x\ty\r\nConnection: close\r\n\r\n", refused, "", nil},
			{"a target with a user", "GET http://me:canary@x/app-proxy/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", refused, "", nil},
			{"a target of another scheme", "GET file:///etc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", []int{400, 404}, "", nil},
			{"the address of the metadata of a cloud", "GET /app-proxy/x HTTP/1.1\r\nHost: 169.254.169.254\r\nConnection: close\r\n\r\n", []int{200}, "app-proxy", []string{"169.254.169.254"}},
		},
		"headers": {
			{"a header with underscores", get("/app-proxy/x", "X_Forwarded_Host: evil", "Content_Length: evil"), []int{200}, "app-proxy", []string{"evil"}},
			{"a header with a dot", get("/app-proxy/x", "X.Forwarded.Host: evil"), []int{200}, "app-proxy", []string{"evil"}},
			{"a zero byte in a value", get("/app-proxy/x", "X-A: a\x00b"), refused, "", nil},
			{"a zero byte in a name", get("/app-proxy/x", "X\x00A: a"), refused, "", nil},
			{"a folded header", get("/app-proxy/x", "X-A: a\r\n X-Forwarded-Host: evil"), []int{200, 400}, "app-proxy", []string{"evil"}},
			{"a header without a name", get("/app-proxy/x", ": evil"), []int{200, 400}, "app-proxy", []string{"evil"}},
			{"headers that a connection takes back", get("/app-proxy/x", "Connection: X-Real-IP, X-Forwarded-Proto, Host"), []int{200, 400}, "app-proxy", nil},
			{"the address of a client, written by it", get("/app-proxy/x", "X-Real-IP: 10.9.8.7"), []int{200}, "app-proxy", []string{"10.9.8.7"}},
			{"an expectation that nobody knows", plain("", "Expect: 200-ok", "Content-Length: 0"), []int{200, 417}, "app-proxy", nil},
			{"headers of nginx", get("/app-proxy/x", "X-Accel-Redirect: /workflows/", "X-Sendfile: /etc/passwd"), []int{200}, "app-proxy", nil},
		},
		"names": {
			{"a line in a path", get("/app-proxy/%0d%0aX-Evil:%20evil"), []int{200}, "app-proxy", nil},
			{"a line in a path that is rewritten", get("/workflows/%0d%0aX-Evil:%20evil%0d%0a"), []int{200}, "workflows", nil},
			{"a request in a path that is rewritten", get("/workflows/x%20HTTP/1.1%0d%0a%0d%0aGET%20/evil"), []int{200}, "workflows", nil},
			{"a line in a namespace", get("/webhooks/codefresh%0d%0a/github/push"), []int{404}, "", nil},
			{"a dot in a namespace", get("/webhooks/codefresh.svc/github/push"), []int{404}, "", nil},
			{"another host in a namespace", get("/webhooks/evil.example.com%23/github/push"), []int{404}, "", nil},
			{"a port in a source", get("/webhooks/codefresh/github:80/push"), []int{404}, "", nil},
			{"a user in a source", get("/webhooks/codefresh/me@evil/push"), []int{404}, "", nil},
			{"a letter that is no ASCII", get("/webhooks/codefr%C3%A9sh/github/push"), []int{404}, "", nil},
			{"a slash that is no slash", get("/webhooks/codefresh%EF%BC%8Fgithub/push"), []int{404}, "", nil},
			{"an overlong slash", get("/webhooks/codefresh%c0%afgithub/push"), []int{404}, "", nil},
			{"a variable of nginx", get("/webhooks/$host/github/push"), []int{404}, "", nil},
			{"an escape that is none", get("/app-proxy/%zz"), refused, "", nil},
			{"half an escape", get("/app-proxy/%"), refused, "", nil},
			{"upper case", get("/WEBHOOKS/codefresh/github/push"), []int{404}, "", nil},
		},
		"answers of event sources": {
			{"another location", get("/webhooks/codefresh/github/answer-redirect"), []int{200}, "", nil},
			{"a slow answer", get("/webhooks/codefresh/github/answer-slowly"), []int{200}, "", nil},
			{"a head of a megabyte", get("/webhooks/codefresh/github/answer-head"), []int{502}, "", nil},
			{"two lengths", get("/webhooks/codefresh/github/answer-lengths"), []int{0, 502}, "", nil},
			{"no HTTP", get("/webhooks/codefresh/github/answer-nothing"), []int{0, 502}, "", nil},
			{"a switch to another protocol", get("/webhooks/codefresh/github/answer-switch"), []int{101, 502}, "", nil},
			{"cookies by the thousand", get("/webhooks/codefresh/github/answer-cookies"), []int{200, 502}, "", nil},
			{"a file of the router", get("/webhooks/codefresh/github/answer-file"), []int{200}, "", nil},
		},
	}
}

// answerBadly is what an event source that means harm answers.
func answerBadly(w http.ResponseWriter, path string) {
	raw := func(text string) {
		connection, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(connection, text)
		_ = connection.Close()
	}
	_, kind, _ := strings.Cut(path, "/answer-")
	w.Header().Del("Set-Cookie")
	switch kind {
	case "redirect":
		w.Header().Set("X-Accel-Redirect", "/app-proxy/secret")
		_, _ = io.WriteString(w, "own")
	case "slowly":
		w.Header().Set("X-Accel-Limit-Rate", "1")
		_, _ = io.WriteString(w, strings.Repeat("own", 1000))
	case "file":
		w.Header().Set("X-Sendfile", "/etc/passwd")
		w.Header().Set("X-Accel-Redirect", "/healthz")
		_, _ = io.WriteString(w, "own")
	case "head":
		w.Header().Set("X-A", strings.Repeat("a", 1<<20))
	case "cookies":
		for range 100 {
			w.Header().Add("Set-Cookie", "session=evil")
		}
		_, _ = io.WriteString(w, "own")
	case "lengths":
		raw("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 9\r\n\r\nown")
	case "nothing":
		raw(strings.Repeat("\x00\xff", 4096))
	case "switch":
		raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n")
	}
}

// TestHostileRequests: the router answers every request as the table says, passes on at most one request without what was forbidden, and is then as
// well as before, within the limits of memory and CPU time.
func TestHostileRequests(t *testing.T) {
	t.Parallel()
	s := start(t, nil, nil)
	targets := map[string]*target{"app-proxy": s.appProxy, "workflows": s.workflows}
	counts := map[string]int{"paths": len(hostilePaths()), "connections": 2}
	for kind, list := range strangers() {
		counts[kind] = len(list)
		for _, one := range list {
			status, body, err := s.raw(one.request)
			if err != nil {
				status = 0
			}
			assert.Contains(t, one.status, status, "%s/%s: %v %s", kind, one.name, err, hostile.Clip(body))
			assert.NotContains(t, body, "evil", one.name)
			assert.NotContains(t, body, "canary", one.name)
			for name, of := range targets {
				seen := of.requests()
				if name != one.reaches {
					assert.Empty(t, seen, "%s/%s reached %s", kind, one.name, name)
					continue
				}
				assert.LessOrEqual(t, len(seen), 1, one.name)
				for _, request := range seen {
					assert.Empty(t, request.Header.Values("X-Evil"), one.name)
					for _, never := range one.never {
						assert.NotContains(t, fmt.Sprint(request.Header, request.Trailer, request.Host), never, one.name)
					}
				}
			}
		}
	}
	t.Run("connections that say nothing", func(t *testing.T) { s.idle(t, "") })
	t.Run("connections that stop in a header", func(t *testing.T) { s.idle(t, "GET /app-proxy/x HTTP/1.1\r\nHost: x\r\nX-A: ") })
	end := s.used(t)
	assert.LessOrEqual(t, end.Memory, int64(hostile.MaxMemory))
	assert.LessOrEqual(t, end.Took, hostile.MaxTime)
	t.Logf("all requests: %d MiB, %.1f s", end.Memory>>20, end.Took.Seconds())
	hostile.Listed(t, "internal-router", counts)
}

// idle opens a thousand connections that send this and then nothing; others are still answered.
func (s *started) idle(t *testing.T, begin string) {
	t.Helper()
	for range 1000 {
		connection, err := net.DialTimeout("tcp", s.address, time.Second)
		require.NoError(t, err)
		t.Cleanup(func() { _ = connection.Close() })
		_, err = io.WriteString(connection, begin)
		require.NoError(t, err)
	}
	status, _, err := s.raw(get("/healthz"))
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, status)
}

// used returns the memory and CPU time of nginx.
func (s *started) used(t *testing.T) (end hostile.Ending) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.pid))
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	_, err = fmt.Sscan(rest, &end.Memory)
	require.NoError(t, err)
	end.Memory <<= 10
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.pid))
	require.NoError(t, err)
	_, rest, _ = strings.Cut(string(stat), ") ")
	var user, system int64
	fields := strings.Fields(rest)
	_, err = fmt.Sscan(fields[11]+" "+fields[12], &user, &system)
	require.NoError(t, err)
	end.Took = time.Duration(user+system) * 10 * time.Millisecond
	return end
}
