// Package binarytest tests the programs for users' machines as they are released: make test-binaries.
package binarytest
