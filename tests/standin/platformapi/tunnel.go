package platformapi

import (
	"encoding/json"
	"fmt"
	"net/http"

	"gitops-runtime/tests/standin/serve"
)

// pluginRequest is the request that frps v0.70.0 POSTs to a server plugin (pkg/plugin/server/types.go, pkg/msg/msg.go of its module).
type pluginRequest struct {
	Op      string `json:"op"`
	Content struct {
		ProxyName     string            `json:"proxy_name"`
		ProxyType     string            `json:"proxy_type"`
		Subdomain     string            `json:"subdomain"`
		CustomDomains []string          `json:"custom_domains"`
		Metas         map[string]string `json:"metas"`
	} `json:"content"`
}

// pluginReply is the response to frps: to continue unchanged, or to reject with a reason that frpc shows.
type pluginReply struct {
	Reject       bool   `json:"reject"`
	RejectReason string `json:"reject_reason,omitempty"`
	Unchange     bool   `json:"unchange"`
}

// tunnel is frps's server plugin. It rejects a NewProxy unless its metadata Authorization is a runtime's token and it is an HTTP proxy whose name and
// subdomain are <account id>-<runtime name> of that runtime.
func (s *store) tunnel(w http.ResponseWriter, r *http.Request) {
	var request pluginRequest
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, bodyLimit)).Decode(&request); err != nil {
		serve.Failure(w, http.StatusBadRequest, "the body is not an frp server plugin request in JSON")
		return
	}
	reply := pluginReply{Unchange: true}
	if request.Op == "NewProxy" {
		if reason := s.refusesProxy(request); reason != "" {
			reply = pluginReply{Reject: true, RejectReason: reason}
		}
	}
	serve.JSON(w, http.StatusOK, reply)
}

func (s *store) refusesProxy(request pluginRequest) string {
	proxy := request.Content
	who, ok := s.caller(proxy.Metas["Authorization"])
	if !ok || who.runtime == nil {
		return "the proxy's metadata Authorization holds no runtime token"
	}
	name := who.account + "-" + who.runtime.Name
	switch {
	case proxy.ProxyType != "http":
		return fmt.Sprintf("the proxy's type is %q, only http is allowed", proxy.ProxyType)
	case proxy.ProxyName != name:
		return fmt.Sprintf("the proxy's name is %q, this runtime's is %q", proxy.ProxyName, name)
	case proxy.Subdomain != name:
		return fmt.Sprintf("the proxy's subdomain is %q, this runtime's is %q", proxy.Subdomain, name)
	case len(proxy.CustomDomains) > 0:
		return "the proxy asks for custom domains, only its subdomain is allowed"
	}
	return ""
}
