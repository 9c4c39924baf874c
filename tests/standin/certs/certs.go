// Package certs creates a private certificate authority and a server certificate in memory, for clusters and tests.
package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"slices"
	"time"
)

// validity is the lifetime of the certificates, which begins an hour before they are created.
const validity = 365 * 24 * time.Hour

// Bundle is a certificate authority and a server certificate that it signed, in PEM. The authority's key is not kept.
type Bundle struct {
	CA   []byte // CA is the authority's certificate, which clients must trust.
	Cert []byte // Cert is the server's certificate.
	Key  []byte // Key is the server's private key (EC P-256, SEC 1).
}

// New creates a Bundle for the given names: host names, wildcard names such as *.example.org, or IP addresses.
func New(names ...string) (Bundle, error) {
	if len(names) == 0 {
		return Bundle{}, fmt.Errorf("a server certificate needs at least one name")
	}
	start := time.Now().Add(-time.Hour)
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Bundle{}, fmt.Errorf("making the authority's key: %w", err)
	}
	ca := &x509.Certificate{
		Subject: pkix.Name{CommonName: "gitops-runtime stand-in CA"}, NotBefore: start, NotAfter: start.Add(validity),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	caDER, err := sign(ca, ca, &caKey.PublicKey, caKey)
	if err != nil {
		return Bundle{}, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Bundle{}, fmt.Errorf("making the server's key: %w", err)
	}
	server := &x509.Certificate{
		Subject: pkix.Name{CommonName: names[0]}, NotBefore: start, NotAfter: start.Add(validity),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			server.IPAddresses = append(server.IPAddresses, ip)
		} else {
			server.DNSNames = append(server.DNSNames, name)
		}
	}
	der, err := sign(server, ca, &key.PublicKey, caKey)
	if err != nil {
		return Bundle{}, err
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return Bundle{}, fmt.Errorf("encoding the server's key: %w", err)
	}
	return Bundle{CA: encode("CERTIFICATE", caDER), Cert: encode("CERTIFICATE", der), Key: encode("EC PRIVATE KEY", keyDER)}, nil
}

// Server returns the TLS configuration of a server that presents the Bundle's certificate.
func (b Bundle) Server() (*tls.Config, error) {
	pair, err := tls.X509KeyPair(b.Cert, b.Key)
	if err != nil {
		return nil, fmt.Errorf("reading the server's key pair: %w", err)
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}}, nil
}

// Client returns the TLS configuration of a client that trusts only the Bundle's authority.
func (b Bundle) Client() *tls.Config {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(b.CA)
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool}
}

// Covers reports whether the certificate contains all names, is valid at the given time and is signed by the authority.
func (b Bundle) Covers(at time.Time, names ...string) bool {
	pair, err := tls.X509KeyPair(b.Cert, b.Key)
	if err != nil {
		return false
	}
	roots := b.Client().RootCAs
	if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: at}); err != nil {
		return false
	}
	held := slices.Clone(pair.Leaf.DNSNames)
	for _, ip := range pair.Leaf.IPAddresses {
		held = append(held, ip.String())
	}
	return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(held, name) })
}

func sign(template, parent *x509.Certificate, public *ecdsa.PublicKey, signer *ecdsa.PrivateKey) ([]byte, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, fmt.Errorf("drawing a serial number: %w", err)
	}
	template.SerialNumber = serial
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, signer)
	if err != nil {
		return nil, fmt.Errorf("signing the certificate of %q: %w", template.Subject.CommonName, err)
	}
	return der, nil
}

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
