package platformapi

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
)

// applicationResult is what the platform knows of an Application from the events of its runtime.
type applicationResult struct {
	Metadata   metadataResult
	SpecSource *sourceResult
}

type sourceResult struct{ RepoURL, TargetRevision, Path *string }

type applicationsResult struct {
	Edges    []struct{ Node *applicationResult }
	PageInfo pageInfo
}

type promotionTemplateResult struct {
	Promotion     []struct{ Glob, JsonPaths *undocumented } //nolint:revive,staticcheck // the schema's field names
	VersionSource struct{ File, JsonPath string }           //nolint:revive,staticcheck // the schema's field names
}

type productComponentResult struct {
	ID                  string
	PendingPullRequests *[]struct{ Repo, ID *string }
}

// known returns the Applications of an account by runtime, namespace and name, each from its last event.
func (s *store) known(account string) map[[3]string]*applicationResult {
	found := map[[3]string]*applicationResult{}
	for _, event := range s.reported("Application", "") {
		if event.Account == account {
			key := [3]string{event.Runtime, event.Object.Namespace, event.Object.Name}
			if application := applicationOf(event); application != nil {
				found[key] = application
			}
		}
	}
	return found
}

// applicationOf returns the Application of an event, nil if the event does not contain it.
func applicationOf(event Event) *applicationResult {
	var payload struct{ Data struct{ Object string } }
	var object struct {
		Spec struct {
			Source      sourceResult
			Destination struct{ Server string }
		}
	}
	if json.Unmarshal(event.Payload, &payload) != nil {
		return nil
	}
	text, err := base64.StdEncoding.DecodeString(payload.Data.Object)
	if err != nil || json.Unmarshal(text, &object) != nil {
		return nil
	}
	return &applicationResult{SpecSource: &object.Spec.Source, Metadata: metadataResult{
		Group: "argoproj.io", Version: "v1alpha1", Kind: "Application", Name: event.Object.Name, Runtime: event.Runtime, Account: event.Account,
		Namespace: &event.Object.Namespace, Cluster: &object.Spec.Destination.Server,
	}}
}

// Application returns an Application that a runtime of the token's account has reported.
func (r *resolver) Application(ctx context.Context, args struct{ Runtime, Namespace, Name string }) *applicationResult {
	return r.data.known(who(ctx).account)[[3]string{args.Runtime, args.Namespace, args.Name}]
}

// Applications returns the reported Applications; those of the filter inactive are none.
func (r *resolver) Applications(ctx context.Context, args struct {
	Pagination struct{ First *int32 }
	Filters    *struct{ Inactive, IncludeComponents *bool }
},
) *applicationsResult {
	result := &applicationsResult{Edges: []struct{ Node *applicationResult }{}}
	if args.Filters != nil && args.Filters.Inactive != nil && *args.Filters.Inactive {
		return result
	}
	known := r.data.known(who(ctx).account)
	keys := slices.SortedFunc(maps.Keys(known), func(a, b [3]string) int { return slices.Compare(a[:], b[:]) })
	for _, key := range keys {
		result.Edges = append(result.Edges, struct{ Node *applicationResult }{known[key]})
	}
	return result
}

// PromotionTemplate returns a template that selects nothing, as recorded for a product without one.
func (r *resolver) PromotionTemplate(struct{ Runtime, Namespace, Name string }) *promotionTemplateResult {
	return &promotionTemplateResult{Promotion: []struct{ Glob, JsonPaths *undocumented }{}} //nolint:revive,staticcheck // the schema's field names
}

// ProductComponentsList returns none: the stand-in has no pull requests.
func (r *resolver) ProductComponentsList(struct {
	Filters *struct{ HasPendingPullRequests *bool }
},
) *[]productComponentResult {
	return &[]productComponentResult{}
}
