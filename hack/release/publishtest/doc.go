// Package publishtest tests publishing with the program cosign: make test-publish.
package publishtest
