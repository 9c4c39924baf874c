# Every target sets up what it needs. All it makes is in bin/, .cache/ and out/ here and in the user's cache folder;
# the machine's own Docker, kubeconfig and Helm settings are left alone.

MODE     ?= tunnel
VALUES   ?=
REGISTRY ?= registry.example.com
ARGS     ?=
BASE     ?= main
BENCH    ?= .

SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS   += --no-print-directory

export PATH             := $(CURDIR)/bin:$(PATH)
export CGO_ENABLED      := 0
# No paths in the results, so that all checkouts share the build cache.
export GOFLAGS          := -buildvcs=false -trimpath
export KUBECONFIG       := $(CURDIR)/.cache/kubeconfig
export HELM_CACHE_HOME  := $(CURDIR)/.cache/helm/cache
export HELM_CONFIG_HOME := $(CURDIR)/.cache/helm/config
export HELM_DATA_HOME   := $(CURDIR)/.cache/helm/data

STEP := hack/tools/step.sh
TEST := bin/gotestsum --format pkgname-and-test-fails --hide-summary=skipped

.PHONY: help
help:
	@awk -F ':.*## ' '/^##@ / { printf "\n%s\n", substr($$0, 5) } /^[a-z0-9-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@printf '\nVariables\n  MODE=tunnel|ingress|gateway|mesh  VALUES=my.yaml  REGISTRY=registry.example.com  ARGS="further arguments"\n'

##@ Local cluster

.PHONY: install
install: deps bin/kind bin/kubectl ## Install the runtime on a local kind cluster (MODE)
	@$(STEP) "build runtime-kind" go build -C tests/e2e -o ../../bin/runtime-kind ./cmd/runtime-kind
	@bin/runtime-kind install --mode "$(MODE)" $(if $(VALUES),--values "$(VALUES)") $(ARGS)

.PHONY: uninstall
uninstall: bin/helm bin/kind bin/kubectl ## Uninstall the runtime; the cluster is kept
	@$(STEP) "build runtime-kind" go build -C tests/e2e -o ../../bin/runtime-kind ./cmd/runtime-kind
	@bin/runtime-kind uninstall

.PHONY: clean
clean: bin/kind ## Delete the local cluster and everything that was built in this checkout
	@$(STEP) "build runtime-kind" go build -C tests/e2e -o ../../bin/runtime-kind ./cmd/runtime-kind
	@bin/runtime-kind clean
	@rm -rf bin out .cache

##@ Values and images, without a cluster

.PHONY: validate
validate: deps ## Check values as the chart's hook does (VALUES)
	@$(STEP) "build validate" go build -C tests/e2e -o ../../bin/validate ./cmd/validate >&2
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
# Renders allocate much memory; collecting garbage less often saves CPU time.
test: export GOGC := 400
test: deps bin/gotestsum bin/helm-4 bin/benchstat ## Run every test that needs no cluster
	@failed=0; \
	$(STEP) "unit, render, schema and drift tests" $(TEST) -- -timeout 30m $(ARGS) ./... || failed=1; \
	cd tests/e2e; \
	../../$(STEP) "tests of the local cluster" ../../$(TEST) -- -timeout 30m $(ARGS) ./... || failed=1; \
	exit $$failed

# The programs and what they share. Tests that the race detector learns nothing from have the build constraint !race.
RACE ?= ./internal/... ./validator/... ./imageoverride/...

.PHONY: race
race: deps bin/helm-4 ## Run the programs' tests under the race detector (needs a C compiler)
	@$(STEP) "race detector" env CGO_ENABLED=1 go test -race -timeout 20m $(ARGS) $(RACE)

.PHONY: fuzz
fuzz: ## Run every fuzz target (FUZZTIME=10m each)
	@hack/tools/fuzz.sh $(or $(FUZZTIME),10m)

.PHONY: vuln
vuln: bin/govulncheck ## Check pins and programs for known vulnerabilities (GOVULNDB=file:///copy)
	@hack/tools/vuln.sh

.PHONY: vuln-list
vuln-list: ## Add to the list of known vulnerabilities what a copy of the Go vulnerability database has (COPY=folder of vulndb.zip)
	@$(STEP) "list of known vulnerabilities" go run ./hack/gen/vulnerabilities "$(COPY)"

# In CI a failed test runs once more, and the output says so: on a busy machine a kubelet may restart a pod during a long test.
E2E_RERUNS ?= 0
.PHONY: e2e
e2e: deps bin/gotestsum bin/kind bin/kubectl bin/helm-3.8 bin/helm-4 ## Install every mode on kind, upgrade, fail over, and run beside another Argo CD
	@cd tests/e2e && ../../$(STEP) "end-to-end tests" ../../bin/gotestsum --format standard-verbose --rerun-fails=$(E2E_RERUNS) \
		--rerun-fails-run-root-test --packages ./cases/... -- -tags e2e -count=1 -parallel 4 -timeout 75m $(ARGS)

##@ Lint and benchmarks

.PHONY: lint
lint: lint-go lint-charts lint-shell lint-workflows ## Run golangci-lint, ct lint, shellcheck and actionlint

.PHONY: lint-go lint-charts lint-shell lint-workflows
lint-go: bin/golangci-lint
	@$(STEP) "golangci-lint" bin/golangci-lint run ./...
	@cd tests/e2e && ../../$(STEP) "golangci-lint of the local cluster" ../../bin/golangci-lint run ./...
lint-charts: deps bin/ct
	@$(STEP) "ct lint" bin/ct lint --all --config ct.yaml
lint-shell:
	@$(STEP) "shellcheck" hack/tools/shellcheck.sh
lint-workflows: bin/actionlint
	@$(STEP) "actionlint" bin/actionlint

.PHONY: bench
bench: deps bin/kubeconform ## Run the benchmarks of charts and programs
	@go test -run '^$$' -bench . -benchmem $(ARGS) ./...
	@go test -C tests/e2e -run '^$$' -bench . -benchmem $(ARGS) ./...

.PHONY: bench-compare
bench-compare: deps bin/kubeconform bin/benchstat ## Compare the CPU time with another revision, fail on 20 % more (BASE, BENCH)
	@BENCH="$(BENCH)" hack/tools/bench-compare.sh "$(BASE)"

##@ Generate

.PHONY: package
package: deps ## Package the charts into out/packages
	@$(STEP) "package the charts" hack/tools/package.sh out/packages

.PHONY: schema
schema: ## Write values.schema.json of each chart from its values.yaml: seconds, after a change of a value
	@$(STEP) "schemas" go run ./schema/cmd/chart-schema

.PHONY: site
site: ## Build the pages as a site with a search, out/site (needs mkdocs: apt-get install mkdocs)
	@$(STEP) "site" hack/site/build.sh $(ARGS)

.PHONY: pages
pages: deps ## Write the pages that are made from charts, checks and the contract
	@$(STEP) "tables of values" go run ./hack/gen compat
	@$(STEP) "READMEs of the charts" go run ./hack/gen readme
	@$(STEP) "page of checks" hack/tools/checks-page.sh validator/CHECKS.md
	@hack/tools/chart-deps.sh
	@$(STEP) "page for security readers" go run ./hack/gen security
	@$(STEP) "page of differences" go run ./hack/gen contract
	@$(STEP) "dashboards" go run ./hack/gen dashboards
	@$(STEP) "what ArtifactHub shows" go run ./hack/gen artifacthub

.PHONY: golden
golden: deps ## Write the golden files from what the charts render
	@$(STEP) "golden files" go test ./tests/golden -run 'TestCasesAreTheirFiles|TestArtifactHubKnowsTheImages' -update

.PHONY: generate
generate: bin/helm ## Write everything that is generated: versions, definitions, schemas, pages, golden files
	@$(STEP) "version of VERSION" go run ./hack/release/cmd/release stamp
	@$(STEP) "definitions of custom resources" go run ./hack/gen crds
	@$(MAKE) schema
	@$(MAKE) pages
	@$(MAKE) golden

.PHONY: deps
deps: bin/helm
	@hack/tools/chart-deps.sh

include tests/tests.mk tests/e2e/e2e.mk hack/release/release.mk hack/tools/tools.mk
