package settings

import (
	"net/http"
	"net/url"

	"golang.org/x/net/http/httpproxy"
)

// Proxies are the proxy variables of a container.
type Proxies struct {
	HTTPProxy  string `env:"HTTP_PROXY"`
	HTTPSProxy string `env:"HTTPS_PROXY"`
	NoProxy    string `env:"NO_PROXY"`
}

// For returns the proxy for a request, for http.Transport.
func (p Proxies) For(request *http.Request) (*url.URL, error) {
	config := httpproxy.Config{HTTPProxy: p.HTTPProxy, HTTPSProxy: p.HTTPSProxy, NoProxy: p.NoProxy}
	return config.ProxyFunc()(request.URL)
}
