package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"helm.sh/helm/v3/pkg/cli/values"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/e2e/images"
	"gitops-runtime/tests/e2e/install"
)

// command returns the command runtime-kind, which writes its progress to out.
func command(out io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:           "runtime-kind",
		Short:         "The GitOps runtime on a local kind cluster",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(installCommand(out), clusterCommand(out), costCommand(out), uninstallCommand(out), cleanCommand(out))
	return root
}

func local(out io.Writer) (*install.Local, error) {
	root, err := gomodule.Root()
	if err != nil {
		return nil, err
	}
	return install.New(root, out)
}

func installCommand(out io.Writer) *cobra.Command {
	var mode string
	var files, sets []string
	command := &cobra.Command{
		Use:   "install",
		Short: "Create the cluster and install the runtime",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			l, err := local(out)
			if err != nil {
				return err
			}
			// helm reads them up to half an hour later
			if _, err := (&values.Options{ValueFiles: files, Values: sets}).MergeValues(nil); err != nil {
				return fmt.Errorf("values: %w", err)
			}
			start := time.Now()
			ready, err := l.Prepare(command.Context(), images.Mode(mode))
			if err != nil {
				return err
			}
			if err := l.Install(command.Context(), images.Mode(mode), ready, files, sets); err != nil {
				return err
			}
			_, err = fmt.Fprintf(out, "\nDone in %.0f s.\n", time.Since(start).Seconds())
			return err
		},
	}
	command.Flags().StringVar(&mode, "mode", string(images.Tunnel), "access mode: tunnel, ingress, gateway or mesh")
	command.Flags().StringArrayVarP(&files, "values", "f", nil, "additional values file for helm")
	command.Flags().StringArrayVar(&sets, "set", nil, "additional --set for helm")
	return command
}

func clusterCommand(out io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "cluster",
		Short: "Create an empty cluster",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			l, err := local(out)
			if err != nil {
				return err
			}
			return l.Cluster.Start(command.Context())
		},
	}
}

func costCommand(out io.Writer) *cobra.Command {
	var duration time.Duration
	command := &cobra.Command{
		Use:   "cost",
		Short: "Measure what the containers of the installed runtime use",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			l, err := local(out)
			if err != nil {
				return err
			}
			return l.Cost(command.Context(), duration)
		},
	}
	command.Flags().DurationVar(&duration, "for", 5*time.Minute, "duration of the measurement")
	return command
}

func uninstallCommand(out io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "uninstall",
		Short: "Uninstall the runtime; the cluster is kept",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			l, err := local(out)
			if err != nil {
				return err
			}
			return l.Helm.Uninstall(command.Context(), install.Release, install.Namespace, 5*time.Minute, out)
		},
	}
}

func cleanCommand(out io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "clean",
		Short: "Remove the cluster, the private registry and the private Docker engine",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			l, err := local(out)
			if err != nil {
				return err
			}
			return l.Cluster.Clean(command.Context())
		},
	}
}
