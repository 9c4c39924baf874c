//go:build e2e && !nightly

package e2e_test

// nightly is true in make e2e-nightly, which has the time for the longer parts of a test.
const nightly = false
