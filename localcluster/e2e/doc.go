// Package e2e installs the runtime on the local kind cluster in every access mode and asks it to work, from outside and
// through the mode's own path: TestRuntime is the whole order of it, within an air gap, where the node and its pods reach the private
// registry, name servers and each other and nothing else. TestCharts installs each of Argo's charts on its own, with its defaults and then
// for high availability; its Argo CD also meets a runtime whose values are refused. `make e2e` runs all (build tag e2e).
//
// TestResilience installs for high availability and with NetworkPolicies, then lets pods die and servers go away. TestCycles upgrades
// from the previous release, then installs and uninstalls again and again, as often as the environment variable E2E_CYCLES
// says; without it, what was upgraded is all that goes.
//
// TestFaults and TestInterrupted are those of docs/reliability.md, by `make e2e-faults` (build tag faults): a highly available runtime meets one fault after the other
// while requests and webhooks pass it, an application is synced and workflows run, and Helm is killed at random times. TestResilience and TestCharts have a short
// list of both.
//
// TestScale is that of docs/scale.md, by `make e2e-scale` (build tag scale): hundreds of Applications, workflows, events and event sources, and what every container
// uses meanwhile.
//
// TestNeighbors begins with another Argo CD and Argo Rollouts: runtimes that the other Argo CD installs, next to it, and next to each
// other.
//
// TestInPlace installs a release with the names, labels and selectors of the published chart's contract, made from its table, and upgrades
// it to this chart.
//
// The cluster, its images and the platform's stand-in are those of `make install` and stay when the tests end; the
// runtime, and whatever else Argo's definitions cover on that cluster, is removed before the first test and after the last.
// A test waits for conditions, never for a time, and asserts once. One that fails leaves a folder below .cache/e2e with
// logs, events and objects, and prints its name.
package e2e
