package platformapi

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/graph-gophers/graphql-go"

	"gitops-runtime/tests/standin/serve"
)

//go:embed schema.graphql
var schemaText string

// Schema returns the text of the GraphQL schema that the platform serves.
func Schema() string { return schemaText }

type callerKey struct{}

// graphQLHandler returns a handler of POST requests of the form {"query", "operationName", "variables"}.
func graphQLHandler(data *store) (http.Handler, error) {
	schema, err := graphql.ParseSchema(schemaText, &resolver{data: data}, graphql.UseFieldResolvers(), graphql.MaxDepth(12))
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, ok := data.caller(r.Header.Get("Authorization"))
		if !ok {
			serve.JSON(w, http.StatusUnauthorized, graphQLFailure("the Authorization header holds no known token", "UNAUTHENTICATED"))
			return
		}
		var request struct {
			Query         string         `json:"query"`
			OperationName string         `json:"operationName"`
			Variables     map[string]any `json:"variables"`
		}
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, bodyLimit)).Decode(&request); err != nil {
			serve.JSON(w, http.StatusBadRequest, graphQLFailure("the body is not a GraphQL request in JSON", "BAD_REQUEST"))
			return
		}
		if problem := wrongVariable(schema.ASTSchema(), request.Query, request.Variables); problem != "" {
			serve.JSON(w, http.StatusBadRequest, graphQLFailure(problem, "BAD_REQUEST"))
			return
		}
		ctx := context.WithValue(r.Context(), callerKey{}, who)
		answer := schema.Exec(ctx, request.Query, request.OperationName, request.Variables)
		status := http.StatusOK
		if answer.Data == nil && len(answer.Errors) > 0 && len(answer.Errors[0].Path) == 0 {
			status = http.StatusBadRequest // the document is not valid by the schema
		}
		serve.JSON(w, status, answer)
	}), nil
}

// graphQLFailure returns a GraphQL response with one error and no data.
func graphQLFailure(message, code string) any {
	type failure struct {
		Message    string            `json:"message"`
		Extensions map[string]string `json:"extensions"`
	}
	return struct {
		Data   any       `json:"data"`
		Errors []failure `json:"errors"`
	}{Errors: []failure{{Message: message, Extensions: map[string]string{"code": code}}}}
}

// refusal is a resolver's error with a code in its extensions.
type refusal struct {
	cause error
	code  string
}

func (r refusal) Error() string              { return r.cause.Error() }
func (r refusal) Unwrap() error              { return r.cause }
func (r refusal) Extensions() map[string]any { return map[string]any{"code": r.code} }

func refused(err error) error {
	switch {
	case errors.Is(err, errForbidden), errors.Is(err, errRuntimeOnly):
		return refusal{cause: err, code: "FORBIDDEN"}
	case errors.Is(err, errUnknown):
		return refusal{cause: err, code: "NOT_FOUND"}
	case errors.Is(err, errTaken):
		return refusal{cause: err, code: "CONFLICT"}
	default:
		return err
	}
}
