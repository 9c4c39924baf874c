package checks

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"maps"
	"slices"
	"time"

	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
)

const (
	caPath    = "global.codefresh.tls.caCerts"
	caRefPath = caPath + ".secretKeyRef"

	webhookPath = "global.codefresh.tls.workflowPipelinesGitWebhooks.certificates"
	// argoCertificatesPath is the value with Argo CD's certificates of Git servers.
	argoCertificatesPath = "argo-cd.configs.tls.certificates"
	// soon is the time before the expiry of a certificate in which a warning is reported.
	soon = 30 * 24 * time.Hour
	day  = "2006-01-02"
)

// checkAuthorities parses the CA bundle and stores it, only in memory, for the requests of later checks.
func checkAuthorities(ctx context.Context, d *state) engine.Outcome {
	var bundle string
	var place helmvalues.Place
	switch {
	case d.Values.Bool(caPath+".secret.create", false):
		bundle, place = d.Values.String(caPath+".secret.content", ""), d.place(caPath+".secret.content")
	case len(d.Values.Map(caRefPath)) > 0:
		entry, refused, ok := d.follow(ctx, reference{
			path: caRefPath, check: "CRT100", noField: "CRT108", noSecret: "CRT106", noKey: "CRT107", empty: "CRT109", what: "CA bundle",
		})
		if !ok {
			return refused
		}
		bundle, place = entry, d.place(caRefPath)
	default:
		return nothing("no CA bundle is given")
	}
	list := d.checkBundle([]byte(bundle), place)
	d.update(ctx, func(f *facts) { f.authorities = []byte(bundle) })
	return found(list...)
}

func (d *state) checkBundle(bundle []byte, place helmvalues.Place) []findings.Finding {
	blocks := certificates(bundle)
	if len(blocks) == 0 {
		return []findings.Finding{findings.New("CRT101", place)}
	}
	var list []findings.Finding
	for i, block := range blocks {
		list = append(list, d.checkCertificate(i+1, block, place)...)
	}
	return list
}

const certificateStart = "-----BEGIN CERTIFICATE-----"

// certificates splits PEM text into certificates and decodes each; a damaged one is nil, so that the others keep their numbers.
func certificates(text []byte) [][]byte {
	var blocks [][]byte
	for i, part := range bytes.Split(text, []byte(certificateStart)) {
		if i == 0 {
			continue
		}
		var raw []byte
		if block, _ := pem.Decode(append([]byte(certificateStart), part...)); block != nil {
			raw = block.Bytes
		}
		blocks = append(blocks, raw)
	}
	return blocks
}

// checkWebhookCertificates parses the certificates of workflow pipelines' Git
// webhooks: a map of host to PEM.
func checkWebhookCertificates(_ context.Context, d *state) engine.Outcome {
	given := d.Values.Map(webhookPath)
	if len(given) == 0 {
		return nothing("none are given")
	}
	var list []findings.Finding
	for _, host := range slices.Sorted(maps.Keys(given)) {
		at := helmvalues.Join(webhookPath, host)
		if flaw := unreadable(d.Values.String(at, "")); flaw != "" {
			list = append(list, findings.New("CRT201", d.place(at), host, flaw))
		}
	}
	return found(list...)
}

// unreadable describes why PEM text is not a certificate, "" if it is.
func unreadable(text string) string {
	blocks := certificates([]byte(text))
	if len(blocks) == 0 {
		return "it contains no certificate in PEM format"
	}
	for _, block := range blocks {
		if _, err := parse(block); err != nil {
			return err.Error()
		}
	}
	return ""
}

func parse(raw []byte) (*x509.Certificate, error) {
	if raw == nil {
		return nil, errors.New("its PEM block is damaged")
	}
	return x509.ParseCertificate(raw)
}

// checkCertificate checks one certificate of the bundle; number starts at 1.
func (d *state) checkCertificate(number int, raw []byte, place helmvalues.Place) []findings.Finding {
	certificate, err := parse(raw)
	if err != nil {
		return []findings.Finding{findings.New("CRT102", place, number, err)}
	}
	name := certificate.Subject.CommonName
	switch {
	case !certificate.IsCA:
		return []findings.Finding{findings.New("CRT103", place, number, name)}
	case d.Now.After(certificate.NotAfter):
		return []findings.Finding{findings.New("CRT104", place, number, name, certificate.NotAfter.UTC().Format(day))}
	case d.Now.Add(soon).After(certificate.NotAfter):
		return []findings.Finding{findings.New("CRT105", place, number, name, certificate.NotAfter.UTC().Format(day))}
	}
	return nil
}
