package platformapi

import (
	"cmp"
	"context"
	"fmt"

	"github.com/graph-gophers/graphql-go"
)

// resolver resolves the fields of Query and Mutation.
type resolver struct{ data *store }

type installationArgs struct {
	RuntimeName, Cluster, RuntimeVersion            string
	ComponentNames                                  []*string
	RuntimeNamespace, InstallationType              *string
	Managed                                         *bool
	ChartVersion, IngressHost                       *string
	IngressClass, IngressController                 *string
	IsExternalArgoCd                                *bool
	InternalIngressHost, GatewayName                *string
	GatewayNamespace, Repo, GitProvider, AccessMode *string
	Recover                                         *bool
}

func who(ctx context.Context) caller {
	found, _ := ctx.Value(callerKey{}).(caller)
	return found
}

// Me returns the user or the runtime that the token belongs to.
func (r *resolver) Me(ctx context.Context) *userResult {
	asking := who(ctx)
	account := r.accountResult(asking.account)
	if asking.user == nil {
		return &userResult{ID: graphql.ID(asking.runtime.Name), Name: asking.runtime.Name, Status: "active", RuntimeName: &asking.runtime.Name, ActiveAccount: account}
	}
	admin := r.data.isAdmin(asking)
	result := &userResult{
		ID: graphql.ID(asking.user.ID), Name: asking.user.Name, Email: asking.user.ID + "@example.com", Status: "active",
		IsAdmin: &admin, ActiveAccount: account,
	}
	if account != nil {
		result.Accounts = &[]*accountResult{account}
	}
	return result
}

func (r *resolver) accountResult(id string) *accountResult {
	account, ok := r.data.account(id)
	if !ok {
		return nil
	}
	enforced, validated := account.Limits != nil, true
	result := &accountResult{
		ID: graphql.ID(account.ID), Name: account.Name, GitProvider: optional(account.GitProvider),
		GitApiUrl: optional(account.GitAPIURL), SharedConfigRepo: optional(account.SharedConfigRepo),
		Admins: make([]graphql.ID, len(account.Admins)), CsdpValidated: &validated, Features: &featuresResult{GitopsPlanEnforcement: &enforced},
	}
	for i, admin := range account.Admins {
		result.Admins[i] = graphql.ID(admin)
	}
	return result
}

// Runtime returns the named runtime of the token's account.
func (r *resolver) Runtime(ctx context.Context, args struct{ Name string }) *runtimeResult {
	runtime, ok := r.data.runtime(who(ctx).account, args.Name)
	if !ok {
		return nil
	}
	return newRuntimeResult(runtime)
}

// Runtimes returns all runtimes of the token's account.
func (r *resolver) Runtimes(ctx context.Context) []*runtimeResult {
	results := []*runtimeResult{}
	if account := who(ctx).account; account != "" {
		for _, runtime := range r.data.list(account) {
			results = append(results, newRuntimeResult(runtime))
		}
	}
	return results
}

// ShouldBeImplicitConfigurationRuntime always returns false: the seed has no such account.
func (r *resolver) ShouldBeImplicitConfigurationRuntime() *bool { return new(bool) }

// GitSources returns none: the platform learns of Git sources from app-proxy, which creates them; the stand-ins do not.
func (r *resolver) GitSources(struct {
	Pagination       *struct{ First *int32 }
	Project, Runtime *string
},
) *gitSourcesResult {
	return &gitSourcesResult{Edges: []gitSourceEdge{}}
}

// GetSealingKey returns a key that SaveSealingKey has stored.
func (r *resolver) GetSealingKey(ctx context.Context, args struct{ ID string }) *string {
	key, ok := r.data.sealingKey(who(ctx).account, args.ID)
	if !ok {
		return nil
	}
	return &key
}

// ProductReleaseTasks returns the tasks that a test has added for the runtime of the token. Each is returned once.
func (r *resolver) ProductReleaseTasks(ctx context.Context) (*[]Task, error) {
	if who(ctx).runtime == nil {
		return nil, refused(errRuntimeOnly)
	}
	tasks := append([]Task{}, r.data.takeTasks(who(ctx).runtime.Name)...)
	return &tasks, nil
}

// ProductReleaseRunHooksTasks returns none.
func (r *resolver) ProductReleaseRunHooksTasks(ctx context.Context) (*[]hookTaskResult, error) {
	if who(ctx).runtime == nil {
		return nil, refused(errRuntimeOnly)
	}
	return &[]hookTaskResult{}, nil
}

// ProductReleaseCommitStatuses returns none.
func (r *resolver) ProductReleaseCommitStatuses(ctx context.Context) (*[]commitStatusResult, error) {
	if who(ctx).runtime == nil {
		return nil, refused(errRuntimeOnly)
	}
	return &[]commitStatusResult{}, nil
}

// CreateRuntime registers a runtime.
func (r *resolver) CreateRuntime(ctx context.Context, args struct{ InstallationArgs installationArgs }) (*struct{ Name, NewAccessToken string }, error) {
	given := args.InstallationArgs
	text := func(value *string) string { return *cmp.Or(value, new(string)) }
	runtime, err := r.data.register(who(ctx), Runtime{
		Name: given.RuntimeName, Cluster: given.Cluster, Version: given.RuntimeVersion, ChartVersion: text(given.ChartVersion),
		Namespace: text(given.RuntimeNamespace), IngressHost: text(given.IngressHost), IngressClass: text(given.IngressClass),
		IngressController: text(given.IngressController), InstallationType: text(given.InstallationType), AccessMode: text(given.AccessMode),
		Managed: *cmp.Or(given.Managed, new(bool)), ExternalArgoCD: *cmp.Or(given.IsExternalArgoCd, new(bool)),
	})
	if err != nil {
		return nil, refused(err)
	}
	return &struct{ Name, NewAccessToken string }{runtime.Name, runtime.Token}, nil
}

// DeleteRuntime removes a runtime.
func (r *resolver) DeleteRuntime(ctx context.Context, args struct{ Name string }) (int32, error) {
	removed, err := r.data.remove(who(ctx), args.Name)
	if err != nil {
		return 0, refused(err)
	}
	return int32(removed), nil //nolint:gosec // 0 or 1
}

// ReportRuntimeErrors stores the errors of a runtime of the account.
func (r *resolver) ReportRuntimeErrors(ctx context.Context, args struct {
	ReportErrorsArgs struct {
		Runtime string
		Errors  *[]RuntimeError
	}
},
) (int32, error) {
	given := args.ReportErrorsArgs
	if given.Errors == nil {
		return 0, nil
	}
	if err := r.data.keepErrors(who(ctx).account, given.Runtime, *given.Errors); err != nil {
		return 0, refused(err)
	}
	return int32(len(*given.Errors)), nil //nolint:gosec // a few
}

// SaveSealingKey stores a private key of sealed-secrets, and returns its id.
func (r *resolver) SaveSealingKey(ctx context.Context, args struct{ PrivateKey string }) (*string, error) {
	if args.PrivateKey == "" {
		return nil, fmt.Errorf("privateKey is empty")
	}
	id := r.data.keepSealingKey(who(ctx).account, args.PrivateKey)
	return &id, nil
}

// UpdateRuntimeClusters accepts any clusters; the response of the real platform is not known.
func (r *resolver) UpdateRuntimeClusters(struct{ Clusters *undocumented }) *undocumented { return nil }
