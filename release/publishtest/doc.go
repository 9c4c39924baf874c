// Package publishtest holds tests of publishing that need the program cosign: make test-publish.
package publishtest
