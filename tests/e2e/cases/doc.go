// Package e2e installs the runtime on the local kind cluster in every access mode and tests it from outside, through the mode's own path.
// TestRuntime is the complete sequence, within an air gap in which the node and its pods reach only the private registry, name servers and each
// other. TestCharts installs each of Argo's charts separately, with its defaults and nightly for high availability; its Argo CD also syncs a runtime
// whose values are rejected. `make e2e` runs all tests (build tag e2e).
//
// TestResilience installs for high availability and with NetworkPolicies, then kills pods and servers.
//
// What takes hours, or repeats these promises, has the build tag nightly and runs with `make e2e-nightly`. TestFaults and TestInterrupted produce
// docs/reliability.md: faults occur one by one in a highly available runtime while requests and webhooks pass it, an application is synced and
// workflows run, and Helm is killed at random times. TestScale produces docs/scale.md: hundreds of
// Applications, workflows, events and event sources, and the resource usage of every container. TestEveryModeRestricted tests each access mode with
// values-restricted.yaml, and TestInPlaceModes upgrades the published release in other modes than TestInPlace. TestCycles upgrades from the previous
// release, then installs and uninstalls E2E_CYCLES times. TestDoctor breaks a runtime in the ways that
// validate-values doctor knows, and TestRestore loses one and restores it. TestPreview compares E2E_UPGRADES random upgrades with what
// validate-values preview has predicted.
//
// TestNeighbors starts with another Argo CD and Argo Rollouts, and tests runtimes that the other Argo CD installs, next to it, and next to each
// other.
//
// TestManagedCluster connects a second kind cluster to an Argo CD, and disconnects it.
//
// TestInPlace installs a release with the names, labels and selectors of the published chart's contract, generated from its table, and upgrades
// it to this chart.
//
// The cluster, its images and the platform's stand-in are those of `make install` and are kept after the tests; the runtime, and all objects of
// Argo's definitions on that cluster, are removed before the first test and after the last. A test waits for conditions, not for fixed times, and
// asserts once. A failed test writes logs, events and objects to a folder below .cache/e2e, and prints its name.
package e2e
