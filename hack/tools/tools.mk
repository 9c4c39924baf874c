# Rules of the Makefile that build the tools.

# The tools of hack/tools/go.mod, by the last part of their paths; each other tool has a module of its own.
TOOLS := containerd-hosts $(shell sed -n 's|^tool .*/\([a-z][a-z-]*\)\(/v[0-9]*\)\{0,1\}$$|\1|p' hack/tools/go.mod)

.PHONY: tools
tools: bin/kubectl $(addprefix bin/,$(TOOLS)) $(patsubst hack/tools/%/go.mod,bin/%,$(wildcard hack/tools/*/go.mod)) ## Build every tool

$(addprefix bin/,$(TOOLS)): bin/%: hack/tools/go.mod
	@$(STEP) "build $*" hack/tools/build.sh $*

bin/kubectl: tests/e2e/programs/kubernetes/go.mod
	@$(STEP) "build kubectl" hack/tools/build.sh kubectl

bin/%: hack/tools/%/go.mod
	@$(STEP) "build $*" hack/tools/build.sh $*
