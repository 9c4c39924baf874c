package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gitops-runtime/hack/release/address"
	"gitops-runtime/internal/gomodule"
)

func addressCommand() *cobra.Command {
	var repository, registry, module, support, security, icon string
	var maintainers []string
	command := &cobra.Command{
		Use:   "address",
		Short: "Set the address of the product for a fork: repository, registry, Go module path, contacts",
		Long: `Writes address.yaml, and replaces the previous address in the Go module path of every import and go.mod, and in pages and examples. Run "make generate"
afterwards. A field whose flag is not given keeps its value.`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			root, err := gomodule.Root()
			if err != nil {
				return err
			}
			next, err := address.Read(root)
			if err != nil {
				return err
			}
			flags := command.Flags()
			if flags.Changed("repository") {
				next.Repository = "https://" + strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(repository, "/"), "https://"), ".git")
				next.Module = strings.TrimPrefix(next.Repository, "https://")
			}
			for name, field := range map[string]*string{"module": &next.Module, "support": &next.Support, "security": &next.Security, "icon": &next.Icon} {
				if flags.Changed(name) {
					*field, _ = flags.GetString(name)
				}
			}
			if flags.Changed("registry") {
				if next.Registry, err = address.Place(registry); err != nil {
					return fmt.Errorf("--registry: %w", err)
				}
			}
			if flags.Changed("maintainer") {
				if next.Maintainers, err = people(maintainers); err != nil {
					return err
				}
			}
			changed, err := address.Set(command.Context(), root, next)
			if err != nil {
				return err
			}
			fmt.Printf("%d files changed: module %s, repository %s, registry %s\n", len(changed), next.Module, next.ShownRepository(), next.ShownRegistry())
			return nil
		},
	}
	command.Flags().StringVar(&repository, "repository", "", "Git repository, host/path; also the Go module path, unless --module is given")
	command.Flags().StringVar(&registry, "registry", "", "registry of the published charts and images, host/path")
	command.Flags().StringVar(&module, "module", "", "Go module path")
	command.Flags().StringVar(&support, "support", "", "URL or e-mail address where users get help (default: the issues of the repository)")
	command.Flags().StringVar(&security, "security", "", "URL or e-mail address for reports of vulnerabilities (default: the security advisories of the repository)")
	command.Flags().StringVar(&icon, "icon", "", "URL of the charts' icon")
	command.Flags().StringArrayVar(&maintainers, "maintainer", nil, "maintainer of the charts, as in `Name <name@example.com>` (may be repeated)")
	return command
}

// people returns maintainers, each written as Name or as Name <e-mail>.
func people(written []string) ([]address.Maintainer, error) {
	var all []address.Maintainer
	for _, text := range written {
		name, mail, found := strings.Cut(text, "<")
		mail, closed := strings.CutSuffix(mail, ">")
		if found != closed || strings.TrimSpace(name) == "" {
			return nil, errors.New("--maintainer: write a name, or a name and an e-mail address, such as `Ada Lovelace <ada@example.com>`")
		}
		all = append(all, address.Maintainer{Name: strings.TrimSpace(name), Email: mail})
	}
	return all, nil
}
