package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"time"

	spdx "github.com/spdx/tools-golang/json"
	"github.com/spf13/cobra"

	"gitops-runtime/hack/release/address"
	"gitops-runtime/hack/release/statement"
	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/outfile"
)

func signCommand() *cobra.Command {
	var flags common
	var key, cosign, bundle string
	command := &cobra.Command{
		Use:   "sign FILE",
		Short: "Sign a file",
		Args:  cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, arguments []string) error {
			folder, err := os.MkdirTemp("", "release")
			if err != nil {
				return err
			}
			defer os.RemoveAll(folder)
			signer, err := newSigner(command.Context(), cosign, key, flags.identity, folder)
			if err != nil {
				return err
			}
			return signer.File(command.Context(), arguments[0], bundle)
		},
	}
	flags.identify(command.Flags())
	registerSigner(command.Flags(), &key, &cosign)
	command.Flags().StringVar(&bundle, "bundle", "", "output file for the Sigstore bundle of the signature")
	return command
}

func sbomCommand() *cobra.Command {
	var whole statement.Part
	var created, out string
	command := &cobra.Command{
		Use:   "sbom PROGRAM",
		Short: "Write the SBOM of a program that Go compiled, for any platform",
		Args:  cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, arguments []string) error {
			at, err := time.Parse(time.RFC3339, created)
			if err != nil {
				return fmt.Errorf("--created: write a time such as 2006-01-02T15:04:05Z: %w", err)
			}
			text, err := sbom(command.Context(), arguments[0], whole, at)
			if err != nil {
				return err
			}
			return os.WriteFile(out, text, 0o644)
		},
	}
	whole.Purpose, whole.License = "APPLICATION", "Apache-2.0"
	command.Flags().StringVar(&whole.Name, "name", "", "name of the program")
	command.Flags().StringVar(&whole.Version, "version", "", "version of the program")
	command.Flags().StringVar(&created, "created", "", "time of the document")
	command.Flags().StringVarP(&out, "output", "o", "", "output file")
	return command
}

// sbom returns the SPDX document of a program and the modules in it.
func sbom(ctx context.Context, program string, whole statement.Part, created time.Time) ([]byte, error) {
	file, err := outfile.Open(program)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return nil, fmt.Errorf("read %s: %w", program, err)
	}
	parts, err := statement.Modules(program)
	if err != nil {
		return nil, err
	}
	root, err := gomodule.Root()
	if err != nil {
		return nil, err
	}
	licenses, err := statement.Licenses(ctx, root)
	if err != nil {
		return nil, err
	}
	product, err := address.Read(root)
	if err != nil {
		return nil, err
	}
	parts, whole.Supplier = statement.WithLicenses(parts, licenses), product.Supplier()
	whole.PURL = "pkg:generic/" + whole.Name + "@" + whole.Version
	document, err := statement.Document(whole, hex.EncodeToString(sum.Sum(nil)), parts, created)
	if err != nil {
		return nil, fmt.Errorf("SBOM of %s: %w", program, err)
	}
	var text bytes.Buffer
	if err := spdx.Write(document, &text); err != nil {
		return nil, fmt.Errorf("SBOM of %s: %w", program, err)
	}
	return text.Bytes(), nil
}
