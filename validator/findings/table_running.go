package findings

func podTable() []Definition {
	return []Definition{
		unanswered("POD100", "The pods of the release's workloads are read with their conditions, container states and events."),
		{"POD101", Fail, "The image %s cannot be pulled: %s.", "set the image in the values, or global.imagePullSecrets for a registry that asks for a password", "The container starts once a node can pull its image."},
		{"POD102", Fail, "The container %s cannot be configured: %s.", "create what is named, in the namespace of the release", "The kubelet starts a container only if every Secret and ConfigMap that its environment refers to exists."},
		{"POD103", Fail, "No node takes the pod: %s.", "add a node, or lower the requests of the component in the values", "The scheduler places a pod where its requests, volumes, taints and affinities fit."},
		{"POD104", Fail, "The container %s reached its memory limit of %s and was killed, %d times so far.", "raise the memory limit of the component in the values", "A container that exceeds its limit is killed by the kernel, whatever it does at the moment."},
		{"POD105", Fail, "The container %s ends again and again: exit code %d, %d restarts; last line: %s.", "kubectl logs of the container with --previous has the reason", "Kubernetes restarts a container with growing delays, up to five minutes."},
		{"POD106", Fail, "The container %s has not been ready for %s: %s.", "kubectl logs of the container has the reason", "A pod that is not ready gets no requests from Services."},
		{"POD107", Fail, "No pod can be created: %s.", "correct what the message names: a level of Pod Security, a quota, or a webhook", "The API server rejects the pods; the workload repeats its attempts."},
		{"POD108", Warn, "The container %s uses %s of its CPU limit of %s: it is throttled.", "raise the CPU limit of the component in the values, or remove it", "A container at its CPU limit pauses in every period of 100 ms, and its probes may fail."},
		{"POD109", Fail, "A volume cannot be mounted: %s.", "create what is named, in the namespace of the release", "The kubelet starts a pod after all of its volumes are mounted."},
		{"POD110", Fail, "The pod was evicted: %s.", "free or add storage or memory on the node, or lower what others use", "A node that runs out of disk or memory evicts pods."},
		{"POD111", Fail, "The workload has no pods: it is scaled to 0, and the release has %d.", "kubectl scale the workload back", "Nothing scales it up again, and helm upgrade does so only if the manifest changes or names the replicas."},
		unanswered("POD200", "The PersistentVolumeClaims of the namespace are read."),
		{"POD201", Fail, "The claim %s is not bound: %s.", "create a StorageClass, or a volume that fits the claim", "Pods that mount the claim wait until it is bound."},
	}
}

func secretTable() []Definition {
	return []Definition{
		unanswered("SEC100", "Pods refer to Secrets and ConfigMaps by name; a missing one is found before a pod restarts and waits for it."),
		{"SEC101", Fail, "The %s %q does not exist in namespace %s; it is needed by %s.", "create it in the namespace of the release", "A running pod keeps what it has read; the next one does not start."},
		{"SEC102", Fail, "The %s %q has no key %q, which is needed by %s.", "add the key", "A running pod keeps what it has read; the next one does not start."},
		unanswered("SEC200", "Certificates and JSON web tokens contain the time at which they expire. Tokens of Git providers do not: GIT300 asks the provider."),
		{"SEC201", Fail, "The token in the Secret %q, key %q, expired on %s.", "replace the token in the Secret, and restart the programs that read it", "The server rejects an expired token."},
		{"SEC202", Warn, "The token in the Secret %q, key %q, expires on %s.", "replace the token in the Secret before that day, and restart the programs that read it", "Reported 14 days before expiry."},
		{"SEC203", Fail, "The certificate %s in %s, key %q, expired on %s.", "replace the certificate, and restart the programs that read it", "Clients reject a server whose certificate has expired, and an expired CA verifies nothing."},
		{"SEC204", Warn, "The certificate %s in %s, key %q, expires on %s.", "replace the certificate before that day, and restart the programs that read it", "Reported 21 days before expiry."},
		{"SEC205", Fail, "The certificate in %s, key %q, cannot be read: %s.", "replace it with a certificate in PEM format", "A program that cannot parse its certificate does not start, or serves one of its own."},
		{"SEC206", Fail, "The certificate and the private key in the Secret %q do not belong together: %s.", "store both files of one certificate in the Secret", "A server cannot prove that a certificate is its own without the matching key."},
		{"SEC207", Fail, "The webhook %s calls the Service %s, whose certificate its CA does not verify.", "delete the Secret with the certificate, and restart the program that serves the webhook: it creates both again", "The API server rejects every object of the webhook's kinds if it cannot verify the webhook."},
	}
}

func pathTable() []Definition {
	return []Definition{
		unanswered("NET100", "What the NetworkPolicies of the cluster allow is computed, and compared with what those of the release allow."),
		{"NET101", Fail, "NetworkPolicies cut what the runtime needs: %s. The release allows it; these policies do not: %s.", "delete the policies that are named, or allow these connections in another one", "A direction of a pod is closed as soon as one policy selects it, except for what a policy allows."},
		unanswered("NET200", "Each Service of the release selects pods by their labels."),
		{"NET201", Fail, "The Service %s selects no pod.", "restore its selector and the labels of the pods: helm upgrade with the values of the release", "Requests to a Service without endpoints are rejected."},
		unanswered("NET300", "What programs report about their connections in the last minutes is read from their logs, so that each path is measured where it is used."),
		{"NET301", Fail, "%s cannot resolve %s (%d times in %s; last: %s).", "check the cluster's DNS, and the host name in the values", "The program asks the DNS of the cluster for the address of the host."},
		{"NET302", Fail, "%s cannot connect to %s (%d times in %s; last: %s).", "check that the host is up, and that firewalls, proxies and NetworkPolicies let the connection pass", "The host refuses the connection, or does not answer."},
		{"NET303", Fail, "%s does not trust the certificate of %s (%d times in %s; last: %s).", "set the CA that signed it: global.codefresh.tls.caCerts for the platform, argo-cd.configs.tls.certificates for Git", "The certificate is of a private CA, is for another host, or has expired."},
		{"NET304", Fail, "%s is rejected by %s (%d times in %s; last: %s).", "replace the token or password that the program uses, and restart it", "The server answers 401 or 403, or names the credentials."},
		unanswered("NET400", "Argo CD writes into the status of each Application why it cannot compare it."),
		{"NET401", Fail, "Argo CD cannot read %s for %s: %s.", "correct the URL, the credentials or the certificate of the repository in Argo CD", "Without the manifests nothing is synced."},
	}
}

func releaseTable() []Definition {
	return []Definition{
		unanswered("REL100", "Helm stores each revision of the release with its status in a Secret."),
		{"REL101", Fail, "Revision %d of the release is %s.", "helm status shows the state", "Helm refuses the next upgrade, or the last one is incomplete."},
		{"REL102", Fail, "The last sync of the Application %s, which installs the runtime, has %s: %s.", "correct what the message names, then sync the Application", "Argo CD applies the objects of a sync in order, and stops at the first that is rejected."},
		unanswered("REL200", "Each object of the release is read and compared with its manifest; fields that the manifest does not have are ignored."),
		{"REL201", Fail, "%s is missing.", "helm upgrade with the chart and the values of the release creates it again", "It was deleted after the last upgrade."},
		{"REL202", Warn, "%s differs from the release: %s.", "helm upgrade with the chart and the values of the release restores it; a change that you want belongs in the values", "It was changed after the last upgrade, and the next one may undo it."},
	}
}

func surroundingsTable() []Definition {
	return []Definition{
		unanswered("DEF100", "The schemas of the Argo CRDs on the cluster are compared with those of the chart."),
		{"DEF101", Fail, "The definition %s is older than the program: it lacks %s, such as %s.", "replace the definition with that of the chart", "The API server drops fields that a definition does not have, without an error."},
		{"DEF102", Fail, "The definition %s is missing.", "helm upgrade with the chart and the values of the release creates it again", "The program that serves the kind fails, and all of its objects are gone."},
		{"DEF103", Fail, "The definition %s does not serve version %s.", "replace the definition with that of the chart", "The program asks for objects of this version."},
		unanswered("BUS100", "Event buses, event sources and Sensors have conditions, and servers of JetStream report their state."),
		{"BUS101", Warn, "The event bus %s keeps events in memory or on the disk of the node: it has no volumes.", "set spec.jetstream.persistence", "Events that are not delivered yet are lost if its pods are deleted, or if the disk of the node is full."},
		{"BUS102", Fail, "The server %s of the event bus has disabled JetStream.", "free space on its disk, then delete the pod", "A server whose disk was full disables JetStream, and does not enable it when there is space again."},
		{"BUS103", Fail, "%s is not ready: %s.", "correct what the message names", "Events do not pass."},
		{"BUS104", Warn, "The server %s of the event bus uses %d %% of its storage.", "raise spec.jetstream.persistence.volumeSize, or deliver or limit the events (streamConfig.maxBytes)", "At the limit, events are rejected; a full disk disables the server."},
		unanswered("LOD100", "Nodes report the state of their disks and memory; Argo CD writes when a sync began; controllers measure their queues."),
		{"LOD101", Warn, "The queue %s of %s has %d items.", "raise the CPU limit, the replicas or the number of workers of the component in the values", "Objects wait longer than usual until they are processed."},
		{"LOD102", Warn, "The sync of the Application %s has been running for %s.", "argocd app get shows what it waits for; argocd app terminate-op ends it", "An Application syncs one revision at a time."},
		{"LOD103", Fail, "The node %s, which runs pods of the runtime, reports %s.", "free or add what the node lacks, or move the pods to another node", "A node under pressure evicts pods; one that is not ready loses them."},
		unanswered("CLK100", "The API server sends its time with each response, and kubelets write theirs into their leases."),
		{"CLK101", Fail, "The clock of the node %s is %s %s of the API server's.", "synchronize the clock of the node, for example by chrony", "Certificates and tokens seem expired, or not valid yet, to programs on the node."},
		{"CLK102", Warn, "The clock of this machine is %s %s of the API server's.", "synchronize the clock of this machine", "What this report says about expiry and durations is off by as much."},
	}
}
