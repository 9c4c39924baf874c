package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"gitops-runtime/hack/release/publish"
	"gitops-runtime/hack/release/sign"
)

// openPGP contains the flags for the key of provenance files.
type openPGP struct{ keyring, name, passphrase string }

func (o *openPGP) register(flags *pflag.FlagSet) {
	flags.StringVar(&o.keyring, "pgp-keyring", os.Getenv("PGP_KEYRING"), "keyring with a private key, which signs provenance files of charts and plugins for helm verify (PGP_KEYRING)")
	flags.StringVar(&o.name, "pgp-key", os.Getenv("PGP_KEY"), "user ID of that key, or a part of it (PGP_KEY)")
	flags.StringVar(&o.passphrase, "pgp-passphrase-file", os.Getenv("PGP_PASSPHRASE_FILE"), "file with the passphrase of that key (PGP_PASSPHRASE_FILE)")
}

// signer returns nil without a keyring.
func (o *openPGP) signer() (publish.Clearsigner, error) {
	if o.keyring == "" {
		if o.name != "" || o.passphrase != "" {
			return nil, errors.New("--pgp-key and --pgp-passphrase-file require --pgp-keyring (PGP_KEYRING)")
		}
		return nil, nil //nolint:nilnil // provenance files are optional
	}
	var passphrase []byte
	if o.passphrase != "" {
		content, err := os.ReadFile(o.passphrase)
		if err != nil {
			return nil, fmt.Errorf("--pgp-passphrase-file: %w", err)
		}
		passphrase = bytes.TrimRight(content, "\r\n")
	}
	signer, err := sign.ReadOpenPGP(o.keyring, o.name, passphrase)
	if err != nil {
		return nil, fmt.Errorf("--pgp-keyring: %w", err)
	}
	return signer, nil
}
