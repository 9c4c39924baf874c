module gitops-runtime/tools/goreleaser

go 1.26.4

tool github.com/goreleaser/goreleaser/v2

require github.com/goreleaser/goreleaser/v2 v2.17.0
