// Package binarytest tests the programs for users' machines as a release has them: make test-binaries.
package binarytest
