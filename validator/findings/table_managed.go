package findings

func managedTable() []Definition {
	return []Definition{
		unanswered("MCL100", "Each cluster Secret of Argo CD in the namespace of the release is used as Argo CD uses it: the connection is opened, and the permissions of the account are listed. The hook has no permission to list Secrets; a run on your machine and doctor check them."),
		{"MCL101", Fail, "The cluster Secret %q cannot be used: %s.", "register the cluster as docs/managed-clusters.md describes", "Argo CD skips a cluster Secret that it cannot read, and the Applications of that cluster report an error."},
		{"MCL102", Fail, "The certificate of %s (cluster %s) cannot be verified: %s. The CA is in the Secret %q.", "set cluster.ca of charts/managed-cluster to the CA of that API server: on the managed cluster, kubectl get configmap kube-root-ca.crt --output jsonpath='{.data.ca\\.crt}'; a name that the certificate does not have belongs into cluster.serverName", "Argo CD does not connect to a server that it cannot verify. The CA changes when a cluster is created again."},
		{"MCL103", Fail, "Cluster %s accepts no token of the Secret %q.", "store a first token, and run the CronJob of charts/managed-cluster", "The token expired because its rotation did not run, or the account was deleted or created again."},
		{"MCL104", Fail, "The account of cluster %s lacks %s.", "add it to kinds and namespaces of charts/managed-cluster and upgrade it on that cluster, or remove it from the AppProject", "A sync that an AppProject permits would end in a 403 of that cluster."},
		{"MCL105", Warn, "The account of cluster %s may not list every kind in namespace %s, and resource.respectRBAC is not set: no Application of that cluster syncs, unless resource.exclusions names those kinds.", "--set argo-cd.configs.cm.resource\\.respectRBAC=normal", "Argo CD's cache lists every kind that a cluster serves, and by default one that it may not list is an error of the whole cluster."},
		{"MCL106", Warn, "The certificate of %s (cluster %s) is not verified: tlsClientConfig.insecure is set in the Secret %q.", "set caData instead, or register the cluster with charts/managed-cluster", "Whoever answers at that address receives the token."},
		{"MCL107", Warn, "The token of cluster %s in the Secret %q never expires.", "register the cluster with charts/managed-cluster, whose token is replaced several times a day", "Whoever has read the Secret once keeps the permissions of the account until it is deleted."},
	}
}
