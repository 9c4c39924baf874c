package nginx

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

const config = `
# {{ templated }}
events {}
http {
  client_max_body_size 5m;
  proxy_set_header Host $http_host;
  proxy_read_timeout 10s;
  server {
    listen 8080 default_server;
    resolver kube-dns ipv6=off;
    location = /readyz { return 200 'ok'; }
    location / { return 404; }
    location ^~ /app-proxy/ {
      if ($request_method = OPTIONS) { add_header Access-Control-Allow-Origin "$cors"; return 204; }
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      rewrite ^/app-proxy/(.*)$ /$1 break;
      proxy_pass http://cap-app-proxy:3017;
    }
    location /workflows/ { proxy_pass http://argo-server:2746/; }
    location ~* ^/WEBHOOKS/(?<ns>[^/]+)/(?<source>[^/]+)(?<rest>/.*) {
      set $upstream ${source}-eventsource-svc.$ns.svc;
      proxy_pass http://$upstream:80$rest;
    }
  }
}
`

func TestFacts(t *testing.T) {
	t.Parallel()
	const proxied, workflows, hooks = "location ^~ /app-proxy/ ", "location /workflows/ ", "location ~* ^/WEBHOOKS/(?<ns>[^/]+)/(?<source>[^/]+)(?<rest>/.*) "
	want := map[string]string{
		"client_max_body_size": "5m", "listen 8080": "default_server", "resolver": "kube-dns ipv6=off",
		"location = /readyz return": "200 ok", "location / return": "404",
		proxied + "if ($request_method = OPTIONS) add_header Access-Control-Allow-Origin": "$cors", proxied + "if ($request_method = OPTIONS) return": "204",
		proxied + "rewrite": "^/app-proxy/(.*)$ /$1 break", proxied + "proxy_pass": "http://cap-app-proxy:3017", proxied + "proxy_http_version": "1.1",
		proxied + "proxy_read_timeout": "10s", proxied + "proxy_send_timeout": "60s (nginx default)", proxied + "proxy_buffering": "on (nginx default)",
		proxied + "header Connection": "(empty)", proxied + "header Host": "$proxy_host (nginx default)",
		"route /app-proxy/api/graphql": "http://cap-app-proxy:3017/api/graphql", "route /app-proxy": "return 404",
		"route /workflows/api/v1/info": "http://argo-server:2746/api/v1/info", "route /workflows/": "http://argo-server:2746/", "route /workflows": "return 404",
		"route /webhooks/ns1/src1/push": "http://src1-eventsource-svc.ns1.svc:80/push/webhooks/ns1/src1/push", "route /webhooks/ns1/src1": "return 404",
		"route /readyz": "return 200 ok", "route /healthz": "return 404", "route /": "return 404", "route /other": "return 404",
	}
	for prefix, pass := range map[string]string{workflows: "http://argo-server:2746/", hooks: "http://$upstream:80$rest"} {
		want[prefix+"proxy_pass"] = pass
		want[prefix+"proxy_http_version"], want[prefix+"proxy_read_timeout"] = "1.0 (nginx default)", "10s"
		want[prefix+"proxy_send_timeout"], want[prefix+"proxy_buffering"] = "60s (nginx default)", "on (nginx default)"
		want[prefix+"header Host"], want[prefix+"header Connection"] = "$http_host", "close (nginx default)"
	}
	assert.Equal(t, want, Facts(config))
}

func TestFactsOfInvalidConfigurations(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "}", "{", "location / {}", "http { server x; }", "server { location; listen"} {
		assert.NotPanics(t, func() { Facts(text) }, text)
	}
	assert.Equal(t, "static files (404)", Facts("server {}")["route /"])
	assert.Equal(t, "nothing", Facts("server { location / { rewrite ( x; set $a; } }")["route /"])
}
