package checks

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"

	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/mode"
)

const (
	replicasPath   = "app-proxy.replicaCount"
	enrichmentPath = "app-proxy.image-enrichment.enabled"
	meshRoutePath  = "global.runtime.meshRoute.kind"
	targetPath     = "tunnel-client.target"
	routerPath     = "internal-router"
	argoAuthPath   = externalArgoPath + ".auth"
	legacyAuthPath = "global.external-argo-cd.auth"
	forwardPath    = "tunnel-client.tunnel.forwardTo"
	sshKeyPath     = gitPath + ".sshPrivateKey"
)

// checkTogether compares values that are valid on their own but not together. The chart's templates reject each of these combinations, too, with the
// same code.
func checkTogether(_ context.Context, d *state) engine.Outcome {
	switch {
	case d.InHook:
		return nothing(helmHasChecked)
	case d.Chart == nil:
		return lacks("a chart")
	}
	var list []findings.Finding
	for _, rule := range []func(*state) (findings.Finding, bool){
		(*state).cacheMissing, (*state).workflowsMissing, (*state).routeUnused, (*state).tunnelElsewhere, (*state).argoTokenMissing, (*state).sshKeyUnnamed,
		(*state).backupUnreadable, (*state).backupNowhere, (*state).credentialsInAddress,
	} {
		if finding, broken := rule(d); broken {
			list = append(list, finding)
		}
	}
	return found(list...)
}

// cacheMissing reports several replicas of app-proxy without Redis, in which they share a cache.
func (d *state) cacheMissing() (findings.Finding, bool) {
	replicas, _ := d.Values.Get(replicasPath)
	count, isNumber := replicas.(float64)
	redis := d.Values.Bool("redis.enabled", false) || d.Values.Bool("redis-ha.enabled", false) || d.Values.Bool("argo-cd.enabled", true) && d.Values.Bool("argo-cd.redis-ha.enabled", false)
	if !isNumber || count <= 1 || redis {
		return findings.Finding{}, false
	}
	return findings.New("SCH301", d.place(replicasPath), int(count)), true
}

func (d *state) workflowsMissing() (findings.Finding, bool) {
	if !d.Values.Bool(enrichmentPath, false) || d.Values.Bool("argo-workflows.enabled", true) {
		return findings.Finding{}, false
	}
	return findings.New("SCH302", d.place("argo-workflows.enabled")), true
}

func (d *state) routeUnused() (findings.Finding, bool) {
	kind, chosen := d.Values.String(meshRoutePath, ""), mode.Choose(d.Values)
	if kind == "" || chosen == mode.Mesh || chosen == mode.None { // MOD102 reports that no mode is chosen
		return findings.Finding{}, false
	}
	return findings.New("SCH303", d.place(meshRoutePath), kind, string(chosen)), true
}

func (d *state) tunnelElsewhere() (findings.Finding, bool) {
	host := cmp.Or(d.Values.String(forwardPath+".host", ""), d.Values.String(targetPath+".host", ""))
	port := cmp.Or(d.Values.String(forwardPath+".port", ""), d.Values.String(targetPath+".port", ""))
	name, servicePort := d.Values.String(routerPath+".fullnameOverride", "internal-router"), d.Values.String(routerPath+".service.port", "")
	if mode.Choose(d.Values) != mode.Tunnel || host == "" || port == "" || servicePort == "" || host == name && port == servicePort {
		return findings.Finding{}, false
	}
	return findings.New("SCH304", d.place(targetPath+".host"), host, port, name, servicePort).
		WithFix("--set %s.host=%s,%s.port=%s", targetPath, name, targetPath, servicePort), true
}

func (d *state) argoTokenMissing() (findings.Finding, bool) {
	named := d.argoAuth("tokenSecretKeyRef.name", "") != "" && d.argoAuth("tokenSecretKeyRef.key", "") != ""
	if d.argoAuth("type", "") != "token" || d.argoAuth("token", "") != "" || named {
		return findings.Finding{}, false
	}
	return findings.New("SCH305", d.place(argoAuthPath+".token")), true
}

// argoAuth returns a value of the login to Argo CD; the older name takes precedence if both are set, as in the chart.
func (d *state) argoAuth(key, fallback string) string {
	return d.Values.String(legacyAuthPath+"."+key, d.Values.String(argoAuthPath+"."+key, fallback))
}

func (d *state) sshKeyUnnamed() (findings.Finding, bool) {
	reference := d.Values.Map(sshKeyPath + ".secretKeyRef")
	given := d.Values.String(sshKeyPath+".value", "") != ""
	if given || d.Values.String(sshKeyPath+".secretKeyRef.name", "") != "" || len(reference) == 0 || d.Values.String(sshKeyPath+".secretKeyRef.key", "") == "" {
		return findings.Finding{}, false
	}
	return findings.New("SCH306", d.place(sshKeyPath+".secretKeyRef")), true
}

// backupUnreadable reports a backup that is encrypted for nobody.
func (d *state) backupUnreadable() (findings.Finding, bool) {
	recipients, _ := d.Values.Get("backup.recipients")
	list, _ := recipients.([]any)
	if !d.Values.Bool("backup.enabled", false) || len(list) > 0 {
		return findings.Finding{}, false
	}
	return findings.New("SCH307", d.place("backup.recipients")), true
}

// backupNowhere reports a backup with no place, or with two.
func (d *state) backupNowhere() (findings.Finding, bool) {
	bucket, claim := d.Values.String("backup.s3.bucket", ""), d.Values.String("backup.volume.existingClaim", "")
	if !d.Values.Bool("backup.enabled", false) || (bucket == "") != (claim == "") {
		return findings.Finding{}, false
	}
	return findings.New("SCH308", d.place("backup.enabled")), true
}

// credentialsInAddress reports a URL with a user or a password in the values of the CronJobs.
func (d *state) credentialsInAddress() (findings.Finding, bool) {
	for _, path := range []string{"backup.s3.endpoint", "doctor.pushgateway"} {
		of, _, _ := strings.Cut(path, ".")
		if d.Values.Bool(of+".enabled", false) && strings.Contains(d.Values.String(path, ""), "@") {
			return findings.New("SCH309", d.place(path), path), true
		}
	}
	return findings.Finding{}, false
}

// tunnelHostName matches the tunnel's host name, which consists of account, runtime and tunnel server, as in the chart's templates.
var tunnelHostName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$`)

// tunnelHost reports an account id that cannot be part of a host name.
func (d *state) tunnelHost(account string) (findings.Finding, bool) {
	name := d.Values.String(namePath, "")
	host := fmt.Sprintf("%s-%s.%s", account, name, d.Values.String(serverPath+".subdomainHost", mode.SubdomainHost))
	// other checks report an invalid name or tunnel server
	if account == "" || name == "" || !wellFormed.MatchString(name) || len(account)+1+len(name) > labelLimit || tunnelHostName.MatchString(host) ||
		!isHost(d.Values.String(serverPath+".subdomainHost", mode.SubdomainHost)) {
		return findings.Finding{}, false
	}
	return findings.New("MOD203", d.place(accountPath), account, host), true
}
