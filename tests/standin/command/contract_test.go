package command_test

import (
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/standin/appproxy"
	"gitops-runtime/tests/standin/gateway"
	"gitops-runtime/tests/standin/operator"
	"gitops-runtime/tests/standin/reporter"
	"gitops-runtime/tests/standin/settings"
)

// contractFile contains the settings of each container in the published chart: scenario, kind, object, container, aspect, key, value.
const contractFile = "../../contract/runtime-contract-0.30.0.tsv"

// given contains the settings of a container in the contract.
type given struct {
	variables map[string]variable
	mounts    []string
	ports     []int
}

// variable is an environment variable in all scenarios in which the container exists.
type variable struct {
	always bool // always means that every scenario sets it, by a reference that is not optional or by a literal.
	empty  bool // empty means that a scenario sets it to an empty value.
}

// container returns the settings of a Deployment's container in the contract. Scenarios other than tunnel contain only the differences.
func container(t *testing.T, deployment, name string) given {
	t.Helper()
	document, err := os.ReadFile(contractFile)
	require.NoError(t, err)
	made := given{variables: map[string]variable{}}
	scenarios := map[string]bool{}
	firstSeen := map[string]string{}
	for line := range strings.Lines(string(document)) {
		row := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if row[1] != "Deployment" || row[2] != deployment || row[3] != name {
			continue
		}
		scenario, aspect, key, value := row[0], row[4], row[5], row[6]
		scenarios[scenario] = true
		switch aspect {
		case "env":
			known, seen := made.variables[key]
			if !seen {
				firstSeen[key] = scenario
				known.always = true
			}
			known.always = known.always && value != "(absent)" && !strings.HasSuffix(value, ":optional")
			known.empty = known.empty || value == "literal:"
			made.variables[key] = known
		case "mount":
			made.mounts = append(made.mounts, key)
		case "port":
			number, _, _ := strings.Cut(value, "/")
			port, err := strconv.Atoi(number)
			require.NoError(t, err)
			made.ports = append(made.ports, port)
		}
	}
	require.NotEmpty(t, scenarios, "the contract has no container %s of the Deployment %s", name, deployment)
	for key, scenario := range firstSeen { // a variable of only some scenarios
		known := made.variables[key]
		known.always = known.always && (scenario == "tunnel" || !scenarios["tunnel"])
		made.variables[key] = known
	}
	return made
}

// Each stand-in reads only names that the contract has for its container, and requires exactly those that the contract always sets.
func TestSettingsAreOfTheContract(t *testing.T) {
	t.Parallel()
	for _, program := range []struct {
		deployment, container string
		settings              any
	}{
		{"cap-app-proxy", "cap-app-proxy", appproxy.Settings{}},
		{"cap-app-proxy", "init", appproxy.InitSettings{}},
		{"argo-gateway", "argo-gateway", gateway.Settings{}},
		{"gitops-operator", "manager", operator.Settings{}},
		{"runtime-event-reporter", "runtime-event-reporter", reporter.Settings{}},
		{"cluster-event-reporter", "cluster-event-reporter", reporter.Settings{}},
	} {
		t.Run(program.deployment+"/"+program.container, func(t *testing.T) {
			t.Parallel()
			contract, declared := container(t, program.deployment, program.container), settings.Declared(program.settings)
			for _, read := range declared.Variables {
				promised, known := contract.variables[read.Name]
				require.True(t, known, "the contract gives the container no variable %s", read.Name)
				switch {
				case promised.empty: // set, and empty if the user sets nothing
					require.False(t, read.Required && !read.Empty, "the contract gives %s with no value", read.Name)
				default:
					require.Equal(t, promised.always, read.Required, "whether %s is required", read.Name)
				}
			}
			require.Subset(t, contract.mounts, declared.Files)
			require.Subset(t, contract.ports, declared.Ports)
		})
	}
}

// The leader elector has flags and reads no variables.
func TestElectorFlagsAreOfTheContract(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile(contractFile)
	require.NoError(t, err)
	flags := map[string]bool{}
	for line := range strings.Lines(string(document)) {
		row := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if row[3] == "leader-elector" && row[4] == "arg" && strings.HasPrefix(row[5], "--") {
			flags[row[5]] = true
		}
	}
	require.Equal(t, []string{"--id", "--lease-duration", "--lease-name", "--lease-renew-duration", "--namespace"}, slices.Sorted(maps.Keys(flags)))
	arguments := []string{"/usr/local/bin/leader-elector"}
	for _, flag := range slices.Sorted(maps.Keys(flags)) {
		arguments = append(arguments, flag+"=1s")
	}
	require.ErrorContains(t, run(t, nil, arguments...), "finding the cluster this runs in: ")
}
