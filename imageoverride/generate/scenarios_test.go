package generate_test

import (
	"path/filepath"
	"strings"

	"gitops-runtime/imageoverride/generate"
)

const (
	charts   = "../../charts"
	umbrella = charts + "/gitops-runtime"
	private  = "registry.corp:5000/gitops"
)

// modes are the access modes of the umbrella chart.
var modes = []string{"tunnel", "ingress", "gateway", "mesh"}

func modeFile(mode string) string { return umbrella + "/ci/" + mode + "-values.yaml" }

// scenario returns a scenario with these values files.
func scenario(name string, files ...string) generate.Scenario {
	return generate.Scenario{Name: name, Values: generate.Values{Files: files}}
}

func short(file string) string { return strings.TrimSuffix(filepath.Base(file), ".yaml") }
