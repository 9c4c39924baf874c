package tunnel_test

import (
	"errors"
	"flag"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// sessionsFor is how long BenchmarkSessions keeps sessions open; sessionsOf is the number of each kind.
var (
	sessionsFor = flag.Duration("sessions-for", 20*time.Second, "how long BenchmarkSessions keeps WebSockets and streams open")
	sessionsOf  = flag.Int("sessions", 1000, "how many WebSockets and how many streams BenchmarkSessions keeps open")
)

// BenchmarkRequests requests a page of 1 KiB with 32 clients, through each route in turn. The CPU time of the route's programs is more meaningful
// than requests per second, since clients and target run on the same machine.
func BenchmarkRequests(b *testing.B) {
	const clients, lasting = 32, 3 * time.Second
	all := routes(b)
	sums := make([]rate, len(all))
	for b.Loop() {
		for i, each := range all {
			got := each.hurry(b, clients, lasting)
			sums[i].perSecond += got.perSecond
			sums[i].processor += got.processor
			sums[i].slow += got.slow
		}
	}
	b.ReportMetric(0, "ns/op")
	_, minimum := all[0].spent(b)
	b.ReportMetric(sums[0].perSecond/float64(b.N), "requests/s-plain-nginx")
	for i, each := range all[1:] {
		of := sums[i+1]
		_, memory := each.spent(b)
		b.ReportMetric(of.perSecond/sums[0].perSecond, "x-requests/s-"+each.name)
		b.ReportMetric(of.processor/sums[0].processor, "x-cpu-"+each.name)
		b.ReportMetric(float64(of.slow)/float64(sums[0].slow), "x-p99-"+each.name)
		b.ReportMetric(memory/minimum, "x-memory-"+each.name)
	}
}

// BenchmarkSessions keeps WebSockets and event streams open, through the router and through the tunnel, each of which sends a message every second. It
// fails if one breaks or stops sending.
func BenchmarkSessions(b *testing.B) {
	for _, each := range routes(b)[1:] {
		b.Run(each.name, func(b *testing.B) {
			_, before := each.spent(b)
			for b.Loop() {
				lost := each.hold(b, *sessionsOf, *sessionsFor)
				require.Empty(b, lost, "%d sessions were lost: %.3000v", len(lost), errors.Join(lost...))
			}
			_, memory := each.spent(b)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(2**sessionsOf), "sessions")
			b.ReportMetric((memory-before)*1024/float64(2**sessionsOf), "KiB/session")
		})
	}
}

// TestRouterHoldsSessions keeps a thousand WebSockets and a thousand streams open, each of which uses two of the router's connections.
func TestRouterHoldsSessions(t *testing.T) {
	t.Parallel()
	lost := routes(t)[1].hold(t, 1000, 2*time.Second)
	require.Empty(t, lost, "%d sessions were lost: %.3000v", len(lost), errors.Join(lost...))
}
