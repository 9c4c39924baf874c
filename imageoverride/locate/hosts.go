package locate

import (
	"regexp"
	"strings"
)

// publicHosts are registries whose name is sufficient to make "host/path" in free text an image.
var publicHosts = map[string]bool{
	"docker.io": true, "index.docker.io": true, "registry-1.docker.io": true, "quay.io": true, "ghcr.io": true, "gcr.io": true,
	"us.gcr.io": true, "eu.gcr.io": true, "asia.gcr.io": true, "k8s.gcr.io": true, "registry.k8s.io": true, "public.ecr.aws": true,
	"mcr.microsoft.com": true, "registry.gitlab.com": true, "docker.elastic.co": true, "registry.access.redhat.com": true,
	"registry.redhat.io": true, "registry.connect.redhat.com": true, "nvcr.io": true, "icr.io": true, "xpkg.upbound.io": true,
	"cgr.dev": true, "lscr.io": true, "ghcr.nju.edu.cn": true, "container-registry.oracle.com": true, "dhi.io": true,
	"oci.external-secrets.io": true, "cr.fluentbit.io": true, "cr.l5d.io": true, "docker.getcollate.io": true, "releases-docker.jfrog.io": true,
}

// publicForm matches host names that are typical of registries.
var publicForm = regexp.MustCompile(`^(registry|registry-[0-9]+|docker|cr|ghcr|gcr|containers?|images?|oci)\.[a-z0-9.-]+\.[a-z]{2,}$|\.gcr\.io$|-docker\.pkg\.dev$|\.azurecr\.io$|\.dkr\.ecr\.[a-z0-9-]+\.amazonaws\.com$|\.icr\.io$|\.jfrog\.io$`)

// maxHost is the length of the longest host name: https://www.rfc-editor.org/rfc/rfc1035#section-2.3.4
const maxHost = 255

// public reports whether the name of a host shows that it is a registry.
func public(host string) bool {
	host, _, _ = strings.Cut(host, ":")
	return publicHosts[host] || len(host) <= maxHost && publicForm.MatchString(host)
}

// bareRegistry reports whether a text without a path is the name of a registry. API groups and names of attributes may begin with "image.", too.
func bareRegistry(text string) bool {
	first, _, _ := strings.Cut(text, ".")
	return public(text) && first != "image" && first != "images" && first != "container" && first != "containers" && first != "oci"
}
