package appproxy

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"gitops-runtime/tests/standin/elector"
)

// leads reports whether this pod is the leader: it is if it is the only one, or if its elector sidecar returns its name. That the elector responds
// with {"name": the leader} is an assumption of the stand-ins; the contract contains only its port and its probes.
func leads(ctx context.Context, id string, electorURL string) (bool, error) {
	if id == "" {
		return true, nil
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, electorURL, nil)
	if err != nil {
		return false, err
	}
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil {
		return false, fmt.Errorf("asking the leader elector: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	var leader struct{ Name string }
	if err := json.NewDecoder(io.LimitReader(response.Body, 1<<16)).Decode(&leader); err != nil {
		return false, fmt.Errorf("asking the leader elector: %w", err)
	}
	return leader.Name == id, nil
}

// electorURL returns the URL of the pod's elector sidecar.
func electorURL() string { return "http://localhost:" + strconv.Itoa(elector.Port) + "/" }
