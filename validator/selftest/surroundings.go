package selftest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"gitops-runtime/internal/netfail"
	"gitops-runtime/validator/cluster"
)

// Cluster reads and writes the objects that tests name or create.
type Cluster interface {
	// Get reads the object at an API path.
	Get(ctx context.Context, path string, into any) error
	// Create creates an object in the collection at an API path.
	Create(ctx context.Context, collection string, object any) error
	// Merge changes an object by a JSON merge patch.
	Merge(ctx context.Context, path string, patch any) error
	// Delete requests the deletion of an object. Gone is true once it does not exist.
	Delete(ctx context.Context, path string) (gone bool, err error)
}

// Surroundings are the environment of a test: the cluster, the network, and its own pod.
type Surroundings struct {
	Namespace string
	Cluster   Cluster
	// HTTP sends network requests.
	HTTP *http.Client
	// Unverified is HTTP without verification of certificates, for requests without credentials.
	Unverified *http.Client
	// Listen opens the port that the pod's Service routes to.
	Listen func(ctx context.Context) (net.Listener, error)
	// Run is different for every run of a test.
	Run string
	// Program is the path of this program in its image.
	Program string
	// Pod contains the settings that pods created by a test share with its own.
	Pod Pod
	// Pause is the time between two attempts.
	Pause time.Duration
	// Closing is the time limit for the deletion of the objects that a test created.
	Closing time.Duration
}

// path returns the API path of an object in the namespace.
func (s Surroundings) path(group, resource, name string) string {
	version := "v1alpha1"
	if group == "" || group == "apps" {
		version = "v1"
	}
	return cluster.Object{Group: group, Version: version, Resource: resource, Name: name}.Path(s.Namespace)
}

// create creates an object of one of Argo's kinds in the namespace.
func (s Surroundings) create(ctx context.Context, resource string, object map[string]any) error {
	return withMessage(s.Cluster.Create(ctx, strings.TrimSuffix(s.path("argoproj.io", resource, ""), "/"), object))
}

// withMessage adds the server's message to an error of the API server.
func withMessage(err error) error {
	var answer *cluster.Error
	if errors.As(err, &answer) && answer.Message != "" {
		return fmt.Errorf("%w: %s", err, answer.Message)
	}
	return err
}

// final is an error after which retrying is pointless.
type final struct{ err error }

func (f final) Error() string { return f.err.Error() }
func (f final) Unwrap() error { return f.err }

// until calls look until it is done or returns a final error, or until ctx ends: then the error contains the last state or error.
func (s Surroundings) until(ctx context.Context, look func(ctx context.Context) (done bool, state string, err error)) (string, error) {
	start, last := time.Now(), "nothing"
	for {
		done, state, err := look(ctx)
		var end final
		switch {
		case ctx.Err() != nil:
			return "", fmt.Errorf("after %s: %s", time.Since(start).Round(time.Second), last)
		case errors.As(err, &end):
			return "", end.err
		case err != nil:
			last = err.Error()
		case done:
			return state, nil
		default:
			last = state
		}
		select {
		case <-ctx.Done():
		case <-time.After(s.Pause):
		}
	}
}

// watched reads an object for until: a server error is retried, a rejection is final.
func (s Surroundings) watched(ctx context.Context, path string, into any) error {
	err := s.Cluster.Get(ctx, path, into)
	var answer *cluster.Error
	if err == nil || errors.As(err, &answer) && (answer.Status == 0 || answer.Status >= http.StatusInternalServerError || answer.Status == http.StatusTooManyRequests) {
		return err
	}
	return final{withMessage(err)}
}

// remove deletes objects in parallel, and waits until they are gone. It ignores the cancellation of ctx, so that a test that has used up its time still
// deletes its objects.
func (s Surroundings) remove(ctx context.Context, paths ...string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Closing)
	defer cancel()
	_, err := s.until(ctx, func(ctx context.Context) (bool, string, error) {
		var left []string
		for _, path := range paths {
			gone, err := s.Cluster.Delete(ctx, path)
			if err != nil {
				return false, "", final{withMessage(err)}
			}
			if !gone {
				left = append(left, path[strings.LastIndex(path[:strings.LastIndex(path, "/")], "/")+1:])
			}
		}
		return len(left) == 0, "still there: " + strings.Join(left, ", "), nil
	})
	return err
}

// maxBody is the number of bytes that are read of a response.
const maxBody = 64 << 10

// reply is the response of a server.
type reply struct {
	status int
	kind   string // kind is the media type.
	body   string
}

// ask sends a GET request.
func (s Surroundings) ask(ctx context.Context, client *http.Client, address string) (reply, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return reply{}, fmt.Errorf("%s: %w", address, err)
	}
	return send(client, request)
}

func send(client *http.Client, request *http.Request) (reply, error) {
	response, err := client.Do(request)
	if err != nil {
		return reply{}, netfail.Classify(request.URL.Host, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
	if err != nil {
		return reply{}, netfail.Classify(request.URL.Host, err)
	}
	kind, _, _ := strings.Cut(response.Header.Get("Content-Type"), ";")
	return reply{status: response.StatusCode, kind: kind, body: strings.TrimSpace(string(body))}, nil
}

// NoCluster is a cluster that cannot be queried; every request returns Err.
type NoCluster struct{ Err error }

// Get returns Err.
func (n NoCluster) Get(context.Context, string, any) error { return n.Err }

// Create returns Err.
func (n NoCluster) Create(context.Context, string, any) error { return n.Err }

// Merge returns Err.
func (n NoCluster) Merge(context.Context, string, any) error { return n.Err }

// Delete returns Err.
func (n NoCluster) Delete(context.Context, string) (bool, error) { return false, n.Err }
