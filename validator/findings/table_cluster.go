package findings

func gitTable() []Definition {
	return []Definition{
		unanswered("GIT100", "A Git password, as a value or in a Secret, has to be readable."),
		{"GIT101", Fail, "The reference to the Git password's Secret has no %s.", "set global.runtime.gitCredentials.password.secretKeyRef.name and .key", "Name and key are both needed to find the password."},
		{"GIT102", Fail, "The Secret %q with the Git password does not exist in namespace %s.", "kubectl create secret generic <name> --namespace <namespace> --from-literal=<key>=<Git password>", "It is read by the runtime's pods, so it has to be in the namespace of the release."},
		{"GIT103", Fail, "The Secret %q with the Git password has no key %q (it has: %s).", "set global.runtime.gitCredentials.password.secretKeyRef.key to one of its keys", "The key is the entry under data of the Secret."},
		{"GIT104", Fail, "The Git password in the Secret %q, key %q, is empty.", "update the Secret with the Git password", "An empty entry counts as no password."},
		unanswered("GIT200", "Provider and API URL are those of the account; a token is only sent to that host."),
		{"GIT201", Fail, "The account's Git provider %q is not supported.", "choose a Git provider in the account's settings", "Supported providers are GitHub, GitLab, Bitbucket, Bitbucket Server and Gerrit."},
		{"GIT202", Fail, "The account's Git API URL is not an http or https URL: %s.", "correct the API URL in the account's settings", "The runtime and this check call the Git provider at this URL."},
		{"GIT203", Fail, "The account's Git API is %s: the Git token would travel unencrypted.", "correct the API URL in the account's settings, or set global.codefresh.allowInsecureHTTP=true if the network is trusted", "Anyone who can read the traffic could write to the repositories. The token is not sent before the values allow it."},
		unanswered("GIT300", "The provider is queried, only with GET, whether the token is valid and which permissions it has. app-proxy.config.skipGitPermissionValidation skips this."),
		{"GIT301", Fail, "%s rejects the Git token (HTTP %d).", "create a new token at the provider and set global.runtime.gitCredentials.password", "The token was revoked, has expired, or belongs to another server."},
		{"GIT302", Fail, "The Git token lacks %s.", "create a token with these scopes at the provider", "The runtime commits to repositories and manages their webhooks."},
		{"GIT303", Fail, "The Git token expired on %s.", "create a new token at the provider", "An expired token stops every sync."},
		{"GIT304", Warn, "The Git token expires on %s.", "create a new token before that day", "Reported 14 days before expiry, so that the runtime does not stop unexpectedly."},
		{"GIT305", Fail, "The Git token is a project token, which the runtime cannot use.", "create a personal access token or a group access token", "A project's token cannot manage the webhooks of other projects."},
		{"GIT306", Fail, "The certificate of %s cannot be verified: %s.", "set the CA that signed it in global.codefresh.tls.caCerts.secret{create: true, content: ...}", "Self-hosted Git servers often use a certificate of a private CA."},
	}
}

func certificateTable() []Definition {
	return []Definition{
		unanswered("CRT100", "A bundle of CA certificates in the values is parsed before it is used."),
		{"CRT101", Fail, "The CA bundle contains no certificate in PEM format.", "paste the certificates, each between BEGIN CERTIFICATE and END CERTIFICATE", "The bundle becomes a file that programs read as PEM."},
		{"CRT102", Fail, "Certificate %d of the CA bundle cannot be read: %s.", "paste the certificate again, with every line", "A line lost in copying is the usual cause."},
		{"CRT103", Fail, "Certificate %d of the CA bundle (%s) is not a CA certificate.", "use the certificate of the issuer, not of the server", "Only a CA certificate can verify others."},
		{"CRT104", Fail, "Certificate %d of the CA bundle (%s) expired on %s.", "use the current certificate of the CA", "An expired CA verifies nothing."},
		{"CRT105", Warn, "Certificate %d of the CA bundle (%s) expires on %s.", "replace it with the next certificate of the CA before that day", "Reported 30 days before expiry."},
		{"CRT108", Fail, "The reference to the CA bundle's Secret has no %s.", "set global.codefresh.tls.caCerts.secretKeyRef.name and .key", "Name and key are both needed to find the bundle."},
		{"CRT109", Fail, "The CA bundle in the Secret %q, key %q, is empty.", "update the Secret with the CA bundle", "An empty bundle verifies nothing."},
		{"CRT106", Fail, "The Secret %q with the CA bundle does not exist in namespace %s.", "kubectl create secret generic <name> --namespace <namespace> --from-file=<key>=<CA bundle>", "It is mounted into the runtime's pods, so it has to be in the namespace of the release."},
		{"CRT107", Fail, "The Secret %q with the CA bundle has no key %q (it has: %s).", "set global.codefresh.tls.caCerts.secretKeyRef.key to one of its keys", "The key is the entry under data of the Secret."},
		unanswered("CRT200", "The certificates for Git webhooks of workflow pipelines are parsed."),
		{"CRT201", Fail, "The certificate for %s in workflowPipelinesGitWebhooks cannot be read: %s.", "paste the certificate again, between BEGIN CERTIFICATE and END CERTIFICATE", "It is merged with argo-cd.configs.tls.certificates and mounted as a file."},
	}
}

func clusterTable() []Definition {
	return []Definition{
		unanswered("CLU100", "The version of the cluster is queried."),
		{"CLU101", Fail, "The cluster runs Kubernetes %s; the runtime needs %s or later.", "upgrade the cluster", "Older servers lack the API versions the chart renders."},
		unanswered("CLU200", "The nodes are listed with their allocatable resources and, for an upgrade, what the pods of the cluster leave of them."),
		{"CLU201", Warn, "No node offers 2 CPU and 5000 MB of memory (the largest: %s).", "add a larger node", "Smaller nodes can still run the runtime with lowered requests, so this is only a warning."},
		{"CLU202", Warn, "While the upgrade runs, it needs %s of memory more than the release, and no node has room for another pod of: %s.", "add a node, or end other pods", "The new pods stay Pending while the old ones hold the room, so the upgrade does not end. By default only internal-router starts a pod before the old one ends."},
		unanswered("CLU300", "The permissions of the user who runs the install are checked for every kind that the chart renders."),
		{"CLU301", Fail, "Missing permission to create %s.", "install with an account that has the permission; kubectl auth can-i --list shows the permissions of this one", "Helm would fail halfway through the install."},
		unanswered("CLU400", "The owners of the Argo CRDs on the cluster are determined."),
		{"CLU401", Warn, "The CRDs %s belong to %s; this release leaves them as they are.", "keep them at a version that serves this release's Argo, or transfer them to this release with kubectl label and kubectl annotate; a run prints the two commands", "Helm adopts an object only when its labels and annotations name the release, and an owner that upgrades or removes them also affects this release."},
		unanswered("CLU500", "The cluster is searched for another Argo CD, Argo Rollouts, Argo Events, Argo Workflows and sealed-secrets."),
		{"CLU501", Warn, "%s already runs in namespace %s, and this one has %s.", "set a fullnameOverride for this one, and the resource tracking method annotation+label for Argo CD", "Two controllers that share names or tracking labels conflict; with different names and annotation tracking two Argo CDs can run side by side."},
		{"CLU502", Fail, "%s already runs on this cluster (Deployment %s): it and this release's would both act on the %s of every namespace.", "leave this one out, give it an instance ID if it has that value, or limit both to their namespaces", "Two controllers would change the same objects in turn, whatever their names are: each holds a lease of its own."},
		{"CLU503", Warn, "%s: the controller of %s acts on the %s of namespace %s, as does that of %s.", "limit the controller that acts on every namespace to its own", "Both act on the objects of that namespace; elsewhere they do not meet."},
		unanswered("CLU600", "The cluster is searched for another runtime."),
		{"CLU601", Fail, "A runtime is already installed on this cluster, in namespace %s.", "set global.runtime.singleNamespace=true in both, or use another cluster", "Cluster-wide controllers of two runtimes would manage the same objects."},
		unanswered("CLU700", "With argo-cd.enabled=false the external Argo CD has to exist."),
		{"CLU701", Fail, "The Service %q of the external Argo CD does not exist in namespace %s.", "set global.integrations.argo-cd.server.svc to the Service of your Argo CD", "The runtime uses this Argo CD."},
		{"CLU702", Fail, "The external Argo CD is version %s; the runtime works with %s.", "install a version of that range, or set argo-cd.enabled=true", "The runtime's images are built against the API of these versions."},
		{"CLU703", Fail, "The Service %q of the external Argo CD's repo-server does not exist in namespace %s.", "set global.integrations.argo-cd.repoServer.svc to the Service of its repo-server", "The runtime's programs read the manifests of applications from it."},
		unanswered("CLU800", "The version of the release and its controllers are determined."),
		{"CLU801", Fail, "This release has no %s, and the upgrade would install it.", "set the value that is named to true, to add it, or to false, to leave it out", "A controller of your own would be joined by a second one, which acts on the same objects. A new runtime gets it, and an upgrade does not change what a value says."},
		{"CLU802", Fail, "The release is of %s; this chart upgrades releases of 0.24 and later.", "upgrade the release with the published chart to 0.24 or later first, or install this runtime in a new namespace", "Only 0.24 to 0.30 were compared with this chart; objects of older charts have other names, and selectors that cannot be changed."},
		unanswered("CLU900", "The programs sign in to Argo CD with the password or the token in this Secret."),
		{"CLU901", Fail, "The reference to the Secret with the credentials for Argo CD has no %s.", "set name and key of {value}", "Name and key are both needed to read the entry."},
		{"CLU902", Fail, "The Secret %q with the credentials for Argo CD does not exist in namespace %s.", "kubectl create secret generic <name> --namespace <namespace> --from-literal=<key>=<password or token>", "app-proxy would stay in CreateContainerConfigError."},
		{"CLU903", Fail, "The Secret %q with the credentials for Argo CD has no key %q (it has: %s).", "set the key of {value} to one of its keys", "app-proxy would stay in CreateContainerConfigError."},
		{"CLU904", Fail, "The entry with the credentials for Argo CD in the Secret %q, key %q, is empty.", "update the Secret", "Argo CD refuses an empty password or token."},
	}
}
