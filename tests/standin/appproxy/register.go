package appproxy

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"

	"gitops-runtime/tests/standin/codefresh"
	"gitops-runtime/tests/standin/recordings"
	"gitops-runtime/tests/standin/settings"
)

// The Secret that the runtime's other programs wait for, and its keys.
const (
	tokenSecret = "codefresh-token"
	tokenKey    = "token"
	storeIVKey  = "encryptionIV"
)

// Secrets reads and writes Secrets of the release's namespace; a missing Secret is nil.
type Secrets interface {
	Get(ctx context.Context, name string) (map[string][]byte, error)
	Save(ctx context.Context, name string, data map[string][]byte) error
}

// register returns the runtime's token: the token of the Secret, or the platform's response to createRuntime, which it stores in the Secret.
func register(ctx context.Context, given Settings, secrets Secrets, platform codefresh.Client, log *slog.Logger) (settings.Secret, error) {
	if given.Token != "" {
		return given.Token, nil
	}
	kept, err := secrets.Get(ctx, tokenSecret)
	if err != nil {
		return "", err
	}
	if token := kept[tokenKey]; len(token) > 0 {
		return settings.Secret(token), nil
	}
	if given.UserToken == "" {
		return "", codefresh.Refused{Reason: fmt.Sprintf("set the environment variable USER_TOKEN: the runtime %q is not registered, and RUNTIME_TOKEN has no value either", given.Runtime)}
	}
	var answer struct {
		CreateRuntime struct{ NewAccessToken string }
	}
	if err := platform.With(given.UserToken).GraphQL(ctx, recordings.Named("CreateRuntime").Query, map[string]any{"installationArgs": installationArgs(given)}, &answer); err != nil {
		return "", fmt.Errorf("registering the runtime %q: %w", given.Runtime, err)
	}
	token := answer.CreateRuntime.NewAccessToken
	if token == "" {
		return "", fmt.Errorf("registering the runtime %q: the platform answered without a token", given.Runtime)
	}
	iv, err := storeIV()
	if err != nil {
		return "", err
	}
	if err := secrets.Save(ctx, tokenSecret, map[string][]byte{tokenKey: []byte(token), storeIVKey: []byte(iv)}); err != nil {
		return "", err
	}
	log.InfoContext(ctx, "the runtime is registered", "runtime", given.Runtime, "platform", given.PlatformURL, "secret", tokenSecret)
	return settings.Secret(token), nil
}

// installationArgs returns the fields that app-proxy's component tests send.
func installationArgs(given Settings) map[string]any {
	return map[string]any{
		"runtimeName": given.Runtime, "cluster": given.Cluster, "runtimeVersion": given.RuntimeVersion, "componentNames": []string{},
		"runtimeNamespace": given.Namespace, "installationType": given.InstallationType, "managed": given.Managed, "chartVersion": given.ChartVersion,
		"ingressHost": given.IngressHost, "ingressClass": given.IngressClass, "ingressController": given.IngressController,
		"isExternalArgoCd": given.ExternalArgoCD,
	}
}

// storeIV returns a new random encryption IV. The format of the real program is unknown.
func storeIV() (string, error) {
	iv := make([]byte, 16)
	if _, err := rand.Read(iv); err != nil {
		return "", fmt.Errorf("generating an encryption IV: %w", err)
	}
	return hex.EncodeToString(iv), nil
}

// startUp makes the other known calls of app-proxy's start: they show whether the platform accepts the token and knows the runtime.
func startUp(ctx context.Context, given Settings, platform codefresh.Client) error {
	if err := platform.Get(ctx, "/api/ping", nil); err != nil {
		return err
	}
	var issued struct{ Token string }
	if err := platform.Post(ctx, "/api/argo-runtime", map[string]string{"name": given.Runtime}, &issued); err != nil {
		return err
	}
	var store struct{ StoreKey string }
	if err := platform.Get(ctx, "/api/argo-runtime/"+given.Runtime+"/storeKey", &store); err != nil {
		return err
	}
	if store.StoreKey == "" {
		return errors.New("the platform answered without a store key")
	}
	if err := keepSealingKey(ctx, platform); err != nil {
		return err
	}
	for _, name := range []string{"me", "shouldBeImplicitConfigurationRuntime", "GitSources", "Applications", "productComponentsList", "updateRuntimeClusters"} {
		call := recordings.Named(name)
		if _, named := call.Variables["runtime"]; named {
			call.Variables = call.With(map[string]any{"runtime": given.Runtime})
		}
		var answer any
		if err := platform.GraphQL(ctx, call.Query, call.Variables, &answer); err != nil {
			return err
		}
	}
	var answer struct {
		Runtime *struct {
			Metadata struct{ Account string }
		}
	}
	if err := platform.GraphQL(ctx, recordings.Named("Runtime").Query, map[string]any{"name": given.Runtime}, &answer); err != nil {
		return err
	}
	if answer.Runtime == nil {
		return fmt.Errorf("the platform does not know the runtime %q", given.Runtime)
	}
	return nil
}

// keepSealingKey stores a key of sealed-secrets at the platform, and reads it again. Which key the real program stores, and when, is unknown.
func keepSealingKey(ctx context.Context, platform codefresh.Client) error {
	var saved struct{ SaveSealingKey string }
	var kept struct{ GetSealingKey string }
	key := rand.Text()
	if err := platform.GraphQL(ctx, recordings.Named("saveSealingKey").Query, map[string]any{"privateKey": key}, &saved); err != nil {
		return err
	}
	if err := platform.GraphQL(ctx, recordings.Named("getSealingKey").Query, map[string]any{"id": saved.SaveSealingKey}, &kept); err != nil {
		return err
	}
	if kept.GetSealingKey != key {
		return errors.New("the platform has lost a sealing key")
	}
	return nil
}
