//go:build e2e && nightly

package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"gitops-runtime/tests/e2e/install"
)

// Rates of the work of the runtime during faults. A revision follows after the previous one is synced.
const (
	revisionsEvery = 5 * time.Second
	refreshesEvery = 5 * time.Second
	workflowsEvery = 5 * time.Second
)

// syncedNamespace has the application's ConfigMap; workLabel is on the workflows.
const (
	syncedNamespace = "e2e-synced"
	workLabel       = "e2e-work"
)

var syncedApplication = objects("synced-application")

// work is what the runtime does in parallel to the traffic, until it is stopped: it syncs revisions of an application and runs workflows.
type work struct {
	*environment
	first      int // number of the traffic's first webhook, which is in names
	submission *unstructured.Unstructured

	mu        sync.Mutex
	committed int // revisions that are or are being committed to Git
	synced    int // revisions that the cluster has
	longest   time.Duration
	submitted int
	failed    []string // names of workflows that failed
}

// beginWork commits and submits in parallel to the traffic, until the test ends.
func (f *traffic) beginWork(t *testing.T) {
	t.Helper()
	w := &work{environment: f.environment, first: f.first}
	w.submission = documents(t, strings.NewReplacer("NAMESPACE", install.Namespace, "ACCOUNT", "argo-workflow", "IMAGE", standIn, "Always", "IfNotPresent").Replace(hello))[0]
	w.submission.SetLabels(map[string]string{workLabel: "true"})
	require.NoError(t, unstructured.SetNestedField(w.submission.Object, "OnPodCompletion", "spec", "podGC", "strategy"))
	f.applyHere(t, namespaceOf(syncedNamespace))
	w.commit(t, w.path(), w.revision(0)) // deleted after the test
	f.applyHere(t, syncedApplication)
	f.work = w
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() { w.sync(ctx) })
	group.Go(func() { w.submit(ctx) })
	t.Cleanup(func() {
		cancel()
		group.Wait()
	})
}

func (*work) path() string { return "e2e-synced/revision.yaml" }

func (*work) revision(number int) []byte {
	return fmt.Appendf(nil, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: revision}\ndata: {number: %q}\n", strconv.Itoa(number))
}

// sync commits revisions one by one. Until the cluster has one, it pushes it and refreshes the application repeatedly, as a waiting user does: Git
// or Argo CD may have been unavailable, or a server may have forgotten it.
func (w *work) sync(ctx context.Context) {
	for number := 1; ctx.Err() == nil; number++ {
		w.mu.Lock()
		w.committed = number
		w.mu.Unlock()
		begun := time.Now()
		for last := (time.Time{}); w.deployed(ctx) != number; sleep(ctx, 500*time.Millisecond) {
			if ctx.Err() != nil {
				return
			}
			if time.Since(last) > refreshesEvery {
				last = time.Now()
				w.push(ctx, number)
			}
		}
		w.mu.Lock()
		w.synced, w.longest = number, max(w.longest, time.Since(begun))
		w.mu.Unlock()
		sleep(ctx, revisionsEvery)
	}
}

// push commits a revision and refreshes the application. The caller retries failures.
func (w *work) push(ctx context.Context, number int) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if w.file(ctx, http.MethodPut, w.path(), w.revision(number)) == nil {
		_, _ = w.objects.Resource(argo("applications")).Namespace(install.Namespace).Patch(ctx, "e2e-synced", types.MergePatchType,
			[]byte(`{"metadata":{"annotations":{"argocd.argoproj.io/refresh":"normal"}}}`), metav1.PatchOptions{})
	}
}

// deployed returns the revision that the cluster has, or less than 0.
func (w *work) deployed(ctx context.Context) int {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	found, err := w.client.CoreV1().ConfigMaps(syncedNamespace).Get(ctx, "revision", metav1.GetOptions{})
	if err != nil {
		return -1
	}
	number, err := strconv.Atoi(found.Data["number"])
	if err != nil {
		return -1
	}
	return number
}

// submit submits workflows at a steady rate, each until the API server accepts it.
func (w *work) submit(ctx context.Context) {
	for number := 1; ctx.Err() == nil; number++ {
		workflow := w.submission.DeepCopy()
		workflow.SetName(fmt.Sprintf("e2e-work-%d-%d", w.first, number))
		for !w.create(ctx, workflow) {
			if ctx.Err() != nil {
				return
			}
			sleep(ctx, time.Second)
		}
		w.mu.Lock()
		w.submitted = number
		w.mu.Unlock()
		sleep(ctx, workflowsEvery)
	}
}

// create reports whether the API server has the workflow now; it may also have accepted it before without responding.
func (w *work) create(ctx context.Context, workflow *unstructured.Unstructured) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer cancel()
	_, err := w.objects.Resource(argo("workflows")).Namespace(install.Namespace).Create(ctx, workflow, metav1.CreateOptions{})
	return err == nil || apierrors.IsAlreadyExists(err)
}

// upToDate returns a condition: the cluster has the current last revision, or a later one.
func (w *work) upToDate() func(context.Context) error {
	w.mu.Lock()
	wanted := w.committed
	w.mu.Unlock()
	return func(context.Context) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.synced < wanted {
			return fmt.Errorf("the cluster has revision %d, and not yet %d", w.synced, wanted)
		}
		return nil
	}
}

// settled waits until the cluster has what was committed, and every workflow that was submitted has ended: none may fail.
func (w *work) settled(t *testing.T) done {
	t.Helper()
	eventually(t, "the application is synced", 5*time.Minute, w.upToDate())
	w.mu.Lock()
	now := done{synced: w.synced, submitted: w.submitted, longest: w.longest}
	w.longest = 0
	w.mu.Unlock()
	var failed []string
	var messages []string
	eventually(t, "every workflow has ended", 5*time.Minute, func(ctx context.Context) error {
		list, err := w.objects.Resource(argo("workflows")).Namespace(install.Namespace).List(ctx, metav1.ListOptions{LabelSelector: workLabel})
		if err != nil {
			return err
		}
		failed, messages = nil, nil
		ended, running := 0, ""
		for i := range list.Items {
			switch one := &list.Items[i]; field(one, "status", "phase") {
			case "Succeeded":
				ended++
			case "Failed", "Error":
				ended++
				failed = append(failed, one.GetName())
				messages = append(messages, one.GetName()+": "+field(one, "status", "message"))
			default:
				running = one.GetName() + " is " + field(one, "status", "phase") + ": " + field(one, "status", "message")
			}
		}
		if ended < now.submitted {
			return fmt.Errorf("%d of %d have ended; %s", ended, now.submitted, running)
		}
		return nil
	})
	assert.ElementsMatch(t, w.failed, failed, "workflows failed: %v", messages)
	w.failed = failed // not again after the next fault
	return now
}

// sleep waits for a time, or until the context ends.
func sleep(ctx context.Context, duration time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(duration):
	}
}
