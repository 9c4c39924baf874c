package kindcluster

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/docker"
	"gitops-runtime/tests/e2e/internal/process"
)

const isolates = `add table inet air-gap
delete table inet air-gap
table inet air-gap {
  chain asked {
    ct state established,related ct direction reply accept
    ip daddr { 127.0.0.0/8, 10.244.0.0/24, 172.18.0.3/32, 172.18.0.2/32 } accept
    ip6 daddr { ::1/128, fc00::3/128 } accept
    meta l4proto ipv6-icmp accept
    reject
  }
  chain by-node {
    type filter hook output priority filter - 10
    meta l4proto { tcp, udp } th dport 53 accept
    jump asked
  }
  chain by-pods {
    type filter hook forward priority filter - 10
    jump asked
  }
}
`

func TestIsolate(t *testing.T) {
	for name, test := range map[string]struct {
		do    func(*Cluster, context.Context) error
		pods  string
		fails error
		rules string
		err   string
	}{
		"isolate":    {do: (*Cluster).Isolate, pods: "10.244.0.0/24", rules: isolates},
		"reconnect":  {do: (*Cluster).Reconnect, rules: "add table inet air-gap\ndelete table inet air-gap\n"},
		"no node":    {do: (*Cluster).Reconnect, fails: errors.New("no such container"), err: "no such container"},
		"no network": {do: (*Cluster).Isolate, pods: "none", err: `find out what stays reachable for the isolated node: netip.ParsePrefix("none"): no '/'`},
	} {
		t.Run(name, func(t *testing.T) {
			rules := ""
			run := func(_ context.Context, c process.Command) (string, error) {
				switch {
				case slices.Contains(c.Args, "kubectl"):
					return test.pods, test.fails
				case c.Args[0] == "inspect":
					return "172.18.0.3 fc00::3 \n172.18.0.2  ", test.fails
				case test.fails != nil:
					return "", test.fails
				}
				assert.Equal(t, []string{"exec", "--interactive", "gitops-runtime-control-plane", "nft", "--file", "-"}, c.Args)
				text, err := io.ReadAll(c.Stdin)
				rules = string(text)
				return "", err
			}
			err := test.do(&Cluster{Engine: docker.At("", run)}, t.Context())
			if test.err == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, test.err)
			}
			assert.Equal(t, test.rules, rules)
		})
	}
}
