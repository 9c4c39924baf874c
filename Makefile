# Every target sets up what it needs. All it makes is in bin/, .cache/ and out/ here and in the user's cache folder;
# the machine's own Docker, kubeconfig and Helm settings are left alone.

MODE     ?= tunnel
VALUES   ?=
REGISTRY ?= registry.example.com
ARGS     ?=
BASE     ?= main
BENCH    ?= .
FOR      ?= 20s
SEED     ?=
MOMENTS  ?= 20
CYCLES   ?= 20
DOWN     ?= 10m
FAULTS   ?=
APPLICATIONS ?= 100,500
WORKFLOWS    ?= 200
EVENTS       ?= 1000
SOURCES      ?= 50

SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS   += --no-print-directory

export PATH             := $(CURDIR)/bin:$(PATH)
export CGO_ENABLED      := 0
# without paths, so that another checkout finds in the cache what this one compiled
export GOFLAGS          := -buildvcs=false -trimpath
export KUBECONFIG       := $(CURDIR)/.cache/kubeconfig
export HELM_CACHE_HOME  := $(CURDIR)/.cache/helm/cache
export HELM_CONFIG_HOME := $(CURDIR)/.cache/helm/config
export HELM_DATA_HOME   := $(CURDIR)/.cache/helm/data

STEP := tools/step.sh
TEST := bin/gotestsum --format pkgname-and-test-fails --hide-summary=skipped

.PHONY: help
help:
	@awk -F ':.*## ' '/^##@ / { printf "\n%s\n", substr($$0, 5) } /^[a-z0-9-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@printf '\nVariables\n  MODE=tunnel|ingress|gateway|mesh  VALUES=my.yaml  REGISTRY=registry.example.com  ARGS="further arguments"\n'

##@ Local cluster

.PHONY: install
install: deps bin/kind bin/kubectl ## Install the runtime on a local kind cluster (MODE)
	@$(STEP) "build runtime-kind" go build -C localcluster -o ../bin/runtime-kind ./cmd/runtime-kind
	@bin/runtime-kind install --mode "$(MODE)" $(if $(VALUES),--values "$(VALUES)") $(ARGS)

.PHONY: measure-idle
measure-idle: bin/kubectl ## Print what each container of the installed runtime uses and requests (ARGS="--for 5m")
	@$(STEP) "build runtime-kind" go build -C localcluster -o ../bin/runtime-kind ./cmd/runtime-kind >&2
	@bin/runtime-kind cost $(ARGS)

.PHONY: uninstall
uninstall: bin/helm bin/kind bin/kubectl ## Uninstall the runtime; the cluster is kept
	@$(STEP) "build runtime-kind" go build -C localcluster -o ../bin/runtime-kind ./cmd/runtime-kind
	@bin/runtime-kind uninstall

.PHONY: clean
clean: bin/kind ## Delete the local cluster and everything that was built in this checkout
	@$(STEP) "build runtime-kind" go build -C localcluster -o ../bin/runtime-kind ./cmd/runtime-kind
	@bin/runtime-kind clean
	@rm -rf bin out .cache

##@ Values and images, without a cluster

.PHONY: validate
validate: deps ## Check values as the chart's hook does (VALUES)
	@$(STEP) "build validate" go build -C localcluster -o ../bin/validate ./cmd/validate >&2
	@bin/validate $(if $(VALUES),--values "$(VALUES)") $(ARGS)

# Without VALUES, one file for every values file that the chart ships; values-*.yaml beside values.yaml lie over those of the tunnel.
UMBRELLA  := charts/gitops-runtime
SCENARIOS  = $(foreach file,$(wildcard $(UMBRELLA)/ci/*-values.yaml),--scenario $(patsubst %-values.yaml,%,$(notdir $(file)))=$(file)) \
	$(foreach file,$(wildcard $(UMBRELLA)/values-*.yaml),--scenario $(patsubst values-%.yaml,%,$(notdir $(file)))=$(UMBRELLA)/ci/tunnel-values.yaml,$(file))

.PHONY: images
images: deps ## Redirect every image to a private registry (REGISTRY, VALUES)
	@$(STEP) "build image-override" go build -o bin/image-override ./imageoverride/cmd/image-override >&2
	@bin/image-override generate charts/gitops-runtime --registry "$(REGISTRY)" $(if $(VALUES),-f "$(VALUES)",$(SCENARIOS)) -o out/images $(ARGS)

##@ Tests

.PHONY: test
# Renders make much garbage: here memory is given for processors' time.
test: export GOGC := 400
test: deps bin/gotestsum bin/helm-4 bin/benchstat ## Run every test that needs no cluster
	@failed=0; \
	$(STEP) "unit, render, schema and drift tests" $(TEST) -- -timeout 12m $(ARGS) ./... || failed=1; \
	cd localcluster; \
	../$(STEP) "tests of the local cluster" ../$(TEST) -- -timeout 12m $(ARGS) ./... || failed=1; \
	exit $$failed

.PHONY: test-publish
test-publish: deps bin/cosign bin/helm-4 ## Publish to a registry on this machine and verify it, with cosign and Helm
	@$(STEP) "publish and verify" go test -tags publish -count=1 -timeout 30m $(ARGS) ./release/publishtest

.PHONY: test-examples
test-examples: deps bin/helmfile bin/tofu ## Run Helmfile and OpenTofu on the examples, with a registry on this machine
	@cd localcluster && ../$(STEP) "programs of the examples" go test -tags examples -count=1 -timeout 10m $(ARGS) ./examples

EDITOR_MODULES := $(CURDIR)/.cache/editor
.PHONY: test-editor
test-editor: ## Check a values file in yaml-language-server with the bundled schema (needs Node.js and npm)
	@command -v npm >/dev/null || { echo "there is no npm: install Node.js 20 or later with npm" >&2; exit 1; }
	@mkdir -p "$(EDITOR_MODULES)" && cp tests/editor/package.json tests/editor/package-lock.json "$(EDITOR_MODULES)"
	@$(STEP) "yaml-language-server" npm ci --prefix "$(EDITOR_MODULES)" --ignore-scripts --no-audit --no-fund --loglevel=error
	@MODULES="$(EDITOR_MODULES)" $(STEP) "completion and checks in an editor" node --test --test-reporter=spec $(ARGS) tests/editor/

.PHONY: test-binaries
test-binaries: bin/goreleaser bin/cosign bin/kubectl ## Build the programs for every platform twice; check archives, signature, manifests
	@$(STEP) "programs of a release" go test -tags binaries -count=1 -timeout 60m $(ARGS) ./release/binarytest

.PHONY: test-pre-commit
test-pre-commit: ## Run the hook for pre-commit as users run it (needs pre-commit)
	@command -v pre-commit >/dev/null || { echo "there is no pre-commit: apt-get install pre-commit, or pip install pre-commit" >&2; exit 1; }
	@$(STEP) "pre-commit's hook" go test -tags precommit -count=1 -timeout 30m $(ARGS) ./actions

.PHONY: test-browser
test-browser: ## Test the HTML reports in Chromium (apt-get install chromium, or CHROMIUM=/path)
	@command -v "$${CHROMIUM:-chromium}" >/dev/null || { echo "there is no Chromium: apt-get install chromium, or name one in CHROMIUM" >&2; exit 1; }
	@cd localcluster && ../$(STEP) "HTML reports in Chromium" go test -tags browser -count=1 -timeout 10m $(ARGS) ./browser

# The programs and what they share. Named here is what the race detector learns nothing from, all of which `make test` runs: packages that
# feed inputs to a process of its own, and tests that render charts, or check files against schemas, one after the other.
RACE            ?= ./internal/... ./validator/... ./imageoverride/...
RACE_PROCESSES  := gitops-runtime/(imageoverride/cmd/image-override|validator/cmd/validate-values)
RACE_ONE_BY_ONE := Corpus PopularStyles MakeImagesTakesEveryValuesFile TwentyRuns Umbrella Parts Strategies UmbrellaDigests \
	UmbrellaIsReproducible EveryImageHasItsLine BothLibrariesAgreeOnTheCorpus FilesPassTheSchema CreatedObjectsFitTheirDefinitions \
	TheChartsExamplesFitItsSchema
empty :=
space := $(empty) $(empty)

.PHONY: race
race: deps bin/helm-4 ## Run the programs' tests under the race detector (needs a C compiler)
	@$(STEP) "race detector" env CGO_ENABLED=1 go test -race -timeout 20m -skip '^Test($(subst $(space),|,$(strip $(RACE_ONE_BY_ONE))))$$' $(ARGS) \
		$$(go list $(RACE) | grep -vxE '$(RACE_PROCESSES)')

.PHONY: fuzz
fuzz: ## Run every fuzz target (FUZZTIME=10m each)
	@tools/fuzz.sh $(or $(FUZZTIME),10m)

.PHONY: vuln
vuln: bin/govulncheck ## Check pins and programs for known vulnerabilities (GOVULNDB=file:///copy)
	@tools/vuln.sh

# A test of this many minutes on a busy machine may meet a pod that its kubelet restarts: CI runs one that failed once more, and says so.
E2E_RERUNS ?= 0
.PHONY: e2e
e2e: deps bin/gotestsum bin/kind bin/kubectl bin/helm-3.8 bin/helm-4 ## Install every mode on kind, upgrade, fail over, and run several runtimes
	@cd localcluster && ../$(STEP) "end-to-end tests" ../bin/gotestsum --format standard-verbose --rerun-fails=$(E2E_RERUNS) \
		--rerun-fails-run-root-test --packages ./e2e/... -- -tags e2e -count=1 -parallel 4 -timeout 75m $(ARGS)

.PHONY: e2e-faults
e2e-faults: deps bin/gotestsum bin/kind bin/kubectl bin/helm-3.8 bin/helm-4 ## Faults under load (FAULTS=, DOWN=10m) and Helm killed at MOMENTS=20 random times, on kind (SEED=)
	@cd localcluster && E2E_SEED="$(SEED)" E2E_MOMENTS="$(MOMENTS)" E2E_CYCLES="$(CYCLES)" E2E_DOWN="$(DOWN)" E2E_FAULTS="$(FAULTS)" ../$(STEP) "faults" \
		../bin/gotestsum --format standard-verbose --packages ./e2e/... -- -tags e2e,faults -count=1 -timeout 4h \
		$(or $(ARGS),-run '^(TestFaults|TestInterrupted|TestCycles)$$')

.PHONY: e2e-scale
e2e-scale: deps bin/gotestsum bin/kind bin/kubectl ## Measure APPLICATIONS=100,500 WORKFLOWS=200 EVENTS=1000 a minute, SOURCES=50 on kind (VALUES)
	@cd localcluster && E2E_APPLICATIONS="$(APPLICATIONS)" E2E_WORKFLOWS="$(WORKFLOWS)" E2E_EVENTS="$(EVENTS)" E2E_SOURCES="$(SOURCES)" E2E_VALUES="$(VALUES)" \
		../$(STEP) "scale" ../bin/gotestsum --format standard-verbose --packages ./e2e/... -- -tags e2e,scale -run '^TestScale$$' -count=1 -timeout 90m $(ARGS)

.PHONY: e2e-publish
e2e-publish: deps bin/gotestsum bin/kind bin/kubectl bin/helm bin/cosign ## Publish to the registry on this machine, and install from there on kind
	@$(STEP) "build release" go build -o bin/release ./release/cmd/release
	@cd localcluster && ../$(STEP) "install what is published" ../bin/gotestsum --format standard-verbose --packages ./e2e/... -- \
		-tags e2e,publish -run TestPublishedRelease -count=1 -timeout 75m $(ARGS)

##@ Lint and benchmarks

.PHONY: lint
lint: lint-go lint-charts lint-shell lint-workflows ## Run golangci-lint, ct lint, shellcheck and actionlint

.PHONY: lint-go lint-charts lint-shell lint-workflows
lint-go: bin/golangci-lint
	@$(STEP) "golangci-lint" bin/golangci-lint run ./...
	@cd localcluster && ../$(STEP) "golangci-lint of the local cluster" ../bin/golangci-lint run ./...
lint-charts: deps bin/ct
	@$(STEP) "ct lint" bin/ct lint --all --config ct.yaml
lint-shell:
	@$(STEP) "shellcheck" tools/shellcheck.sh
lint-workflows: bin/actionlint
	@$(STEP) "actionlint" bin/actionlint

.PHONY: bench
bench: deps bin/kubeconform ## Run the benchmarks of charts and programs
	@go test -run '^$$' -bench . -benchmem $(ARGS) ./...
	@go test -C localcluster -run '^$$' -bench . -benchmem $(ARGS) ./...

.PHONY: bench-traffic
bench-traffic: deps ## Measure router and tunnel, compared to a plain nginx: requests, WebSockets, streams (FOR=1h)
	@go test -C localcluster -run '^$$' -bench . -benchtime 1x -timeout 0 $(ARGS) ./tunnel -sessions-for "$(FOR)"

.PHONY: bench-compare
bench-compare: deps bin/kubeconform bin/benchstat ## Compare the CPU time with another revision, fail on 20 % more (BASE, BENCH)
	@BENCH="$(BENCH)" tools/bench-compare.sh "$(BASE)"

##@ Generate and release

# COSIGN_KEY signs by a key, COSIGN_IDENTITY and COSIGN_ISSUER without one; OFFLINE=1 does without transparency log: docs/releasing.md.
.PHONY: publish
publish: deps bin/cosign ## Publish images and charts, signed (REGISTRY=host/path COSIGN_KEY=cosign.key)
	@$(STEP) "build release" go build -o bin/release ./release/cmd/release
	@bin/release publish "$(REGISTRY)" $(ARGS)

.PHONY: program-images
program-images: ## Write the images of both programs into out/programs, for docker load and podman load
	@$(STEP) "build release" go build -o bin/release ./release/cmd/release
	@bin/release image $(ARGS)

.PHONY: signing-key
signing-key: bin/cosign ## Create a key pair to publish with, cosign.key and cosign.pub
	@bin/cosign generate-key-pair

.PHONY: verify
verify: bin/cosign ## Verify what is published (REGISTRY=host/path COSIGN_PUBLIC_KEY=cosign.pub)
	@$(STEP) "build release" go build -o bin/release ./release/cmd/release
	@bin/release verify "$(REGISTRY)" $(ARGS)

# goreleaser takes no version but that of a tag, unless it makes a snapshot; and it takes the time of a build for that of the commit in a clone without a
# remote. What lies beside the programs, such as SBOMs, bin/release makes.
.PHONY: binaries
binaries: export VERSION = $(shell cat VERSION)
binaries: export SOURCE_DATE_EPOCH = $(shell git log -1 --format=%ct)
binaries: export SOURCE_DATE = $(shell TZ=UTC git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd)
binaries: bin/goreleaser bin/cosign ## Build the programs for Linux, macOS and Windows into out/dist (COSIGN_KEY=cosign.key)
	@$(STEP) "build release" go build -o bin/release ./release/cmd/release
	@$(STEP) "programs for every platform" bin/goreleaser release --snapshot --clean $(if $(COSIGN_KEY)$(COSIGN_IDENTITY),,--skip=sign) $(ARGS)

.PHONY: package
package: deps ## Package the charts into out/packages
	@$(STEP) "package the charts" tools/package.sh out/packages

.PHONY: generate
generate: bin/helm ## Regenerate versions, CRDs, schemas, reference pages and golden files
	@$(STEP) "version of VERSION" go run ./release/cmd/release stamp
	@$(STEP) "CRDs" go run ./tests/cmd/crds
	@$(STEP) "schemas" go run ./schema/cmd/chart-schema
	@tools/chart-deps.sh
	@$(STEP) "schema for editors" go run ./validator/cmd/validate-values schema --chart charts/gitops-runtime -o schema/bundle/gitops-runtime.values.schema.json
	@$(STEP) "tables of values" go run ./tests/cmd/compat
	@$(STEP) "READMEs of the charts" go run ./tests/cmd/readme
	@$(STEP) "page of checks" tools/checks-page.sh validator/CHECKS.md
	@tools/chart-deps.sh
	@$(STEP) "page for security readers" go run ./tests/cmd/security
	@$(STEP) "page of the contract" go run ./tests/cmd/contract
	@$(STEP) "dashboards" go run ./tests/cmd/dashboards
	@$(STEP) "what ArtifactHub shows" go run ./tests/cmd/artifacthub
	@$(STEP) "golden files" go test ./tests/golden -run 'TestCasesAreTheirFiles|TestArtifactHubKnowsTheImages' -update

.PHONY: deps
deps: bin/helm
	@tools/chart-deps.sh

.PHONY: tools
tools: $(patsubst tools/%/go.mod,bin/%,$(wildcard tools/*/go.mod)) ## Build every tool

bin/%: tools/%/go.mod
	@$(STEP) "build $*" tools/build.sh $*
