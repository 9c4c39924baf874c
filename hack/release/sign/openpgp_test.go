package sign_test

import (
	"bytes"
	"crypto"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/provenance"

	"gitops-runtime/hack/release/sign"
)

// at is the time of a commit.
var at = time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)

// keyOf returns a key of a type that is older than the commit.
func keyOf(t *testing.T, name string, algorithm packet.PublicKeyAlgorithm) *openpgp.Entity {
	t.Helper()
	created := at.Add(-time.Hour)
	curve := packet.Curve25519
	if algorithm == packet.PubKeyAlgoECDSA {
		curve = packet.CurveNistP256
	}
	key, err := openpgp.NewEntity(name, "", name+"@example.com", &packet.Config{Algorithm: algorithm, Curve: curve, RSABits: 2048, DefaultHash: crypto.SHA512, Time: func() time.Time { return created }})
	require.NoError(t, err)
	return key
}

// private writes the private keys of a keyring to a file, as gpg --export-secret-keys does; they are locked by a passphrase unless it is empty.
func private(t *testing.T, passphrase string, keys ...*openpgp.Entity) string {
	t.Helper()
	var ring bytes.Buffer
	for _, key := range keys {
		if passphrase != "" {
			require.NoError(t, key.EncryptPrivateKeys([]byte(passphrase), nil))
		}
		require.NoError(t, key.SerializePrivateWithoutSigning(&ring, nil))
	}
	return stored(t, "private.gpg", ring.Bytes())
}

func public(t *testing.T, key *openpgp.Entity) string {
	t.Helper()
	var ring bytes.Buffer
	require.NoError(t, key.Serialize(&ring))
	return stored(t, "public.gpg", ring.Bytes())
}

func stored(t *testing.T, name string, content []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, content, 0o600))
	return file
}

// Helm's own verification accepts the provenance file of a chart, and refuses another chart, another name and another key.
func TestProvenanceIsWhatHelmVerifies(t *testing.T) {
	for name, algorithm := range map[string]packet.PublicKeyAlgorithm{"RSA": packet.PubKeyAlgoRSA, "Ed25519": packet.PubKeyAlgoEdDSA} {
		t.Run(name, func(t *testing.T) {
			key := keyOf(t, "Release", algorithm)
			public := public(t, key)
			signer, err := sign.ReadOpenPGP(private(t, "secret", key), "Release@example", []byte("secret"))
			require.NoError(t, err)
			metadata := &chart.Metadata{APIVersion: "v2", Name: "a", Version: "1.0.0"}
			file, err := chartutil.Save(&chart.Chart{Metadata: metadata}, t.TempDir())
			require.NoError(t, err)
			packed, err := os.ReadFile(file)
			require.NoError(t, err)
			signed, err := signer.Provenance("a-1.0.0.tgz", metadata, packed, at)
			require.NoError(t, err)
			again, err := signer.Provenance("a-1.0.0.tgz", metadata, packed, at)
			require.NoError(t, err)
			require.Equal(t, string(signed), string(again))

			beside := file + ".prov"
			verify := func(ring string) error {
				helm, err := provenance.NewFromKeyring(ring, "")
				require.NoError(t, err)
				_, err = helm.Verify(file, beside)
				return err
			}
			require.NoError(t, os.WriteFile(beside, signed, 0o600))
			require.NoError(t, verify(public))
			require.ErrorContains(t, verify(publicOf(t)), "unknown entity")
			require.NoError(t, os.WriteFile(beside, bytes.Replace(signed, []byte("version: 1.0.0"), []byte("version: 1.0.1"), 1), 0o600))
			require.Error(t, verify(public))
			other, err := signer.Provenance("b-1.0.0.tgz", metadata, packed, at)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(beside, other, 0o600))
			require.ErrorContains(t, verify(public), "provenance does not contain a SHA for a file named")
		})
	}
}

func publicOf(t *testing.T) string {
	t.Helper()
	return public(t, keyOf(t, "Other", packet.PubKeyAlgoEdDSA))
}

// A key that cannot sign a release is an error that says why.
func TestReadOpenPGPErrors(t *testing.T) {
	key, other := keyOf(t, "Release", packet.PubKeyAlgoEdDSA), keyOf(t, "Release 2", packet.PubKeyAlgoEdDSA)
	var armored bytes.Buffer
	writer, err := armor.Encode(&armored, openpgp.PrivateKeyType, nil)
	require.NoError(t, err)
	require.NoError(t, key.SerializePrivateWithoutSigning(writer, nil))
	require.NoError(t, writer.Close())
	_, err = sign.ReadOpenPGP(stored(t, "armored.asc", armored.Bytes()), "Release", nil)
	require.NoError(t, err)

	both, onlyPublic := private(t, "", key, other), public(t, key)
	locked := private(t, "secret", keyOf(t, "Release", packet.PubKeyAlgoEdDSA))
	for name, one := range map[string]struct{ keyring, name, passphrase, want string }{
		"absent":       {"absent.gpg", "Release", "", "no such file"},
		"no keyring":   {stored(t, "text", []byte("text")), "Release", "", "is not a keyring of OpenPGP: export one with gpg --export-secret-keys"},
		"two":          {both, "Release", "", `has 2 private keys whose user ID contains "Release", and one is needed: the user IDs are ["Release 2 <Release 2@example.com>" "Release <Release@example.com>"]`},
		"none":         {both, "absent", "", `has 0 private keys whose user ID contains "absent"`},
		"only public":  {onlyPublic, "Release", "", "has 0 private keys"},
		"locked":       {locked, "Release", "", "it is locked, and no passphrase was given"},
		"wrong secret": {locked, "Release", "wrong", "the private key of \"Release\" in " + locked},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := sign.ReadOpenPGP(one.keyring, one.name, []byte(one.passphrase))
			require.ErrorContains(t, err, one.want)
			assert.NotContains(t, err.Error(), "secret key")
		})
	}
}

// A key that is younger than the commit, or whose signatures always differ, cannot sign provenance files.
func TestProvenanceErrors(t *testing.T) {
	elliptic := keyOf(t, "Release", packet.PubKeyAlgoECDSA)
	for name, one := range map[string]struct {
		key  *openpgp.Entity
		at   time.Time
		want string
	}{
		"younger": {keyOf(t, "Release", packet.PubKeyAlgoEdDSA), at.Add(-24 * time.Hour), "no key can sign at 2026-04-30T00:00:00Z, the time of the commit: it has to be older, and not expired"},
		"ECDSA":   {elliptic, at, "use a key of type RSA or Ed25519"},
	} {
		t.Run(name, func(t *testing.T) {
			signer, err := sign.ReadOpenPGP(private(t, "", one.key), "Release", nil)
			require.NoError(t, err)
			_, err = signer.Provenance("a.tgz", map[string]string{"name": "a"}, []byte("packed"), one.at)
			require.ErrorContains(t, err, one.want)
		})
	}
}
