package platformapi

import (
	"cmp"

	"github.com/graph-gophers/graphql-go"
)

// The results of the schema's types are plain structs with the field names of the schema.

type userResult struct {
	ID                  graphql.ID
	Name, Email, Status string
	IsAdmin             *bool
	RuntimeName         *string
	Accounts            *[]*accountResult
	ActiveAccount       *accountResult
}

type accountResult struct {
	ID                                       graphql.ID
	Name                                     string
	GitProvider, GitApiUrl, SharedConfigRepo *string //nolint:revive,staticcheck // the schema's field names
	Admins                                   []graphql.ID
	CsdpValidated                            *bool
	Features                                 *featuresResult
}

type featuresResult struct{ GitopsPlanEnforcement *bool }

type runtimeResult struct {
	Metadata                                              metadataResult
	Self                                                  *selfResult
	SyncStatus                                            string
	HealthStatus, HealthMessage, Cluster                  *string
	Managed, IsRemoteClusterConnected, Available          bool
	IsConfigurationRuntime                                bool
	IngressHost, InternalIngressHost                      *string
	IngressClass, IngressController                       *string
	GatewayName, GatewayNamespace                         *string
	RuntimeVersion, ChartVersion                          *string
	InstallationStatus, InstallationType                  string
	Repo                                                  *string
	ManagedClustersNum                                    int32
	GitProvider                                           *string
	AccessMode                                            string
	LastUpdated                                           *string
	IsExternalArgoCD, IsNamespacedRuntime, IscInitialized *bool
	Status                                                runtimeStatusResult
}

type selfResult struct {
	SyncStatus                  string
	HealthStatus, HealthMessage *string
}

type runtimeStatusResult struct {
	AppProxyStarted, GitSourceConfigured, DefaultGitIntegration, EncryptionKey, EncryptionIv undocumented
	EventReporterArgoCDToken, Isc, RuntimeGitToken, SyncMode, ArgoCdState                    undocumented
}

type metadataResult struct {
	Group, Version, Kind, Name, Runtime, Account  string
	Namespace, Cluster, Uid, Created, LastUpdated *string //nolint:revive,staticcheck // the schema's field names
	Labels, Annotations                           *[]*pairResult
}

type pairResult struct{ Key, Value string }

type gitSourcesResult struct {
	Edges    []gitSourceEdge
	PageInfo pageInfo
}

type gitSourceEdge struct{ Node gitSourceResult }

type gitSourceResult struct {
	Metadata    metadataResult
	Self        *struct{ RepoURL, Path, Revision *string }
	Permissions *struct {
		UserId      *string //nolint:revive,staticcheck // the schema's field name
		Read, Write *bool
	}
}

type pageInfo struct {
	StartCursor, EndCursor   *string
	HasNextPage, HasPrevPage bool
}

type hookTaskResult struct {
	Type                                                  *string
	Labels                                                *undocumented
	WorkflowTemplateName, WorkflowNamespace, WorkflowName *string
	Parameters                                            *undocumented
}

type commitStatusResult struct{ Sha, RepoURL, Status, Description, Context, TargetUrl *string } //nolint:revive,staticcheck // the schema's field names

func newRuntimeResult(runtime Runtime) *runtimeResult {
	no := undocumented{false} // the fields are required, but their content is not known
	return &runtimeResult{
		Metadata: metadataResult{
			Group: "argoproj.io", Version: "v1alpha1", Kind: "Application", Name: runtime.Name, Runtime: runtime.Name, Account: runtime.Account,
			Namespace: optional(runtime.Namespace), Cluster: optional(runtime.Cluster),
		},
		SyncStatus: "UNKNOWN", Cluster: optional(runtime.Cluster), Managed: runtime.Managed, IngressHost: optional(runtime.IngressHost),
		IngressClass: optional(runtime.IngressClass), IngressController: optional(runtime.IngressController),
		RuntimeVersion: optional(runtime.Version), ChartVersion: optional(runtime.ChartVersion), InstallationStatus: runtime.Status,
		InstallationType: cmp.Or(runtime.InstallationType, "HELM"), ManagedClustersNum: 1, AccessMode: cmp.Or(runtime.AccessMode, "INGRESS"), IsExternalArgoCD: &runtime.ExternalArgoCD,
		Status: runtimeStatusResult{
			AppProxyStarted: no, GitSourceConfigured: no, DefaultGitIntegration: no, EncryptionKey: no, EncryptionIv: no,
			EventReporterArgoCDToken: no, Isc: no, RuntimeGitToken: no, SyncMode: no, ArgoCdState: no,
		},
	}
}

func optional(value string) *string {
	if value == "" {
		return nil
	}
	return &value
}
