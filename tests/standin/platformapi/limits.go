package platformapi

import (
	"context"
	"math"
)

// Limits are the limits of an account; nil means no limit.
type Limits struct {
	Clusters     *int32 `json:"clusters,omitempty"`
	Applications *int32 `json:"applications,omitempty"`
}

type limitsResult struct {
	Usage  *Limits
	Limits *Limits
	Status *bool
}

// LimitsStatus counts the runtimes of the user's account as its clusters; the stand-in stores no applications.
func (r *resolver) LimitsStatus(ctx context.Context) *limitsResult {
	user := who(ctx).user
	if user == nil {
		return nil
	}
	account, known := r.data.account(user.Account)
	if !known {
		return nil
	}
	clusters, applications := int32(min(len(r.data.list(account.ID)), math.MaxInt32)), int32(0) //nolint:gosec // bounded
	status := account.Limits == nil || account.Limits.Clusters == nil || clusters < *account.Limits.Clusters
	return &limitsResult{Usage: &Limits{Clusters: &clusters, Applications: &applications}, Limits: account.Limits, Status: &status}
}
