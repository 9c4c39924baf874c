# Targets of the Makefile for releases: docs/releasing.md.

##@ Release

# COSIGN_KEY signs by a key, COSIGN_IDENTITY and COSIGN_ISSUER without one; OFFLINE=1 uses no transparency log: docs/releasing.md.
.PHONY: publish
publish: deps bin/cosign ## Publish images and charts, signed (REGISTRY=host/path COSIGN_KEY=cosign.key)
	@$(STEP) "build release" go build -o bin/release ./hack/release/cmd/release
	@bin/release publish "$(REGISTRY)" $(ARGS)

.PHONY: verify
verify: bin/cosign ## Verify what is published (REGISTRY=host/path COSIGN_PUBLIC_KEY=cosign.pub)
	@$(STEP) "build release" go build -o bin/release ./hack/release/cmd/release
	@bin/release verify "$(REGISTRY)" $(ARGS)

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
binaries: export SOURCE_DATE_EPOCH = $(shell git log -1 --format=%ct)
binaries: export SOURCE_DATE = $(shell TZ=UTC git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd)
binaries: deps bin/goreleaser bin/cosign ## Build the programs for Linux, macOS and Windows into out/dist (COSIGN_KEY=cosign.key)
	@$(STEP) "build release" go build -o bin/release ./hack/release/cmd/release
	@$(STEP) "programs for every platform" bin/goreleaser release --snapshot --clean $(if $(COSIGN_KEY)$(COSIGN_IDENTITY),,--skip=sign) $(ARGS)

.PHONY: test-publish
test-publish: deps bin/cosign bin/helm-4 ## Publish to a registry on this machine and verify it, with cosign and Helm
	@$(STEP) "publish and verify" go test -tags publish -count=1 -timeout 30m $(ARGS) ./hack/release/publishtest

.PHONY: test-binaries
test-binaries: bin/goreleaser bin/cosign bin/kubectl ## Build the programs for every platform twice; check archives, signature, manifests
	@$(STEP) "programs of a release" go test -tags binaries -count=1 -timeout 60m $(ARGS) ./hack/release/binarytest
