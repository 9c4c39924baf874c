package kube_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"gitops-runtime/tests/standin/kube"
)

func TestSecrets(t *testing.T) {
	t.Parallel()
	client := fake.NewClientset()
	secrets := kube.Secrets{Client: client, Namespace: "codefresh", Manager: "app-proxy"}
	for _, read := range []func(context.Context, string) (map[string][]byte, error){secrets.Get, secrets.Find} {
		none, err := read(t.Context(), "codefresh-token")
		require.NoError(t, err)
		require.Nil(t, none)
	}
	require.NoError(t, secrets.Save(t.Context(), "codefresh-token", map[string][]byte{"token": []byte("t\n"), "encryptionIV": []byte("iv")}))
	require.NoError(t, secrets.Save(t.Context(), "codefresh-token", map[string][]byte{"token": []byte("u\n"), "encryptionIV": []byte("iv")}))
	for _, read := range []func(context.Context, string) (map[string][]byte, error){secrets.Get, secrets.Find} {
		kept, err := read(t.Context(), "codefresh-token")
		require.NoError(t, err)
		require.Equal(t, map[string][]byte{"token": []byte("u\n"), "encryptionIV": []byte("iv")}, kept)
		key, err := kube.Key(t.Context(), read, "codefresh-token", "token")
		require.NoError(t, err)
		require.Equal(t, "u", string(key))
		_, err = kube.Key(t.Context(), read, "codefresh-token", "other")
		require.EqualError(t, err, "the Secret codefresh-token has nothing under the key other")
	}
}

// Get gets by name, Find lists by a field, Save patches: accounts need these verbs.
func TestSecretVerbs(t *testing.T) {
	t.Parallel()
	client := fake.NewClientset()
	client.PrependReactor("*", "secrets", func(action clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, action.GetVerb(), nil)
	})
	secrets := kube.Secrets{Client: client, Namespace: "codefresh"}
	_, err := secrets.Get(t.Context(), "a")
	require.ErrorContains(t, err, `reading the Secret codefresh/a: secrets "get" is forbidden`)
	_, err = secrets.Find(t.Context(), "a")
	require.ErrorContains(t, err, `listing the Secret codefresh/a: secrets "list" is forbidden`)
	require.ErrorContains(t, secrets.Save(t.Context(), "a", nil), `writing the Secret codefresh/a: secrets "patch" is forbidden`)
}
