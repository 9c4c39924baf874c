package doctor

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"gitops-runtime/internal/cleantext"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
)

const (
	// logWindow is the time that is read from a log, and fresh how old the newest complaint may be: one that has ended is no finding.
	logWindow, fresh = 5 * time.Minute, 2 * time.Minute
	// starting is how long a container may complain about programs that start with it.
	starting = 90 * time.Second
	// repeated is the number of complaints from which they count.
	repeated = 3
	// logLines and logBytes limit what is read from one container.
	logLines, logBytes = 600, 256 << 10
)

// complaints are what programs write about connections that fail, most specific first: Go's net and crypto/x509, Node.js' error codes, Git, nginx and frp.
var complaints = []struct {
	code  string
	match *regexp.Regexp
}{
	{"NET301", regexp.MustCompile(`no such host|server misbehaving|ENOTFOUND|EAI_AGAIN|[Tt]emporary failure in name resolution|could not be resolved|[Cc]ould not resolve host|lookup \S+( on \S+)?: ([a-z]+ udp \S+: )?([a-z]+: )?(i/o timeout|connection refused)`)},
	{"NET303", regexp.MustCompile(`x509: [a-z ]+|certificate signed by unknown authority|self[- ]signed certificate|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|unable to verify the first certificate|CERT_HAS_EXPIRED|certificate has expired|SSL certificate problem`)},
	{"NET302", regexp.MustCompile(`[Cc]onnection refused|ECONNREFUSED|i/o timeout|ETIMEDOUT|no route to host|EHOSTUNREACH|connection reset by peer|ECONNRESET|[Cc]onnection timed out|context deadline exceeded|Client\.Timeout exceeded`)},
	{"NET304", regexp.MustCompile(`(?i)authentication (required|failed)|invalid credentials|bad credentials|(status|code|http)["=: ]+401\b|401 unauthorized|code = Unauthenticated|invalid (api )?(key|token)|permission denied \(publickey|could not read Username`)},
}

// servers write about clients that they reject themselves.
var servers = []string{"Deployment/internal-router", "Deployment/argo-cd-server", "Deployment/argo-server"}

// hosts find the host that a line is about, most specific first.
var hosts = []*regexp.Regexp{
	regexp.MustCompile(`lookup ([A-Za-z0-9.-]+)`),
	regexp.MustCompile(`(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|EHOSTUNREACH) ([A-Za-z0-9.:-]+)`),
	regexp.MustCompile(`([A-Za-z0-9.-]+) could not be resolved`),
	regexp.MustCompile(`[Cc]ould not resolve host:? ([A-Za-z0-9.-]+)`),
	regexp.MustCompile(`(?:https?|wss?|ssh|tcp)://(?:[^/\s"'@]*@)?([A-Za-z0-9.:-]+)`),
	regexp.MustCompile(`dial (?:tcp|udp) ([A-Za-z0-9.:\[\]-]+?):? `),
	regexp.MustCompile(`->([0-9.]+:[0-9]+)`),
}

// complaint is a path of a program that fails in one way.
type complaint struct{ code, program, host string }

type heard struct {
	times int
	last  time.Time
	words string
}

// checkLogs reads what the programs report about their connections.
func checkLogs(ctx context.Context, d *state) engine.Outcome {
	pods, err := d.pods(ctx)
	if err != nil {
		return unknown("NET300", "The pods", err)
	}
	all := map[complaint]*heard{}
	var unread []string
	for _, pod := range pods {
		for _, status := range pod.Status.ContainerStatuses {
			if status.State.Running == nil {
				continue
			}
			text, err := d.Cluster.Text(ctx, "pods/log", d.core("pods/"+url.PathEscape(pod.Name)+"/log"), url.Values{
				"container": {status.Name}, "timestamps": {"true"}, "tailLines": {strconv.Itoa(logLines)}, "sinceSeconds": {strconv.Itoa(int(logWindow.Seconds()))},
			}, logBytes)
			if err != nil {
				if !cluster.NotFound(err) { // a pod that has just been replaced
					unread = append(unread, pod.Name+": "+reason(err))
				}
				continue
			}
			listen(all, cmp.Or(d.workload(pod), "Pod/"+pod.Name), string(text), status.State.Running.StartedAt.Add(starting))
		}
	}
	var list []findings.Finding
	for _, each := range slices.SortedFunc(maps.Keys(all), func(a, b complaint) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }) {
		what := all[each]
		if what.times < repeated || d.Now.Sub(what.last) > fresh {
			continue
		}
		kind, name, _ := strings.Cut(each.program, "/")
		list = append(list, findings.New(each.code, at(kind, d.namespace, name), name, each.host, what.times, logWindow, what.words))
	}
	if len(unread) > 0 {
		list = append(list, findings.New("NET300", at("release", d.namespace, d.Release.Name), "Some logs cannot be read: "+short(unread)+"."))
	}
	return found(list...)
}

// listen adds the complaints of a log; lines before a time are left out. Only the words that were recognized are kept, since a line may contain anything.
func listen(all map[complaint]*heard, program, log string, after time.Time) {
	for line := range strings.Lines(log) {
		stamp, text, _ := strings.Cut(line, " ")
		at, err := time.Parse(time.RFC3339Nano, stamp)
		if err != nil || at.Before(after) {
			continue
		}
		for _, one := range complaints {
			words := one.match.FindString(text)
			if words == "" || one.code == "NET304" && slices.Contains(servers, program) {
				continue
			}
			key := complaint{one.code, program, hostOf(text)}
			if all[key] == nil {
				all[key] = &heard{}
			}
			all[key].times++
			all[key].last, all[key].words = at, words
			break
		}
	}
}

func hostOf(line string) string {
	for _, form := range hosts {
		if match := form.FindStringSubmatch(line); match != nil {
			return strings.TrimRight(match[1], ":.")
		}
	}
	return "a server that the log does not name"
}

// failing matches what Argo CD writes if it cannot read a repository, as opposed to manifests that are wrong.
var failing = regexp.MustCompile(`(?i)repositor|ls-remote|failed to (list refs|fetch|initialize)|authentication|dial tcp|x509|no such host|connection|timeout|deadline|permission denied`)

func checkRepositories(ctx context.Context, d *state) engine.Outcome {
	applications, err := d.applications(ctx)
	if err != nil {
		return unknown("NET400", "The Applications", err)
	}
	type trouble struct{ repository, message string }
	of := map[trouble][]string{}
	for _, each := range applications {
		for _, condition := range each.Status.Conditions {
			if condition.Type != "ComparisonError" || !failing.MatchString(condition.Message) {
				continue
			}
			var repositories []string
			for _, one := range append(each.Spec.Sources, each.Spec.Source) {
				if one.RepoURL != "" {
					repositories = append(repositories, cleantext.URL(one.RepoURL))
				}
			}
			key := trouble{strings.Join(repositories, ", "), cleantext.Cut(condition.Message, 300)}
			of[key] = append(of[key], each.Metadata.Name)
		}
	}
	var list []findings.Finding
	for _, each := range slices.SortedFunc(maps.Keys(of), func(a, b trouble) int { return strings.Compare(a.repository+a.message, b.repository+b.message) }) {
		slices.Sort(of[each])
		list = append(list, findings.New("NET401", at("Applications", "", short(of[each])), each.repository, short(of[each]), each.message))
	}
	return found(list...)
}

// proxied reads what a port of a pod answers through the API server, which needs the permission pods/proxy.
func (d *state) proxied(ctx context.Context, pod corev1.Pod, port int32, path string) ([]byte, error) {
	const most, patience = 4 << 20, 3 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience) // a policy may drop the packets
	defer cancel()
	return d.Cluster.Text(ctx, "pods/proxy", fmt.Sprintf("%s:%d/proxy/%s", d.core("pods/"+url.PathEscape(pod.Name)), port, path), nil, most)
}
