package elector_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"

	"gitops-runtime/tests/standin/elector"
)

func candidate(client kubernetes.Interface, id string) *elector.Elector {
	return elector.New(elector.Options{
		Client: client, Namespace: "codefresh", Name: "cap-app-proxy", ID: id,
		Duration: 900 * time.Millisecond, Renewal: 600 * time.Millisecond, Log: slog.New(slog.DiscardHandler),
	})
}

// start runs a candidate until the returned function is called.
func start(t *testing.T, one *elector.Elector) func() {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- one.Run(ctx) }()
	return func() {
		cancel()
		require.NoError(t, <-ended)
	}
}

func answer(handler http.Handler, path string) (int, string) {
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, path, nil))
	return recorder.Code, recorder.Body.String()
}

func TestLeaseMovesToTheOther(t *testing.T) {
	t.Parallel()
	client := fake.NewClientset()
	first, second := candidate(client, "first"), candidate(client, "second")
	stopFirst := start(t, first)
	leads := func(one *elector.Elector, leader string) {
		t.Helper()
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			status, body := answer(one.Handler(), "/")
			assert.Equal(c, http.StatusOK, status)
			assert.JSONEq(c, `{"name":"`+leader+`"}`, body)
		}, 10*time.Second, 20*time.Millisecond)
	}
	leads(first, "first")
	stopSecond := start(t, second)
	leads(second, "first")
	stopFirst()
	leads(second, "second")
	stopSecond()
}

func TestHealth(t *testing.T) {
	t.Parallel()
	handler := candidate(fake.NewClientset(), "only").Handler()
	for path, want := range map[string]int{"/healthz": http.StatusOK, "/readyz": http.StatusOK, "/": http.StatusOK, "/other": http.StatusNotFound} {
		status, _ := answer(handler, path)
		assert.Equal(t, want, status, path)
	}
}

func TestUnfitTimes(t *testing.T) {
	t.Parallel()
	unfit := elector.New(elector.Options{Client: fake.NewClientset(), Name: "cap-app-proxy", ID: "only", Duration: time.Second, Renewal: 2 * time.Second})
	assert.EqualError(t, unfit.Run(t.Context()), "the election of cap-app-proxy: leaseDuration must be greater than renewDeadline")
}
