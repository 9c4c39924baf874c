// The version of Helmfile whose types the example is held to; nothing of it is built.
module gitops-runtime/tests/e2e/examples/helmfile

go 1.26.0

require github.com/helmfile/helmfile v1.8.0
