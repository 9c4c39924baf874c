package validatecmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"gitops-runtime/validator/managed"
)

// RotateOptions are the flags of the rotation of a managed cluster's token. How its API server is verified comes from the environment:
// TLS_CLIENT_CONFIG, the JSON of tlsClientConfig in Argo CD's cluster Secrets.
type RotateOptions struct {
	Namespace, Secret, First string
	Lifetime                 time.Duration
}

func rotateCommand(system System) *cobra.Command {
	var options RotateOptions
	command := &cobra.Command{
		Use: "rotate-token", Short: "Replace the token of a managed cluster, in a pod of the chart managed-cluster", Args: cobra.NoArgs, Hidden: true,
		RunE: func(command *cobra.Command, _ []string) error { return Rotate(command.Context(), options, system) },
	}
	flags := command.Flags()
	flags.StringVarP(&options.Namespace, "namespace", "n", "", "namespace of the Secrets (POD_NAMESPACE)")
	flags.StringVar(&options.Secret, "secret", "", "cluster Secret of Argo CD")
	flags.StringVar(&options.First, "first-token", "", "Secret with the first token, which is deleted after its use")
	flags.DurationVar(&options.Lifetime, "lifetime", 24*time.Hour, "how long the new token is valid")
	return command
}

// Rotate replaces the token in a cluster Secret of Argo CD. An error says what to do, with the code of the check that finds the same.
func Rotate(ctx context.Context, options RotateOptions, system System) error {
	rotation := managed.Rotation{Namespace: options.Namespace, Secret: options.Secret, First: options.First, Lifetime: options.Lifetime}
	if rotation.Namespace == "" {
		rotation.Namespace = system.Getenv("POD_NAMESPACE")
	}
	if rotation.Namespace == "" || rotation.Secret == "" || rotation.First == "" {
		return usage(errors.New("rotate-token needs --secret, --first-token, and POD_NAMESPACE or --namespace"))
	}
	if err := json.Unmarshal([]byte(system.Getenv("TLS_CLIENT_CONFIG")), &rotation.TLS); err != nil {
		return usage(fmt.Errorf("TLS_CLIENT_CONFIG is not the JSON of tlsClientConfig: %w", err))
	}
	client, _, err := system.Connect(ctx, Connection{InCluster: true})
	if err != nil {
		return broken(err)
	}
	rotation.Runtime = client
	ctx, cancel := context.WithTimeout(ctx, runTime)
	defer cancel()
	renewed, err := rotation.Run(ctx)
	var unusable *managed.Unusable
	if errors.As(err, &unusable) {
		finding := unusable.Cluster.Explain(unusable.Err)
		return broken(fmt.Errorf("%s: %s\n  fix: %s", finding.Code, finding.Message, finding.Fix))
	}
	if err != nil {
		return broken(err)
	}
	return show(system.Out, fmt.Sprintf("%s: Argo CD signs in as %s with a new token, which expires at %s\n", renewed.Server, renewed.Account, renewed.Until.UTC().Format(time.RFC3339)))
}
