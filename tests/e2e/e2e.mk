# Targets of the Makefile for the local cluster and its tests; README.md describes the variables.

FOR      ?= 20s
SEED     ?=
MOMENTS  ?= 20
CYCLES   ?= 20
UPGRADES ?= 50
DOWN     ?= 10m
FAULTS   ?=
APPLICATIONS ?= 100,500
WORKFLOWS    ?= 200
EVENTS       ?= 1000
SOURCES      ?= 50

##@ Further tests on a cluster

.PHONY: measure-idle
measure-idle: bin/kubectl ## Print what each container of the installed runtime uses and requests (ARGS="--for 5m")
	@$(STEP) "build runtime-kind" go build -C tests/e2e -o ../../bin/runtime-kind ./cmd/runtime-kind >&2
	@bin/runtime-kind cost $(ARGS)

.PHONY: test-browser
test-browser: ## Test the HTML reports in Chromium (apt-get install chromium, or CHROMIUM=/path)
	@command -v "$${CHROMIUM:-chromium}" >/dev/null || { echo "there is no Chromium: apt-get install chromium, or name one in CHROMIUM" >&2; exit 1; }
	@cd tests/e2e && ../../$(STEP) "HTML reports in Chromium" go test -tags browser -count=1 -timeout 10m $(ARGS) ./browser

.PHONY: test-examples
test-examples: deps bin/helmfile bin/tofu ## Run Helmfile and OpenTofu on the examples, with a registry on this machine
	@cd tests/e2e && ../../$(STEP) "programs of the examples" go test -tags examples -count=1 -timeout 10m $(ARGS) ./examples

# What takes hours, or repeats what make e2e does once; each variable is described in tests/e2e/README.md.
.PHONY: e2e-nightly
e2e-nightly: export E2E_SEED = $(SEED)
e2e-nightly: export E2E_MOMENTS = $(MOMENTS)
e2e-nightly: export E2E_CYCLES = $(or $(CYCLES),20)
e2e-nightly: export E2E_UPGRADES = $(UPGRADES)
e2e-nightly: export E2E_DOWN = $(DOWN)
e2e-nightly: export E2E_FAULTS = $(FAULTS)
e2e-nightly: export E2E_APPLICATIONS = $(APPLICATIONS)
e2e-nightly: export E2E_WORKFLOWS = $(WORKFLOWS)
e2e-nightly: export E2E_EVENTS = $(EVENTS)
e2e-nightly: export E2E_SOURCES = $(SOURCES)
e2e-nightly: export E2E_VALUES = $(VALUES)
e2e-nightly: deps bin/gotestsum bin/kind bin/kubectl bin/helm-3.8 bin/helm-4 ## Run what takes hours: faults, scale, cycles, upgrades in every mode, fifty previews of upgrades, two runtimes, an install from a bundle (TESTS='TestFaults|TestScale')
	@cd tests/e2e && ../../$(STEP) "nightly tests" ../../bin/gotestsum --format standard-verbose --packages ./cases/... -- -tags e2e,nightly -count=1 -timeout 12h \
		-run '^($(or $(TESTS),TestFaults|TestInterrupted|TestCycles|TestScale|TestEveryModeRestricted|TestInPlaceModes|TestNeighbors|TestCharts|TestDoctor|TestPreview|TestCronJobs|TestRestore|TestBundle))$$' $(ARGS)

.PHONY: e2e-publish
e2e-publish: deps bin/gotestsum bin/kind bin/kubectl bin/helm bin/cosign ## Publish to the registry on this machine, and install from there on kind
	@$(STEP) "build release" go build -o bin/release ./hack/release/cmd/release
	@cd tests/e2e && ../../$(STEP) "install what is published" ../../bin/gotestsum --format standard-verbose --packages ./cases/... -- \
		-tags e2e,publish -run TestPublishedRelease -count=1 -timeout 75m $(ARGS)

.PHONY: bench-traffic
bench-traffic: deps ## Measure router and tunnel, compared to a plain nginx: requests, WebSockets, streams (FOR=1h)
	@go test -C tests/e2e -run '^$$' -bench . -benchtime 1x -timeout 0 $(ARGS) ./tunnel -sessions-for "$(FOR)"
