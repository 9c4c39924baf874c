# Targets of the Makefile for tests that need programs which the repository does not build.

##@ Tests with other programs

EDITOR_MODULES := $(CURDIR)/.cache/editor
.PHONY: test-editor
test-editor: deps ## Check a values file in yaml-language-server with the bundled schema (needs Node.js and npm)
	@command -v npm >/dev/null || { echo "there is no npm: install Node.js 20 or later with npm" >&2; exit 1; }
	@mkdir -p "$(EDITOR_MODULES)" && cp tests/editor/package.json tests/editor/package-lock.json "$(EDITOR_MODULES)"
	@$(STEP) "yaml-language-server" npm ci --prefix "$(EDITOR_MODULES)" --ignore-scripts --no-audit --no-fund --loglevel=error
	@go run ./validator/cmd/validate-values schema --chart charts/gitops-runtime -o "$(EDITOR_MODULES)/gitops-runtime.values.schema.json"
	@MODULES="$(EDITOR_MODULES)" $(STEP) "completion and checks in an editor" node --test --test-reporter=spec $(ARGS) tests/editor/

.PHONY: test-pre-commit
test-pre-commit: ## Run the hook for pre-commit as users run it (needs pre-commit)
	@command -v pre-commit >/dev/null || { echo "there is no pre-commit: apt-get install pre-commit, or pip install pre-commit" >&2; exit 1; }
	@$(STEP) "pre-commit's hook" go test -tags precommit -count=1 -timeout 30m $(ARGS) ./validator/action
