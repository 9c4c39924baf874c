package platform

import (
	"cmp"
	"context"

	"github.com/graph-gophers/graphql-go"
)

// resolver answers the fields of Query and Mutation. Its result types are plain structs with the schema's field names.
type resolver struct{ data *store }

type userResult struct {
	ID            graphql.ID
	Name          string
	ActiveAccount *accountResult
}

type accountResult struct {
	ID                                       graphql.ID
	Name                                     string
	GitProvider, GitApiUrl, SharedConfigRepo *string //nolint:revive,staticcheck // the schema's field names
	Admins                                   []graphql.ID
}

type runtimeResult struct {
	Metadata           metadataResult
	Cluster            *string
	IngressHost        *string
	RuntimeVersion     *string
	InstallationStatus string
}

type metadataResult struct {
	Name      string
	Namespace *string
}

type creationResult struct {
	Name           string
	NewAccessToken string
}

type installationArgs struct {
	RuntimeName, Cluster, RuntimeVersion string
	Namespace, IngressHost, IngressClass *string
	IngressController, AccessMode        *string
	ComponentNames                       *[]string
}

func who(ctx context.Context) caller {
	found, _ := ctx.Value(callerKey{}).(caller)
	return found
}

// Me is the user of the token.
func (r *resolver) Me(ctx context.Context) *userResult {
	user := who(ctx).user
	if user == nil {
		return nil
	}
	result := &userResult{ID: graphql.ID(user.ID), Name: user.Name}
	if account, ok := r.data.account(user.Account); ok {
		result.ActiveAccount = &accountResult{
			ID: graphql.ID(account.ID), Name: account.Name, GitProvider: optional(account.GitProvider),
			GitApiUrl: optional(account.GitAPIURL), SharedConfigRepo: optional(account.SharedConfigRepo),
			Admins: make([]graphql.ID, len(account.Admins)),
		}
		for i, admin := range account.Admins {
			result.ActiveAccount.Admins[i] = graphql.ID(admin)
		}
	}
	return result
}

// Runtime is the named runtime of the token's account.
func (r *resolver) Runtime(ctx context.Context, args struct{ Name string }) *runtimeResult {
	runtime, ok := r.data.runtime(who(ctx).account, args.Name)
	if !ok {
		return nil
	}
	return newRuntimeResult(runtime)
}

// Runtimes are all runtimes of the token's account.
func (r *resolver) Runtimes(ctx context.Context) []*runtimeResult {
	results := []*runtimeResult{}
	if account := who(ctx).account; account != "" {
		for _, runtime := range r.data.list(account) {
			results = append(results, newRuntimeResult(runtime))
		}
	}
	return results
}

// CreateRuntime registers a runtime.
func (r *resolver) CreateRuntime(ctx context.Context, args struct{ InstallationArgs installationArgs }) (*creationResult, error) {
	given := args.InstallationArgs
	runtime, err := r.data.register(who(ctx), Runtime{
		Name: given.RuntimeName, Cluster: given.Cluster, Version: given.RuntimeVersion,
		Namespace: *cmp.Or(given.Namespace, new(string)), IngressHost: *cmp.Or(given.IngressHost, new(string)),
	})
	if err != nil {
		return nil, refused(err)
	}
	return &creationResult{Name: runtime.Name, NewAccessToken: runtime.Token}, nil
}

// DeleteRuntime removes a runtime.
func (r *resolver) DeleteRuntime(ctx context.Context, args struct{ Name string }) (int32, error) {
	removed, err := r.data.remove(who(ctx), args.Name)
	if err != nil {
		return 0, refused(err)
	}
	return int32(removed), nil //nolint:gosec // 0 or 1
}

func newRuntimeResult(runtime Runtime) *runtimeResult {
	return &runtimeResult{
		Metadata: metadataResult{Name: runtime.Name, Namespace: optional(runtime.Namespace)},
		Cluster:  optional(runtime.Cluster), IngressHost: optional(runtime.IngressHost),
		RuntimeVersion: optional(runtime.Version), InstallationStatus: runtime.Status,
	}
}

func optional(value string) *string {
	if value == "" {
		return nil
	}
	return &value
}
