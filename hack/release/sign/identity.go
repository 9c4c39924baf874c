package sign

import "errors"

// Identity is the expected signer: a key, or the identity of a certificate from Fulcio.
type Identity struct {
	// Key is a public key: a file, or an address of a KMS that cosign supports.
	Key string
	// Subject and Issuer are the identity of a certificate, such as that of a workflow, and its issuer.
	Subject, Issuer string
	// Offline disables the transparency log and timestamps; it requires a key.
	Offline bool
}

// Check returns an error if the identity is incomplete or contradictory.
func (i Identity) Check() error {
	switch {
	case i.Key == "" && (i.Subject == "" || i.Issuer == ""):
		return errors.New("no trusted signer is given: set a public key (--public-key, COSIGN_PUBLIC_KEY), or the identity of a certificate and who issued it (--identity and --issuer, COSIGN_IDENTITY and COSIGN_ISSUER)")
	case i.Key != "" && (i.Subject != "" || i.Issuer != ""):
		return errors.New("signatures are valid by a public key or by the identity of a certificate: give one of them")
	case i.Key == "" && i.Offline:
		return errors.New("signatures without a key are verified by the transparency log: --offline needs a key")
	}
	return nil
}

// String returns the name of the identity for messages.
func (i Identity) String() string {
	if i.Key != "" {
		return "the key " + i.Key
	}
	return i.Subject
}

// Flags returns cosign's flags for an identity.
func (i Identity) Flags() []string {
	if i.Key == "" {
		return []string{"--certificate-identity", i.Subject, "--certificate-oidc-issuer", i.Issuer}
	}
	flags := []string{"--key", i.Key}
	if i.Offline {
		flags = append(flags, "--insecure-ignore-tlog=true")
	}
	return flags
}
