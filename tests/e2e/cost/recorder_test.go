package cost

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// A recorder reads until it is stopped and then until each container was reported once more; a kubelet that fails once is read again, and a new
// container is omitted.
func TestRecorder(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	var requests atomic.Int64
	start := time.Now()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		answer := any(corev1.NodeList{TypeMeta: metav1.TypeMeta{Kind: "NodeList", APIVersion: "v1"}, Items: []corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "node"}}}})
		switch r.URL.Path {
		case "/api/v1/nodes/node/proxy/stats/summary":
			number := requests.Add(1)
			if number == 2 {
				http.Error(w, "busy", http.StatusServiceUnavailable)
				return
			}
			summary := reported("codefresh", "server-abc-1", "main", 0, time.Duration(number)*100*time.Millisecond, uint64(number)*mib) //nolint:gosec // a small number
			summary.Pods[0].Containers[0].CPU.Time = metav1.NewTime(start.Add(time.Duration(number) * time.Second))
			answer = summary
		case "/api/v1/namespaces/codefresh/pods":
			answer = corev1.PodList{TypeMeta: metav1.TypeMeta{Kind: "PodList", APIVersion: "v1"}, Items: []corev1.Pod{
				pod("server-abc-1", "server", "main", nil), pod("new-abc-1", "new", "main", nil),
			}}
		}
		assert.NoError(t, json.NewEncoder(w).Encode(answer))
	}))
	defer server.Close()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL})
	require.NoError(t, err)

	recorder := Record(t.Context(), client, 10*time.Millisecond, "codefresh")
	require.Eventually(t, func() bool { return requests.Load() > 4 }, 10*time.Second, time.Millisecond)
	got, err := recorder.Stop(t.Context())
	require.NoError(t, err)
	require.Len(t, got, 1)
	assert.Equal(t, [2]string{"server", "main"}, key(got[0]))
	assert.InDelta(t, 100, got[0].CPU, 0.01)
	assert.GreaterOrEqual(t, got[0].Memory, uint64(5*mib))
}
