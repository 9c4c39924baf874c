package platformapi_test

import (
	"net/http"
	"testing"

	"gitops-runtime/tests/standin/platformapi"
)

// The requests are those of frps v0.70.0.
func TestTunnel(t *testing.T) {
	t.Parallel()
	newProxy := func(content string) string {
		return `{"version":"0.1.0","op":"NewProxy","content":{"user":{"user":"","metas":null,"run_id":"65811a8799a55d72"},` + content + `}}`
	}
	rejected := func(reason string) string { return `{"reject":true,"reject_reason":"` + reason + `","unchange":false}` }
	const (
		accepted = `{"reject":false,"unchange":true}`
		token    = `,"metas":{"Authorization":"runtime-token-taken"}`
		noToken  = "the proxy's metadata Authorization holds no runtime token"
	)
	tests := map[string]struct {
		body   string
		status int
		reply  string
	}{
		"its own name":     {newProxy(`"proxy_name":"acc1-taken","proxy_type":"http","subdomain":"acc1-taken"` + token), 200, accepted},
		"another name":     {newProxy(`"proxy_name":"acc1-local","proxy_type":"http","subdomain":"acc1-taken"` + token), 200, rejected(`the proxy's name is \"acc1-local\", this runtime's is \"acc1-taken\"`)},
		"other subdomain":  {newProxy(`"proxy_name":"acc1-taken","proxy_type":"http","subdomain":"acc2-taken"` + token), 200, rejected(`the proxy's subdomain is \"acc2-taken\", this runtime's is \"acc1-taken\"`)},
		"other type":       {newProxy(`"proxy_name":"acc1-taken","proxy_type":"tcp","remote_port":22` + token), 200, rejected(`the proxy's type is \"tcp\", only http is allowed`)},
		"custom domain":    {newProxy(`"proxy_name":"acc1-taken","proxy_type":"http","subdomain":"acc1-taken","custom_domains":["bank.example.com"]` + token), 200, rejected("the proxy asks for custom domains, only its subdomain is allowed")},
		"no token":         {newProxy(`"proxy_name":"acc1-taken","proxy_type":"http","subdomain":"acc1-taken"`), 200, rejected(noToken)},
		"a user's token":   {newProxy(`"proxy_name":"acc1-taken","proxy_type":"http","subdomain":"acc1-taken","metas":{"Authorization":"user-token-admin"}`), 200, rejected(noToken)},
		"another question": {`{"version":"0.1.0","op":"Login","content":{"version":"0.70.0","hostname":"","user":""}}`, 200, accepted},
		"no JSON":          {`NewProxy`, 400, `{"message":"the body is not an frp server plugin request in JSON"}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request{http.MethodPost, platformapi.TunnelPath + "?version=0.1.0&op=NewProxy", "", test.body, test.status, test.reply}.play(t, start(t, platformapi.Options{}))
		})
	}
}
