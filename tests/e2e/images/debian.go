package images

import (
	"embed"
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"gitops-runtime/tests/e2e/images/debian"
	"gitops-runtime/tests/e2e/images/ocilayer"
)

// debianBase is the layer that all images with Debian programs share: it is built, stored and unpacked once for five images.
var debianBase = debian.RootFS{
	Packages: []string{
		"ca-certificates", "tzdata", // all
		"git", "openssh-client", "gpg", "gpg-agent", "tini", // Argo CD's repository server
		"nginx-light", "redis-server", "redis-tools", "haproxy",
		"iptables", "ipset", "nftables", // kube-router
	},
	// Programs see the first name of a user ID.
	Users: []string{
		"argocd:x:999:999::/home/argocd:/bin/sh",
		"nginx:x:101:101::/nonexistent:/usr/sbin/nologin",
	},
	Groups: []string{"argocd:x:999:", "nginx:x:101:"},
}

//go:embed rootfs
var rootfs embed.FS

// script returns a file of the folder rootfs as an executable at a path.
func script(at, name string) ocilayer.Entry {
	entry := text(at, name)
	entry.Mode = 0o755
	return entry
}

// text returns a file of the folder rootfs as a text file at a path.
func text(at, name string) ocilayer.Entry {
	content, err := rootfs.ReadFile("rootfs/" + name)
	if err != nil {
		panic(fmt.Sprintf("tests/e2e/images/rootfs lacks a file that the catalog names: %v", err))
	}
	return ocilayer.Entry{Path: at, Content: string(content)}
}

// nginx returns Debian's nginx with the configuration of nginx-unprivileged: user 101, port 8080, writes only below /tmp, reads /etc/nginx/conf.d.
func nginx() recipe {
	return recipe{
		origin: DebianPackage,
		note:   "Debian's nginx; without templates of the published image",
		debian: true,
		files: []ocilayer.Entry{
			text("/etc/nginx/nginx.conf", "nginx.conf"),
			text("/etc/nginx/conf.d/default.conf", "nginx-default.conf"),
			{Path: "/var/log/nginx", Dir: true, UID: 101, GID: 101},
			{Path: "/var/log/nginx/access.log", Link: "/dev/stdout"},
			{Path: "/var/log/nginx/error.log", Link: "/dev/stderr"},
		},
		config: v1.Config{
			User:         "101",
			Cmd:          []string{"nginx", "-g", "daemon off;"},
			Env:          []string{searchPath},
			WorkingDir:   "/",
			ExposedPorts: map[string]struct{}{"8080/tcp": {}},
			StopSignal:   "SIGQUIT",
		},
	}
}

// redis returns Debian's redis.
func redis() recipe {
	return recipe{
		origin: DebianPackage,
		note:   "Debian's redis, an older version",
		debian: true,
		files: []ocilayer.Entry{
			script("/usr/local/bin/docker-entrypoint.sh", "redis-entrypoint.sh"),
			{Path: "/data", Dir: true, UID: 999, GID: 999},
		},
		config: v1.Config{
			User:         "999",
			Entrypoint:   []string{"docker-entrypoint.sh"},
			Cmd:          []string{"redis-server"},
			Env:          []string{searchPath},
			WorkingDir:   "/data",
			ExposedPorts: map[string]struct{}{"6379/tcp": {}},
		},
	}
}

// haproxy returns Debian's haproxy, which runs as user 99.
func haproxy() recipe {
	return recipe{
		origin: DebianPackage,
		note:   "Debian's haproxy, an older version",
		debian: true,
		config: v1.Config{
			User:       "99",
			Cmd:        []string{"haproxy", "-f", "/usr/local/etc/haproxy/haproxy.cfg"},
			Env:        []string{searchPath},
			WorkingDir: "/",
			StopSignal: "SIGUSR1",
		},
	}
}

// kubeRouterImage returns kube-router with the programs that configure the node's packet filter.
func kubeRouterImage() recipe {
	const at = "/usr/local/bin/kube-router"
	return recipe{
		origin:   BuiltFromSource,
		debian:   true,
		programs: []placed{{kubeRouter, at}},
		config:   v1.Config{Entrypoint: []string{at}, Env: []string{searchPath}, WorkingDir: "/"},
	}
}

// argocdNames are the names of Argo CD's program; it runs a different server under each.
var argocdNames = []string{
	"server", "repo-server", "cmp-server", "application-controller", "dex",
	"notifications", "applicationset-controller", "k8s-auth", "commit-server",
}

// argocdImage returns Argo CD with the programs its repository server calls.
func argocdImage() recipe {
	const bin = "/usr/local/bin/"
	files := []ocilayer.Entry{
		script(bin+"entrypoint.sh", "argocd-entrypoint.sh"),
		script(bin+"gpg-wrapper.sh", "gpg-wrapper.sh"),
		script(bin+"git-verify-wrapper.sh", "git-verify-wrapper.sh"),
		{Path: bin + "uid_entrypoint.sh", Link: bin + "entrypoint.sh"},
		{Path: "/home/argocd", Dir: true, UID: 999, Mode: 0o775},
		{Path: "/app/config/ssh/ssh_known_hosts"},
		{Path: "/etc/ssh/ssh_known_hosts", Link: "/app/config/ssh/ssh_known_hosts"},
		{Path: "/app/config/tls", Dir: true},
		{Path: "/app/config/gpg/source", Dir: true},
		{Path: "/app/config/gpg/keys", Dir: true, UID: 999, Mode: 0o700},
	}
	for _, name := range argocdNames {
		files = append(files, ocilayer.Entry{Path: bin + "argocd-" + name, Link: bin + "argocd"})
	}
	return recipe{
		origin:   BuiltFromSource,
		note:     upstreamUI,
		debian:   true,
		programs: []placed{{kustomize, bin + "kustomize"}, {helm, bin + "helm"}, {argocd, bin + "argocd"}},
		files:    files,
		config: v1.Config{
			User:       "999",
			Entrypoint: []string{"/usr/bin/tini", "--"},
			Env:        []string{searchPath, "USER=argocd"},
			WorkingDir: "/home/argocd",
		},
	}
}
