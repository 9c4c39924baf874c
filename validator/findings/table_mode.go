package findings

func modeTable() []Definition {
	const early = "On an install the address may not exist yet, so this is only a warning; on an upgrade it fails. global.runtime.ingress.skipValidation=true skips the request."
	return []Definition{
		unanswered("MOD100", "One access mode is chosen from the values: ingress, gateway, tunnel or service mesh."),
		{"MOD101", Fail, "Both global.runtime.ingress and global.runtime.httpRoute are enabled.", "set enabled: false in one of the two", "The runtime has one public URL, so one access mode."},
		{"MOD102", Fail, "No access mode is chosen: the tunnel is off, there is no ingress and no HTTPRoute, and global.runtime.ingressUrl is empty.", "set global.runtime.ingressUrl=https://<host>, or enable tunnel-client, global.runtime.ingress or global.runtime.httpRoute", "The platform and the Git webhooks have to reach the runtime somehow."},
		unanswered("MOD200", "In tunnel mode the runtime keeps a connection to the tunnel server open; account and name form its host name."),
		{"MOD201", Fail, "Tunnel access needs global.codefresh.accountId.", "--set global.codefresh.accountId=<account id>", "The tunnel's host name is <accountId>-<runtime name>.<subdomainHost>."},
		{"MOD202", Fail, "%s is not a host name: %q.", "set {value} to a host name without scheme and path", "The host is used in a TLS connection and in the public URL."},
		{"MOD203", Fail, "global.codefresh.accountId is %q, which cannot be part of a host name: %s.", "--set-string global.codefresh.accountId=<account id>", "The tunnel's host name is <accountId>-<runtime name>.<subdomainHost>."},
		{"MOD204", Fail, "tunnel-client.tunnel.ipsAllowList restricts who reaches the runtime, but only the published build of frpc passes it to the tunnel server; with another image everybody could.", "--set tunnel-client.image.registry=quay.io,tunnel-client.image.repository=codefresh/frpc,tunnel-client.image.tag=cace4c0", "frp itself has no such setting, and a list that is lost without a word would open the runtime to everybody."},
		unanswered("MOD300", "Ingress mode needs at least one host; the first one is used for the public URL."),
		{"MOD301", Fail, "Ingress access needs at least one host.", "--set global.runtime.ingress.hosts={runtime.example.com}", "The first host is the runtime's public URL."},
		{"MOD302", Fail, "%q is not a host name.", "write only the host, without scheme, path or port", "An Ingress accepts a DNS name in lower case; only the first host, which is used for the public URL, cannot be a wildcard."},
		{"MOD303", Fail, "%s is %q, but has to be http or https.", "set {value} to https", "It is the scheme of the public URL."},
		unanswered("MOD400", "The cluster is queried for the IngressClass of the runtime."),
		{"MOD401", Fail, "The IngressClass %q does not exist (the cluster has: %s).", "set global.runtime.ingress.className to one of them, or install the ingress controller first", "Without a class no controller serves the Ingress."},
		unanswered("MOD500", "An HTTP GET is sent to the public URL of the ingress."),
		{"MOD501", Fail, "The host %s is unknown to DNS.", "create a DNS record for it that points to the ingress controller", early},
		{"MOD502", Fail, "Nothing accepts connections at %s: %s.", "check the ingress controller's Service and the firewall", early},
		{"MOD503", Fail, "The TLS handshake with %s fails: %s.", "check global.runtime.ingress.tls and the Secret it names", early},
		{"MOD504", Fail, "%s answers an HTTP GET with %s.", "check the ingress controller's log", early},
		unanswered("MOD600", "Gateway mode needs a host name and the Gateway it is attached to."),
		{"MOD601", Fail, "Gateway access needs at least one host name.", "--set global.runtime.httpRoute.hostnames={runtime.example.com}", "The first host name is the runtime's public URL."},
		{"MOD602", Fail, "Gateway access needs at least one parent Gateway with a name.", "set global.runtime.httpRoute.parentRefs[0].name", "An HTTPRoute without a parent serves nothing."},
		unanswered("MOD700", "The cluster is queried for the parent Gateways."),
		{"MOD701", Fail, "The Gateway %q does not exist in namespace %s.", "kubectl get gateways --all-namespaces", "The HTTPRoute would stay unattached."},
		{"MOD702", Fail, "The cluster does not have the Gateway API (gateway.networking.k8s.io).", "install the Gateway API and a controller for it, or choose another access mode", "HTTPRoute is not a built-in kind of Kubernetes."},
		unanswered("MOD800", "In a service mesh the runtime's URL is a value, and has to be valid."),
		{"MOD801", Fail, "global.runtime.ingressUrl is not an http or https URL: %s.", "--set global.runtime.ingressUrl=https://<host>", "The platform calls the runtime at this URL."},
	}
}
