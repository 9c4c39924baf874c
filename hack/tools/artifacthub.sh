#!/usr/bin/env bash
# Verifies the ownership of a chart repository in an OCI registry for ArtifactHub, with metadata pushed next to the chart:
# hack/tools/artifacthub.sh REGISTRY/PATH/CHART REPOSITORY-ID. ArtifactHub shows the id where the repository is added.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
printf 'repositoryID: %s\n' "$2" >artifacthub-repo.yml
oras push "$1:artifacthub.io" \
	--config /dev/null:application/vnd.cncf.artifacthub.config.v1+yaml \
	artifacthub-repo.yml:application/vnd.cncf.artifacthub.repository-metadata.layer.v1.yaml
