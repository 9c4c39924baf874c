package platform

// Amounts count what an account has or may have; nil is not limited.
type Amounts struct {
	Clusters     *int32 `json:"clusters,omitempty"`
	Applications *int32 `json:"applications,omitempty"`
}

func (a *Amounts) result() *amountsResult {
	if a == nil {
		return nil
	}
	return &amountsResult{Clusters: a.Clusters, Applications: a.Applications}
}
