package registration

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

const createRuntime = `mutation CreateRuntime($installationArgs: RuntimeInstallationArgs!) {
  createRuntime(installationArgs: $installationArgs) { name newAccessToken }
}`

// Client registers runtimes over GraphQL.
type Client struct {
	HTTP *http.Client
}

type reply struct {
	Data *struct {
		CreateRuntime *struct {
			NewAccessToken string `json:"newAccessToken"`
		} `json:"createRuntime"`
	} `json:"data"`
	Errors []struct {
		Message    string `json:"message"`
		Extensions struct {
			Code string `json:"code"`
		} `json:"extensions"`
	} `json:"errors"`
}

// final are the error codes that another attempt would only repeat.
func final(code string) bool {
	return code == "FORBIDDEN" || code == "CONFLICT" || code == "UNAUTHENTICATED" || code == "GRAPHQL_VALIDATION_FAILED"
}

// Register calls createRuntime with the user's token and gives the runtime's own.
func (c Client) Register(ctx context.Context, config Config) (string, error) {
	arguments := map[string]string{
		"runtimeName": config.Runtime, "cluster": config.Cluster, "runtimeVersion": config.Version,
		"namespace": config.Namespace, "ingressHost": config.IngressHost,
	}
	body, err := json.Marshal(map[string]any{"query": createRuntime, "variables": map[string]any{"installationArgs": arguments}})
	if err != nil {
		return "", fmt.Errorf("encoding the registration: %w", err)
	}
	address := config.PlatformURL + "/2.0/api/graphql"
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return "", Refused{Reason: fmt.Sprintf("CODEFRESH_URL %q is no URL", config.PlatformURL)}
	}
	request.Header.Set("Authorization", config.UserToken)
	request.Header.Set("Content-Type", "application/json")
	response, err := c.HTTP.Do(request)
	if err != nil {
		return "", fmt.Errorf("calling the platform: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	return tokenFrom(response, address, config.Runtime)
}

func tokenFrom(response *http.Response, address, runtime string) (string, error) {
	switch {
	case response.StatusCode == http.StatusUnauthorized:
		return "", Refused{Reason: fmt.Sprintf("the platform at %s does not know the user token: set global.codefresh.userToken to a valid one", address)}
	case response.StatusCode != http.StatusOK:
		return "", fmt.Errorf("the platform at %s answered %s", address, response.Status)
	}
	var document reply
	if err := json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&document); err != nil {
		return "", fmt.Errorf("the platform at %s did not answer in GraphQL: %w", address, err)
	}
	if len(document.Errors) > 0 {
		return "", failed(document, runtime)
	}
	if document.Data == nil || document.Data.CreateRuntime == nil || document.Data.CreateRuntime.NewAccessToken == "" {
		return "", fmt.Errorf("the platform at %s registered the runtime %q without giving a token", address, runtime)
	}
	return document.Data.CreateRuntime.NewAccessToken, nil
}

// failed turns GraphQL errors into one error, Refused when one of them is final.
func failed(document reply, runtime string) error {
	messages, refused := make([]string, len(document.Errors)), false
	for i, failure := range document.Errors {
		messages[i] = failure.Message
		refused = refused || final(failure.Extensions.Code)
	}
	sentence := fmt.Sprintf("the platform did not register the runtime %q: %s", runtime, strings.Join(messages, "; "))
	if refused {
		return Refused{Reason: sentence}
	}
	return errors.New(sentence)
}
