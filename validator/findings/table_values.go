package findings

import "gitops-runtime/internal/valueschema"

func schemaTable() []Definition {
	const why = "The chart's values.schema.json names every value a template reads; Helm rejects the install with the same rule."
	return []Definition{
		unanswered("SCH100", "The merged values are validated against the chart's values.schema.json. "+why),
		ofSchema(valueschema.CodeUnknown, "A key that no template reads changes nothing, so it is nearly always a typo. Helm's message: additional properties 'x' not allowed; before 3.18: Additional property x is not allowed. "+why),
		ofSchema(valueschema.CodeType, "Types are checked before any template is rendered. Helm's message: got x, want y; before 3.18: Invalid type. Expected: y, given: x. "+why),
		ofSchema(valueschema.CodeRange, "Helm's message names the limit or the choices: value must be one of, minimum, pattern. "+why),
		ofSchema(valueschema.CodeMissing, "Helm's message: missing property 'x'; before 3.18: x is required. "+why),
		ofSchema(valueschema.CodeOther, why),
		ofSchema(valueschema.CodeDropped, "Values of the published chart and of the community charts that this chart does not support are rejected with the reason, rather than ignored. "+why),
		ofSchema(valueschema.CodeForeign, "Globals of other charts are allowed, such as those of a chart that depends on this one, so a key that looks like a typo is rejected only if it differs by one letter from a key of this chart.").asWarning(),
		unanswered("SCH200", "The values files are searched for valid YAML that is probably a mistake."),
		{"SCH201", Warn, "The key %s is defined twice in its map, %s and %s; the later one replaces the earlier one completely.", "keep one of the two, and merge what is below them", "Helm does not report this, and everything below the earlier key is lost."},
		{"SCH202", Warn, "A second YAML document begins here; Helm reads only the first one.", "put the second document into a separate file, or remove the --- line", "Helm does not report this, and the values of the other documents are lost."},
		{"SCH203", Fail, "The file contains no values: %s.", "fix the file; nothing else about it could be checked", "Helm rejects the file. If a single install is checked, this ends the run with exit code 2."},
		unanswered("SCH300", "Values that are valid one by one are compared with each other; the chart's templates reject the same combinations with the same code."),
		{"SCH301", Fail, "app-proxy.replicaCount is %d, but its pods share a cache, and no Redis is installed.", "--set redis.enabled=true, or redis-ha.enabled=true for a replicated one", "Pods that do not share a cache respond differently to the same request."},
		{"SCH302", Fail, "Image enrichment runs as workflows, but argo-workflows.enabled is false.", "--set app-proxy.image-enrichment.enabled=false, or enable argo-workflows", "Nothing would run the workflows."},
		{"SCH303", Fail, "global.runtime.meshRoute.kind is %s, but the access mode is %s.", "set global.runtime.meshRoute.kind to \"\", or global.runtime.ingressUrl with tunnel-client, ingress and httpRoute off", "The route belongs to the service mesh, which is another access mode."},
		{"SCH304", Fail, "The tunnel routes to %s:%s, but the Service of internal-router is %s:%s.", "set tunnel-client.target to the Service of internal-router", "Requests through the tunnel would reach nothing."},
		{"SCH305", Fail, "The programs sign in to Argo CD with a token, but none is set.", "set global.integrations.argo-cd.server.auth.token, or name a Secret in tokenSecretKeyRef{name,key}", "The runtime's programs sign in to Argo CD with it."},
		{"SCH306", Fail, "The reference to the Secret with the SSH key has no name.", "set global.runtime.gitCredentials.sshPrivateKey.secretKeyRef.name and .key", "The key is read from that Secret."},
		{"SCH307", Fail, "backup.recipients is empty, so nobody could read the archives.", "make a key with age-keygen and set backup.recipients[0] to its public half, age1...", "Archives are encrypted for these keys."},
		{"SCH308", Fail, "backup needs one place for the archives: backup.s3.bucket or backup.volume.existingClaim.", "set one of them; the chart creates neither, since both outlive the release", "Without a place there is no backup, and with two it would be unclear which one is restored."},
		{"SCH309", Fail, "%s contains a user or a password.", "put the credentials into the Secret that is named beside it", "The value is an argument or a variable of a pod, which everybody sees who may read pods."},
	}
}

func runtimeTable() []Definition {
	return []Definition{
		unanswered("RUN100", "Every object of the runtime, its public URL and its entry in the account carry the runtime's name."),
		{"RUN101", Fail, "The runtime has no name.", "--set global.runtime.name=<name>", "The name identifies the runtime in the account; there is no default, so that two runtimes are never mixed up."},
		{"RUN102", Fail, "The runtime name %q is not allowed: %s.", "--set global.runtime.name=<name>", "A name starts with a lower-case letter, continues with lower-case letters, digits and dashes, does not end with a dash, and has 63 characters at most: it becomes part of host names, object names and labels."},
		{"RUN103", Fail, "%s, the host label of the tunnel, has %d characters; %d are allowed.", "choose a shorter global.runtime.name", "The tunnel's host name is <accountId>-<runtime name>.<subdomainHost>, and DNS has no longer labels."},
		unanswered("RUN200", "The platform is queried for the runtime of the account with this name."),
		{"RUN201", Fail, "The account %q already has a runtime %q (namespace %s).", "choose another global.runtime.name, or remove the old runtime from the account first", "Names are unique in an account. A runtime that was uninstalled but not removed from the account keeps its name."},
		{"RUN202", Fail, "The runtime %q of the account lives in namespace %s on %s; this release is in namespace %s on %s.", "upgrade that release instead, or choose another name for this one", "An upgrade must not take over the identity of another runtime. If the platform has not recorded namespace or cluster, and the other one matches, this is only a warning."},
		{"RUN203", Warn, "This is an upgrade, but the account has no runtime %q; it will be registered again.", "check global.runtime.name if the runtime was registered under another name", "Usual after an install that failed before registration; otherwise the name has changed."},
		{"RUN204", Fail, "The runtime of this namespace is registered under a name other than %q.", "set global.runtime.name to the name it was installed with, or uninstall it first", "Its token is valid, and its account has no runtime with this name. A registered runtime keeps its name: object names, host names and the account's records contain it."},
		unanswered("RUN300", "A registered runtime has its own token, in the Secret codefresh-token of its namespace. It is used to query the runtime, on every upgrade and on every sync of Argo CD; if it is valid, problems of the user token are only warnings."),
		{"RUN301", Warn, "This is an upgrade, but the Secret %q with the runtime token does not exist in namespace %s.", "no action is needed if no install has succeeded yet; otherwise the upgrade registers the runtime again", "The runtime was never registered, or the Secret was deleted. The user token is used instead."},
		{"RUN302", Warn, "This is an upgrade, but the Secret %q with the runtime token has nothing under the key %q.", "no action is needed: the upgrade registers the runtime again", "The Secret was created or emptied manually. The user token is used instead."},
		{"RUN303", Fail, "The platform %s rejects the runtime token (%s).", "kubectl delete secret codefresh-token -n <namespace>, then upgrade: the runtime registers again", "The runtime was removed from the account, or registered again from elsewhere. As long as the Secret exists, the runtime does not register again and does not report to any account."},
	}
}

func tokenTable() []Definition {
	return []Definition{
		unanswered("TOK100", "The runtime registers itself with the user's API key, given in plain text or in a Secret."),
		{"TOK101", Fail, "No user token is set.", "--set global.codefresh.userToken.token=<API key>, or name a Secret in global.codefresh.userToken.secretKeyRef{name,key}", "Without it the runtime cannot be registered."},
		{"TOK102", Warn, "Both userToken.token and userToken.secretKeyRef are set; the token in plain text is used.", "remove one of the two", "The chart creates a Secret from the plain token and ignores the reference."},
		{"TOK103", Fail, "The reference to the user token's Secret has no %s.", "set global.codefresh.userToken.secretKeyRef.name and .key", "Name and key are both needed to find the token."},
		{"TOK104", Fail, "The Secret %q with the user token does not exist in namespace %s.", "kubectl create secret generic <name> --namespace <namespace> --from-literal=<key>=<user token>", "The runtime's pods read the Secret, so it has to be in the namespace of the release before the install."},
		{"TOK105", Fail, "The Secret %q has no key %q (it has: %s).", "set global.codefresh.userToken.secretKeyRef.key to one of its keys", "The key is the entry under data of the Secret."},
		{"TOK106", Fail, "The user token in the Secret %q, key %q, is empty.", "update the Secret with the user token", "An empty entry counts as no token."},
		{"TOK107", Fail, "The user token has %s; it cannot be sent in a header.", "write the Secret without a line break at its end (printf, not echo)", "A line break at the end comes from `echo` or an editor; the platform would reject the token."},
		{"TOK108", Fail, "The user token cannot be in the Secret %s: app-proxy writes the runtime's own token there.", "name another Secret in global.codefresh.userToken.secretKeyRef", "app-proxy replaces what the Secret holds when it registers the runtime."},
	}
}

func accountTable() []Definition {
	return []Definition{
		unanswered("ACC100", "The platform is queried for the owner of the user token."),
		{"ACC101", Fail, "The platform %s rejects the user token (%s).", "create a new API key in the account's user settings, and set global.codefresh.userToken", "The key was revoked, belongs to another platform, or has a typo."},
		{"ACC102", Fail, "global.codefresh.url is not a URL of a platform: %s.", "global.codefresh.url: https://g.codefresh.io", "Scheme (http or https) and host are needed; a path is allowed."},
		{"ACC103", Fail, "The certificate of %s cannot be verified: %s.", "set the CA that signed it in global.codefresh.tls.caCerts.secret{create: true, content: ...}", "Self-hosted platforms often use a certificate of a private CA."},
		{"ACC104", Fail, "%s does not respond like the platform API: %s.", "check global.codefresh.url", "The address responded, but not as the platform does: a login page, a proxy, or another service."},
		{"ACC105", Fail, "global.codefresh.url is %s: tokens would travel unencrypted.", "use https://, or set global.codefresh.allowInsecureHTTP=true if the network is trusted", "Anyone who can read the traffic could act as the user, and as the runtime. No token is sent before the values allow it."},
		unanswered("ACC200", "Registering a runtime needs an administrator of the active account."),
		{"ACC201", Fail, "The user %q is not an administrator of the account %q.", "ask an administrator for the role, or use an administrator's API key", "The platform rejects a registration by anyone else."},
		{"ACC202", Fail, "The user %q has no active account.", "sign in to the platform once and choose an account", "The runtime is registered in the active account of the token's user."},
		unanswered("ACC300", "The account id becomes part of the tunnel's host name and has to be the token's account."),
		{"ACC301", Fail, "global.codefresh.accountId is %q, but the user token belongs to the account %q (%s).", "--set global.codefresh.accountId=<account id of the token>", "The tunnel would be rejected: host name and token name different accounts."},
		unanswered("ACC400", "The platform is queried for the number of clusters that the account has and may have. Only on installs: a registered runtime is already counted."),
		{"ACC401", Fail, "The account %q has reached its limit of clusters: %d of %d.", "remove a runtime from the account, or ask Codefresh for a higher limit", "Every runtime counts as a cluster; the platform rejects further ones."},
	}
}

// asWarning returns the definition with the level Warn.
func (d Definition) asWarning() Definition {
	d.Level = Warn
	return d
}

// ofSchema returns the row of a schema violation; sentence and fix are the same in every program.
func ofSchema(code, why string) Definition {
	for _, rule := range valueschema.Rules() {
		if rule.Code == code {
			return Definition{Code: code, Level: Fail, Sentence: rule.Sentence, Fix: rule.Fix, Why: why}
		}
	}
	panic("findings: no rule " + code)
}
