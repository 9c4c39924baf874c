package doctor

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"maps"
	"slices"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"

	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
)

const (
	tokenNotice, certificateNotice = 14 * 24 * time.Hour, 21 * 24 * time.Hour
	day                            = "2006-01-02"
	// sealingKey labels the keys of sealed-secrets: their certificates expire by design, and decrypt what was sealed with them ever after,
	// https://github.com/bitnami-labs/sealed-secrets#sealing-key-renewal.
	sealingKey = "sealedsecrets.bitnami.com/sealed-secrets-key"
	// bundle is the number of certificates from which an entry counts as a bundle of CAs, of which some expire as others follow them.
	bundle = 3
)

func checkExpiry(ctx context.Context, d *state) engine.Outcome {
	secrets, err := d.secrets(ctx)
	if err != nil {
		return unknown("SEC200", "The Secrets", err)
	}
	var list []findings.Finding
	for _, secret := range secrets {
		if _, sealing := secret.Labels[sealingKey]; !sealing {
			list = append(list, d.secret(secret)...)
		}
	}
	configMaps, err := d.configMaps(ctx)
	if err != nil {
		list = append(list, doubt("SEC200", "The ConfigMaps", err))
	}
	for _, each := range configMaps {
		for _, key := range slices.Sorted(maps.Keys(each.Data)) {
			list = append(list, d.certificates("ConfigMap", each.Name, key, []byte(each.Data[key]))...)
		}
	}
	webhooks, note := d.webhooks(ctx, secrets)
	return engine.Outcome{Findings: append(list, webhooks...), Note: note}
}

// secret returns what is wrong with the tokens and certificates of a Secret.
func (d *state) secret(of corev1.Secret) []findings.Finding {
	var list []findings.Finding
	for _, key := range slices.Sorted(maps.Keys(of.Data)) {
		content := of.Data[key]
		if end, isToken := tokenEnd(string(content)); isToken {
			list = append(list, d.token(of.Name, key, end)...)
		}
		if key == corev1.TLSCertKey && of.Type == corev1.SecretTypeTLS && !bytes.Contains(content, []byte("-----BEGIN")) {
			list = append(list, findings.New("SEC205", at("Secret", d.namespace, of.Name), "Secret "+of.Name, key, "it is not in PEM format"))
		}
		list = append(list, d.certificates("Secret", of.Name, key, content)...)
	}
	if chain, private := of.Data[corev1.TLSCertKey], of.Data[corev1.TLSPrivateKeyKey]; bytes.Contains(chain, []byte("-----BEGIN")) && len(private) > 0 {
		if _, err := tls.X509KeyPair(chain, private); err != nil {
			list = append(list, findings.New("SEC206", at("Secret", d.namespace, of.Name), of.Name, err))
		}
	}
	return list
}

// tokenEnd returns when a JSON web token expires, RFC 7519, section 4.1.4; false for other texts, and for tokens that never expire.
func tokenEnd(text string) (time.Time, bool) {
	parts := strings.Split(strings.TrimSpace(text), ".")
	if len(parts) != 3 || !strings.HasPrefix(parts[0], "eyJ") {
		return time.Time{}, false
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	var claims struct {
		Expires float64 `json:"exp"`
	}
	if err != nil || json.Unmarshal(payload, &claims) != nil || claims.Expires == 0 {
		return time.Time{}, false
	}
	return time.Unix(int64(claims.Expires), 0).UTC(), true
}

func (d *state) token(secret, key string, end time.Time) []findings.Finding {
	place := at("Secret", d.namespace, secret)
	code := "SEC202"
	switch {
	case d.Now.After(end):
		code = "SEC201"
	case d.Now.Add(tokenNotice).Before(end):
		return nil
	}
	return []findings.Finding{findings.New(code, place, secret, key, end.Format(day)).
		WithFix(`kubectl patch secret %s --namespace %s --type merge --patch '{"stringData": {"%s": "<new token>"}}', then kubectl rollout restart deployment --namespace %s`, secret, d.namespace, key, d.namespace)}
}

// certificates returns what is wrong with the certificates of an entry.
func (d *state) certificates(kind, name, key string, content []byte) []findings.Finding {
	if !bytes.Contains(content, []byte("-----BEGIN CERTIFICATE-----")) {
		return nil
	}
	place, where := at(kind, d.namespace, name), kind+" "+name
	parsed, err := parse(content)
	if err != nil {
		return []findings.Finding{findings.New("SEC205", place, where, key, err)}
	}
	var list []findings.Finding
	expired := 0
	for _, one := range parsed {
		title := cmp.Or(one.Subject.CommonName, strings.Join(one.DNSNames, ","), "without a name")
		switch {
		case d.Now.After(one.NotAfter):
			expired++
			list = append(list, d.replace(findings.New("SEC203", place, title, where, key, one.NotAfter.Format(day)), kind, name))
		case d.Now.Add(certificateNotice).After(one.NotAfter):
			list = append(list, d.replace(findings.New("SEC204", place, title, where, key, one.NotAfter.Format(day)), kind, name))
		}
	}
	if len(parsed) > bundle && expired < len(parsed) {
		return nil
	}
	return list
}

// replace adds the command that replaces a certificate, where programs create a new one if its Secret does not exist.
func (d *state) replace(made findings.Finding, kind, name string) findings.Finding {
	switch {
	case kind == "Secret" && d.has("Secret", name):
		return made.WithFix("set the new certificate in the values, then helm upgrade; kubectl rollout restart deployment --namespace %s", d.namespace)
	case kind == "Secret" && name == "events-webhook-certs":
		return made.WithFix("kubectl delete secret %s --namespace %s, then kubectl rollout restart deployment/argo-events-events-webhook --namespace %s: the program creates a new one", name, d.namespace, d.namespace)
	case kind == "Secret":
		return made.WithFix("kubectl create secret generic %s --namespace %s --from-file=... --dry-run=client --output yaml | kubectl apply --filename -, then kubectl rollout restart deployment --namespace %s", name, d.namespace, d.namespace)
	}
	return made
}

func parse(content []byte) ([]*x509.Certificate, error) {
	var all []*x509.Certificate
	for {
		block, rest := pem.Decode(content)
		if block == nil {
			return all, nil
		}
		if content = rest; block.Type != "CERTIFICATE" {
			continue
		}
		one, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
}

// webhooks finds webhooks of Services of the namespace whose CA does not verify the certificate of their Service.
func (d *state) webhooks(ctx context.Context, secrets []corev1.Secret) ([]findings.Finding, string) {
	type hook struct {
		Name         string
		ClientConfig admissionv1.WebhookClientConfig
	}
	type configuration struct {
		Metadata struct{ Name string }
		Webhooks []hook
	}
	var list []findings.Finding
	for _, resource := range []string{"validatingwebhookconfigurations", "mutatingwebhookconfigurations"} {
		found, err := listOf[configuration](ctx, d.Cluster, "/apis/admissionregistration.k8s.io/v1/"+resource, nil)
		if err != nil {
			return list, "webhooks were not read: " + reason(err)
		}
		for _, each := range found {
			for _, hook := range each.Webhooks {
				service := hook.ClientConfig.Service
				if service == nil || service.Namespace != d.namespace {
					continue
				}
				if secret := unverified(hook.ClientConfig.CABundle, service.Name+"."+d.namespace+".svc", secrets, d.Now); secret != "" {
					list = append(list, findings.New("SEC207", at(resource, "", each.Metadata.Name), hook.Name, service.Name).
						WithFix("kubectl delete secret %s --namespace %s, then restart the program behind the Service %s: it creates both again", secret, d.namespace, service.Name))
				}
			}
		}
	}
	return list, ""
}

// unverified returns the Secret with the certificate of a host, if the CAs do not verify it; "" if they do, or if no Secret has one.
func unverified(authorities []byte, host string, secrets []corev1.Secret, now time.Time) string {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authorities)
	for _, secret := range secrets {
		for _, key := range slices.Sorted(maps.Keys(secret.Data)) {
			chain, err := parse(secret.Data[key])
			if err != nil || len(chain) == 0 || chain[0].IsCA || chain[0].VerifyHostname(host) != nil {
				continue
			}
			if _, err := chain[0].Verify(x509.VerifyOptions{Roots: pool, DNSName: host, CurrentTime: now}); err != nil {
				return secret.Name
			}
			return ""
		}
	}
	return ""
}
