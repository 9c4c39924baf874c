// Package install installs the GitOps runtime's chart on the local cluster the way its users do, with helm upgrade
// --install, in any access mode, against the platform's stand-in. `make install` and the end-to-end tests share it.
// It knows the charts by their folders and values, and nothing of their templates.
package install
