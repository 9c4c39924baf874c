package images

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"gitops-runtime/hack/release/image"
	"gitops-runtime/tests/e2e/images/gobuild"
	"gitops-runtime/tests/e2e/images/ocilayer"
)

// user is the user that a container runs as by default. The zero value is root.
type user struct {
	id   int
	name string
	home string
}

// Users as the published images have them.
var (
	argoUser     = user{id: 8737, name: "argo", home: "/home/argo"}
	rolloutsUser = user{id: 999, name: "argo-rollouts", home: "/home/argo-rollouts"}
	eventsUser   = user{id: 9731, name: "argo-events", home: "/home/argo-events"}
	// the published image contains only the number
	sealedSecretsUser = user{id: 1001, name: "sealed-secrets", home: "/"}
	ownUser           = user{id: 65532, name: "nonroot", home: "/"}
)

const searchPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// upstreamUI is the note of programs whose web UI is not in their module.
const upstreamUI = "without the web UI"

// static returns an image of one static program and the few files that programs expect: users, CA certificates and /tmp. Containers start the
// program.
func static(program gobuild.Program, at string, as user) recipe {
	content := recipe{
		origin:   BuiltFromSource,
		programs: []placed{{program, at}},
		files:    systemFiles(as),
		config: v1.Config{
			Entrypoint: []string{at},
			Env:        []string{searchPath},
			WorkingDir: "/",
		},
	}
	if as.id != 0 {
		content.config.User = strconv.Itoa(as.id)
		content.config.WorkingDir = as.home
	}
	return content
}

// withShell adds the Debian layer to an image whose containers run a script; the published image contains another shell.
func withShell(content recipe) recipe {
	content.debian = true
	return content
}

// argoEventsImage returns Argo Events with the program argo, which the argoWorkflow trigger runs.
func argoEventsImage() recipe {
	content := withZones(static(argoEvents, "/bin/argo-events", eventsUser))
	content.programs = append(content.programs, placed{argo, "/bin/argo"})
	content.files = append(content.files, ocilayer.Entry{Path: "/usr/local/bin/argo", Link: "/bin/argo"})
	return content
}

// own returns the image of one of this repository's programs, with the same content as in a release.
func own(program image.Program, version string) recipe {
	compiled := ownProgram(path.Base(program.Path), ".", program.Package)
	compiled.LDFlags = "-X main.version=" + version
	return recipe{
		origin:   Own,
		programs: []placed{{compiled, program.Path}},
		files:    []ocilayer.Entry{{Path: image.AuthoritiesPath, Content: image.Authorities()}},
		config:   program.Config(),
	}
}

// standIn returns the test program that replaces unavailable programs; role is its first argument. Without one, tests specify the role. as is the user
// of the published image. Where that is not known it is root, which fails where a chart demands another user without naming one.
func standIn(as user, role ...string) recipe {
	content := static(ownProgram("standin", ".", "./tests/standin/cmd/standin"), "/usr/local/bin/standin", as)
	content.origin = StandIn
	content.note = "does what is known of the program"
	content.config.Entrypoint = append([]string{"/usr/local/bin/standin"}, role...)
	return content
}

// named makes an image name its user instead of giving a number: the kubelet cannot verify that such a user is not root, so a pod that demands it has to
// give a number. The published images of app-proxy do not run as root, but whether by number is not known.
func named(content recipe) recipe {
	content.config.User = ownUser.name
	return content
}

// appProxyInit returns a stand-in that charts start as ./init.sh, the script of the published image; the program recognizes that name.
func appProxyInit() recipe {
	content := named(standIn(ownUser, "app-proxy-init"))
	content.files = append(content.files, ocilayer.Entry{Path: "/init.sh", Link: "/usr/local/bin/standin"})
	return content
}

// leaderElector returns a stand-in that charts start as leader-elector, the program of the published image.
func leaderElector() recipe {
	content := standIn(user{}, "leader-elector")
	content.files = append(content.files, ocilayer.Entry{Path: "/usr/local/bin/leader-elector", Link: "/usr/local/bin/standin"})
	return content
}

// natsReloader returns a script in place of a program whose module the module proxy does not have.
func natsReloader() recipe {
	const at = "/usr/local/bin/nats-server-config-reloader"
	return recipe{
		origin: StandIn, note: "a script that does the same", debian: true, files: []ocilayer.Entry{script(at, "nats-reloader.sh")},
		config: v1.Config{Entrypoint: []string{at}, Env: []string{searchPath}, WorkingDir: "/"},
	}
}

// withZones adds the time zones for schedules.
func withZones(content recipe) recipe {
	content.zones = true
	content.config.Env = append(content.config.Env, "ZONEINFO="+zonesPath)
	return content
}

// zonesPath is the path of the time zones in images. Go reads the zip file at the path in ZONEINFO.
const zonesPath = "/usr/share/zoneinfo.zip"

func systemFiles(as user) []ocilayer.Entry {
	passwd := []string{"root:x:0:0:root:/root:/sbin/nologin", "nobody:x:65534:65534:nobody:/:/sbin/nologin"}
	group := []string{"root:x:0:", "nobody:x:65534:"}
	entries := []ocilayer.Entry{
		{Path: "/tmp", Dir: true, Mode: 0o1777},
		{Path: image.AuthoritiesPath, Content: image.Authorities()},
	}
	if as.id != 0 {
		passwd = append(passwd, fmt.Sprintf("%s:x:%d:%d:%s:%s:/sbin/nologin", as.name, as.id, as.id, as.name, as.home))
		group = append(group, fmt.Sprintf("%s:x:%d:", as.name, as.id))
	}
	if path.Dir(as.home) == "/home" {
		entries = append(entries, ocilayer.Entry{Path: as.home, Dir: true, UID: as.id, GID: as.id})
	}
	return append(entries,
		ocilayer.Entry{Path: "/etc/passwd", Content: strings.Join(passwd, "\n") + "\n"},
		ocilayer.Entry{Path: "/etc/group", Content: strings.Join(group, "\n") + "\n"},
	)
}
