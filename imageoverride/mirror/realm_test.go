package mirror_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/imageoverride/mirror"
	"gitops-runtime/internal/registry"
	"gitops-runtime/internal/registry/registrytest"
)

// second audit, finding 1: neither the source nor the target of a copy gets the password sent elsewhere
func TestCopyFollowsNoRealmWithoutTLS(t *testing.T) {
	made, other := registrytest.StartTLS(t), registrytest.Start(t)
	made.Failing(func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("WWW-Authenticate", `Bearer realm="http://169.254.169.254/token"`)
		w.WriteHeader(http.StatusUnauthorized)
		return true
	})
	registrytest.Push(t, other.Name+"/a:1", registrytest.Image(t, "a", 1))
	for from, to := range map[string]string{made.Name: other.Name, other.Name: made.Name} {
		var said []string
		journal, err := mirror.OpenJournal("")
		require.NoError(t, err)
		err = mirror.Copier{
			Access: registry.Access{Pause: pause, CAFile: made.CAFile}, Jobs: 1, Journal: journal,
			Report: func(event mirror.Event) { said = append(said, event.Err.Error()) },
		}.Copy(context.Background(), []mapping.Pair{{Source: from + "/a:1", Target: to + "/b:1"}})
		assert.Error(t, err)
		assert.Equal(t, []string{made.Name + " asks for a login at http://169.254.169.254/token, which gives up TLS; " +
			"nothing was sent there. Check the name of the registry, or report this to its operator"}, said)
	}
}
