package sign

import (
	"bytes"
	"crypto"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/clearsign"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	"sigs.k8s.io/yaml"
)

// OpenPGP writes provenance files, by which `helm verify`, `helm install --verify` and `helm plugin install` verify charts and plugins:
// https://helm.sh/docs/topics/provenance/
type OpenPGP struct {
	key *openpgp.Entity
}

// ReadOpenPGP reads a private key from a keyring, a file that `gpg --export-secret-keys` writes: the only one whose user ID contains name. A passphrase
// unlocks it.
func ReadOpenPGP(keyring, name string, passphrase []byte) (*OpenPGP, error) {
	content, err := os.ReadFile(keyring)
	if err != nil {
		return nil, err
	}
	read := openpgp.ReadKeyRing
	if bytes.HasPrefix(content, []byte("-----BEGIN")) {
		read = openpgp.ReadArmoredKeyRing
	}
	keys, err := read(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("%s is not a keyring of OpenPGP: export one with gpg --export-secret-keys: %w", keyring, err)
	}
	var known []string
	keys = slices.DeleteFunc(keys, func(key *openpgp.Entity) bool {
		matches := false
		for id := range key.Identities {
			known = append(known, id)
			matches = matches || strings.Contains(id, name)
		}
		return key.PrivateKey == nil || !matches
	})
	if len(keys) != 1 {
		slices.Sort(known)
		return nil, fmt.Errorf("%s has %d private keys whose user ID contains %q, and one is needed: the user IDs are %q", keyring, len(keys), name, known)
	}
	if err := unlock(keys[0], passphrase); err != nil {
		return nil, fmt.Errorf("the private key of %q in %s: %w", name, keyring, err)
	}
	return &OpenPGP{key: keys[0]}, nil
}

func unlock(key *openpgp.Entity, passphrase []byte) error {
	locked := key.PrivateKey.Encrypted
	for _, one := range key.Subkeys {
		locked = locked || one.PrivateKey != nil && one.PrivateKey.Encrypted
	}
	switch {
	case !locked:
		return nil
	case len(passphrase) == 0:
		return errors.New("it is locked, and no passphrase was given")
	}
	return key.DecryptPrivateKeys(passphrase)
}

// Provenance returns the content of file.prov for a packed chart or plugin: its metadata and checksum, signed at a time. The same input gives the same bytes,
// so that a release can be published again; a key whose signatures always differ, such as ECDSA, is an error.
func (o *OpenPGP) Provenance(file string, metadata any, packed []byte, at time.Time) ([]byte, error) {
	described, err := yaml.Marshal(metadata)
	if err != nil {
		return nil, err
	}
	sums, err := yaml.Marshal(map[string]any{"files": map[string]string{file: fmt.Sprintf("sha256:%x", sha256.Sum256(packed))}})
	if err != nil {
		return nil, err
	}
	message := slices.Concat(described, []byte("\n...\n"), sums)
	signed, err := o.clearsign(message, at)
	if err != nil {
		return nil, err
	}
	again, err := o.clearsign(message, at)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(signed, again) {
		return nil, errors.New("each signature of the key differs, so that a release could not be continued: use a key of type RSA or Ed25519")
	}
	block, _ := clearsign.Decode(signed)
	if _, err := openpgp.CheckDetachedSignature(openpgp.EntityList{o.key}, bytes.NewReader(block.Bytes), block.ArmoredSignature.Body, nil); err != nil {
		return nil, fmt.Errorf("a signature of %s, the time of the commit, is not valid: the key has to be older, and not expired: %w", at.UTC().Format(time.RFC3339), err)
	}
	return signed, nil
}

func (o *OpenPGP) clearsign(message []byte, at time.Time) ([]byte, error) {
	salted := false
	config := &packet.Config{DefaultHash: crypto.SHA512, Time: func() time.Time { return at }, NonDeterministicSignaturesViaNotation: &salted}
	key, valid := o.key.SigningKey(at)
	if !valid {
		return nil, fmt.Errorf("no key can sign at %s, the time of the commit: it has to be older, and not expired", at.UTC().Format(time.RFC3339))
	}
	var signed bytes.Buffer
	writer, err := clearsign.Encode(&signed, key.PrivateKey, config)
	if err != nil {
		return nil, err
	}
	if _, err := writer.Write(message); err != nil {
		return nil, err
	}
	if err := writer.Close(); err != nil {
		return nil, err
	}
	return append(signed.Bytes(), '\n'), nil
}
