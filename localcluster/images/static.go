package images

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"gitops-runtime/localcluster/images/gobuild"
	"gitops-runtime/localcluster/images/ocilayer"
	"gitops-runtime/release/image"
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
	// the published image names the number alone
	sealedSecretsUser = user{id: 1001, name: "sealed-secrets", home: "/"}
	ownUser           = user{id: 65532, name: "nonroot", home: "/"}
)

const searchPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// upstreamUI is the note of programs whose web UI is not in their module.
const upstreamUI = "without the web UI"

// static is an image of one static program and the few files programs expect:
// users, CA certificates and /tmp. Containers start the program.
func static(program gobuild.Program, at string, as user) recipe {
	made := recipe{
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
		made.config.User = strconv.Itoa(as.id)
		made.config.WorkingDir = as.home
	}
	return made
}

// withShell puts an image on the Debian layer, for containers that run a script; the published image has a shell of its own.
func withShell(made recipe) recipe {
	made.debian = true
	return made
}

// argoEventsImage contains the argo program in addition to its own, which the argoWorkflow trigger runs.
func argoEventsImage() recipe {
	made := withZones(static(argoEvents, "/bin/argo-events", eventsUser))
	made.programs = append(made.programs, placed{argo, "/bin/argo"})
	made.files = append(made.files, ocilayer.Entry{Path: "/usr/local/bin/argo", Link: "/bin/argo"})
	return made
}

// own is the image of one of this repository's programs, with the content that a release has of it.
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

// standIn is the test program that replaces programs which are not available; the role is its first argument. Without a role, tests call it with their
// own.
func standIn(role ...string) recipe {
	made := static(ownProgram("standin", "localcluster", "./cmd/standin"), "/usr/local/bin/standin", ownUser)
	made.origin = StandIn
	made.note = "does what is known of the program"
	made.config.Entrypoint = append([]string{"/usr/local/bin/standin"}, role...)
	return made
}

// appProxyInit is a stand-in that charts start by the published image's
// script, ./init.sh; it knows that name.
func appProxyInit() recipe {
	made := standIn("app-proxy-init")
	made.files = append(made.files, ocilayer.Entry{Path: "/init.sh", Link: "/usr/local/bin/standin"})
	return made
}

// leaderElector is a stand-in that charts start by the published image's
// program, leader-elector.
func leaderElector() recipe {
	made := standIn("leader-elector")
	made.files = append(made.files, ocilayer.Entry{Path: "/usr/local/bin/leader-elector", Link: "/usr/local/bin/standin"})
	return made
}

// withZones adds the time zones that schedules name.
func withZones(made recipe) recipe {
	made.zones = true
	made.config.Env = append(made.config.Env, "ZONEINFO="+zonesPath)
	return made
}

// zonesPath is where images contain time zones. Go reads the zip file that ZONEINFO names.
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
