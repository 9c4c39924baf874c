# Targets of the Makefile for releases: docs/releasing.md.

##@ Release

# What names this product, for a fork: address.yaml. PLACE is empty if REGISTRY is the default of the Makefile: the registry is then that of address.yaml.
PLACE = $(if $(filter file,$(origin REGISTRY)),,"$(REGISTRY)")
.PHONY: address
address: ## Set repository, registry and Go module path of a fork (REPOSITORY=github.com/acme/runtime REGISTRY=host/path)
	@go run ./hack/release/cmd/release address $(if $(REPOSITORY),--repository "$(REPOSITORY)") $(if $(PLACE),--registry $(PLACE)) $(ARGS)
	@$(MAKE) generate

# COSIGN_KEY signs by a key, COSIGN_IDENTITY and COSIGN_ISSUER without one; OFFLINE=1 uses no transparency log: docs/releasing.md.
.PHONY: publish
publish: export SOURCE_URL := $(SOURCE_URL)
publish: deps bin/cosign ## Publish images and charts, signed (REGISTRY=host/path SOURCE_URL=https://host/path COSIGN_KEY=cosign.key)
	@$(STEP) "build release" go build -o bin/release ./hack/release/cmd/release
	@bin/release publish $(PLACE) $(ARGS)

.PHONY: images-lock
images-lock: ## Write the digests of the images of other projects, by which published charts name them
	@go run ./hack/release/cmd/release images-lock $(ARGS)

.PHONY: vex
vex: ## Write the known vulnerabilities of all images, fixed, affected or open, for scanners (OpenVEX)
	@go run ./hack/release/cmd/release vex $(ARGS)

.PHONY: verify
verify: bin/cosign ## Verify what is published (REGISTRY=host/path COSIGN_PUBLIC_KEY=cosign.pub)
	@$(STEP) "build release" go build -o bin/release ./hack/release/cmd/release
	@bin/release verify $(PLACE) $(ARGS)

.PHONY: signing-key
signing-key: bin/cosign ## Create a key pair to publish with, cosign.key and cosign.pub
	@bin/cosign generate-key-pair

.PHONY: program-images
program-images: ## Write the images of both programs into out/programs, for docker load and podman load
	@$(STEP) "build release" go build -o bin/release ./hack/release/cmd/release
	@bin/release image $(ARGS)

# GoReleaser takes the version from a tag, except for a snapshot, and the time from the clock in a clone without a remote: both are given here. bin/release
# writes what is attached to the programs, such as SBOMs.
.PHONY: binaries
binaries: export VERSION = $(shell cat VERSION)
binaries: export SOURCE_URL := $(or $(SOURCE_URL),$(shell sed -n 's/^repository: "\(.*\)"/\1/p' address.yaml))
binaries: export SOURCE_DATE_EPOCH = $(shell git log -1 --format=%ct)
binaries: export SOURCE_DATE = $(shell TZ=UTC git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd)
binaries: deps bin/goreleaser bin/cosign ## Build the programs for Linux, macOS and Windows into out/dist (COSIGN_KEY=cosign.key)
	@$(STEP) "build release" go build -o bin/release ./hack/release/cmd/release
	@$(STEP) "programs for every platform" bin/goreleaser release --snapshot --clean $(if $(COSIGN_KEY)$(COSIGN_IDENTITY),,--skip=sign) $(ARGS)
	@[ -n "$$SOURCE_URL" ] || { rm -rf out/dist/homebrew out/dist/krew; echo "no manifests for Homebrew and Krew: they refer to the repository, which is not set (SOURCE_URL, or make address)"; }

.PHONY: test-publish
test-publish: deps bin/cosign bin/helm-4 ## Publish to a registry on this machine and verify it, with cosign and Helm
	@$(STEP) "publish and verify" go test -tags publish -count=1 -timeout 30m $(ARGS) ./hack/release/publishtest

.PHONY: test-binaries
test-binaries: bin/goreleaser bin/cosign bin/kubectl ## Build the programs for every platform twice; check archives, signature, manifests
	@$(STEP) "programs of a release" go test -tags binaries -count=1 -timeout 60m $(ARGS) ./hack/release/binarytest

.PHONY: test-fork
test-fork: bin/helm bin/benchstat ## Set another address on a copy of this checkout: build, tests (TESTS=packages), go install from a module proxy of files
	@$(STEP) "a fork with an address of its own" env TESTS="$(TESTS)" go test -tags fork -count=1 -timeout 60m -run TestFork $(ARGS) ./hack/release/address
