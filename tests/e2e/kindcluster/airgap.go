package kindcluster

import (
	"context"
	"fmt"
	"net/netip"
	"strings"

	"gitops-runtime/tests/e2e/imageregistry"
)

// connected removes the table of the node's packet filter that isolates it, if it exists.
const connected = "add table inet air-gap\ndelete table inet air-gap\n"

// Isolate cuts off the node and its pods until Reconnect: they can reach only themselves, the node's name server and the private registry. Clients from
// outside still get responses.
func (c *Cluster) Isolate(ctx context.Context) error {
	inside, err := c.inside(ctx)
	if err != nil {
		return fmt.Errorf("find out what stays reachable for the isolated node: %w", err)
	}
	return c.filter(ctx, connected+isolated(inside))
}

// Reconnect reverts Isolate; a node that is not isolated is not changed.
func (c *Cluster) Reconnect(ctx context.Context) error { return c.filter(ctx, connected) }

// filter changes the node's packet filter in one step.
func (c *Cluster) filter(ctx context.Context, rules string) error {
	_, err := c.Engine.RunWith(ctx, strings.NewReader(rules), "exec", "--interactive", c.container(), "nft", "--file", "-")
	return err
}

// isolated returns a table that rejects connections to the outside. It applies before other rules, which may accept, and after kube-proxy and Docker
// have resolved Services and the name server's address. That name server forwards queries as the node; without the responses it does not respond, and
// every program that resolves a name waits for it.
func isolated(inside []netip.Prefix) string {
	addresses := map[bool][]string{true: {"127.0.0.0/8"}, false: {"::1/128"}}
	for _, prefix := range inside {
		is4 := prefix.Addr().Is4()
		addresses[is4] = append(addresses[is4], prefix.String())
	}
	return fmt.Sprintf(`table inet air-gap {
  chain asked {
    ct state established,related ct direction reply accept
    ip daddr { %s } accept
    ip6 daddr { %s } accept
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
`, strings.Join(addresses[true], ", "), strings.Join(addresses[false], ", "))
}

// inside returns the networks of the pods, and the addresses of the node and of the registry.
func (c *Cluster) inside(ctx context.Context) ([]netip.Prefix, error) {
	pods, err := c.kubectl(ctx, "get", "nodes", "--output", "jsonpath={.items[*].spec.podCIDRs[*]}")
	if err != nil {
		return nil, err
	}
	var prefixes []netip.Prefix
	for _, text := range strings.Fields(pods) {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, err
		}
		prefixes = append(prefixes, prefix)
	}
	addresses, err := c.Engine.Run(ctx, "inspect", c.container(), imageregistry.Name, "--format", "{{range .NetworkSettings.Networks}}{{.IPAddress}} {{.GlobalIPv6Address}} {{end}}")
	if err != nil {
		return nil, err
	}
	for _, text := range strings.Fields(addresses) {
		address, err := netip.ParseAddr(text)
		if err != nil {
			return nil, err
		}
		prefixes = append(prefixes, netip.PrefixFrom(address, address.BitLen()))
	}
	return prefixes, nil
}
